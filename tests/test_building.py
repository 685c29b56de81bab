"""One build: what it reads, keeps and writes; files under wrong names."""

import shutil
import subprocess
import sys

import pytest

from tablebase.building import Shelf, Stage, build_table, digest_of
from tablebase.errors import CorruptTableError, MissingTableError
from tablebase.material import Material
from tablebase.storage import open_table, table_path

KK, KRK, KRRK = (Material.from_name(name) for name in ("KK", "KRK", "KRRK"))


def nothing(*_):
    pass


@pytest.fixture
def folder(tables_dir, tmp_path):
    shutil.copy(table_path(tables_dir, KK), tmp_path)
    return tmp_path


def test_a_table_is_built_like_any_other(folder, tables_dir):
    stages = []
    built = build_table(KRK, Shelf(folder, 1), lambda stage, _: stages.append(stage))
    assert built.path == table_path(folder, KRK)
    assert built.seconds > 0
    assert built.sha256 == digest_of(table_path(tables_dir, KRK), KRK)
    assert list(dict.fromkeys(stages)) == list(Stage)
    with open_table(built.path) as file:
        assert file.attributes["subtables"] == {"KK": digest_of(table_path(folder, KK), KK)}


def test_without_its_sub_tables_nothing_is_built(tmp_path):
    with pytest.raises(MissingTableError, match=r"KK\.h5"):
        build_table(KRK, Shelf(tmp_path, 1), nothing)
    assert not list(tmp_path.iterdir())


def test_small_tables_are_read_once(folder):
    shelf = Shelf(folder, 1)
    build_table(KRK, shelf, nothing)
    for path in folder.iterdir():
        path.unlink()
    build_table(KRRK, shelf, nothing)
    assert [path.name for path in folder.iterdir()] == ["KRRK.h5"]


def test_tables_with_other_values_are_put_back(folder):
    shelf = Shelf(folder, 1)
    digest = build_table(KRK, shelf, nothing).sha256
    shelf.keep_only({KRK: digest})
    table_path(folder, KRK).unlink()
    build_table(KRRK, shelf, nothing)
    shelf.keep_only({KRK: "of another table"})
    with pytest.raises(MissingTableError, match=r"KRK\.h5"):
        build_table(KRRK, shelf, nothing)


def test_no_file_has_no_digest(tmp_path):
    assert digest_of(table_path(tmp_path, KRK), KRK) is None


def test_a_file_under_a_wrong_name_has_none_either(folder):
    table_path(folder, KK).rename(table_path(folder, KRK))
    with pytest.raises(CorruptTableError, match="table of KK"):
        digest_of(table_path(folder, KRK), KRK)


def test_the_first_table_compiles_what_later_builds_read_with(tmp_path):
    code = (
        "import sys\n"
        "from tablebase import table\n"
        "from tablebase.building import Shelf, build_table\n"
        "from tablebase.material import Material\n"
        "build_table(Material(), Shelf(sys.argv[1], 1), lambda *_: None)\n"
        "print(len(table._exchange_rows.signatures))\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["1"]
