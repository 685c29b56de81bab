"""One build: what it reads, keeps and writes; files under wrong names."""

import shutil

import pytest

from tablebase.core.building.builder import Stage, build_table, read_header
from tablebase.core.building.subtable_store import SubtableStore
from tablebase.core.ground.errors import CorruptTableError, MissingTableError
from tablebase.core.outcomes.metrics import DTM
from tablebase.core.rules.material import Material
from tablebase.core.storage.reading import open_table
from tablebase.core.storage.table_names import table_path

KK, KRK, KRRK = (Material.from_name(name) for name in ("KK", "KRK", "KRRK"))


def nothing(*_):
    pass


def digests_of(folder, material):
    return read_header(table_path(folder, material), material).digests


@pytest.fixture
def folder(tables_dir, tmp_path):
    shutil.copy(table_path(tables_dir, KK), tmp_path)
    return tmp_path


def test_a_table_is_built_like_any_other(folder, tables_dir):
    stages = []
    built = build_table(KRK, [DTM], SubtableStore(folder, 1), lambda stage, _: stages.append(stage))
    assert built.path == table_path(folder, KRK)
    assert built.seconds > 0
    assert built.header.digests == digests_of(tables_dir, KRK)
    assert list(dict.fromkeys(stages)) == list(Stage)
    with open_table(built.path) as file:
        assert file.attributes["subtables"] == {"KK": digests_of(folder, KK)[DTM]}


def test_without_its_sub_tables_nothing_is_built(tmp_path):
    with pytest.raises(MissingTableError, match=r"KK\.h5"):
        build_table(KRK, [DTM], SubtableStore(tmp_path, 1), nothing)
    assert not list(tmp_path.iterdir())


def test_small_tables_are_read_once(folder):
    store = SubtableStore(folder, 1)
    build_table(KRK, [DTM], store, nothing)
    for path in folder.iterdir():
        path.unlink()
    build_table(KRRK, [DTM], store, nothing)
    assert [path.name for path in folder.iterdir()] == ["KRRK.h5"]


def test_tables_with_other_values_are_dropped(folder):
    store = SubtableStore(folder, 1)
    digest = build_table(KRK, [DTM], store, nothing).header.digests[DTM]
    store.keep_only({(KRK, DTM): digest})
    table_path(folder, KRK).unlink()
    build_table(KRRK, [DTM], store, nothing)
    store.keep_only({(KRK, DTM): "of another table"})
    with pytest.raises(MissingTableError, match=r"KRK\.h5"):
        build_table(KRRK, [DTM], store, nothing)


def test_no_file_has_no_digest(tmp_path):
    assert digests_of(tmp_path, KRK) == {}


def test_a_file_under_a_wrong_name_has_none_either(folder):
    table_path(folder, KK).rename(table_path(folder, KRK))
    with pytest.raises(CorruptTableError, match="table of KK"):
        digests_of(folder, KRK)
