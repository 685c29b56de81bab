"""Files with one metric or two."""

import shutil

import chess
import h5py
import numpy as np
import pytest

from tablebase import open_tablebase
from tablebase.core.board.geometry import SIDES, Color
from tablebase.core.building import builder, generator
from tablebase.core.ground.errors import CorruptTableError, MissingTableError
from tablebase.core.outcomes.metrics import DTM, DTZ, METRICS, make_outcomes
from tablebase.core.rules.material import Material
from tablebase.core.storage.reading import open_table, read_table
from tablebase.core.storage.table_names import table_path
from tablebase.core.storage.writing import write_table
from tablebase.core.tables.table import Table

KRK, KK = Material.from_name("KRK"), Material.from_name("KK")


@pytest.fixture
def to_mate(tmp_path):
    """Return a folder of files with distances to mate alone."""
    for name in ("KK.h5", "KRK.h5"):
        write_table(read_table(f"data/{name}"), tmp_path / name)
    return tmp_path


def digests(path):
    with open_table(path) as file:
        file.check()
        return {metric: file.sha256_of(metric) for metric in file.metrics}


def test_files_with_distances_to_mate_alone(to_mate):
    with open_table(to_mate / "KRK.h5") as file:
        assert file.metrics == (DTM,)
        assert file.counts["white_to_move"]["longest_win"]["plies"] == 31
    expected = read_table("data/KRK.h5")
    assert all(map(np.array_equal, read_table(to_mate / "KRK.h5").codes, expected.codes))
    board = chess.Board("8/8/8/8/8/2k5/1R6/K7 w - - 0 1")
    with open_tablebase(to_mate) as tables:
        assert tables.probe_dtm(board) == 31
        assert len(tables.mainline(board)) == 31
        with pytest.raises(MissingTableError, match=r"tablebase build --metric dtz KRK --dir"):
            tables.probe_dtz(board)


def test_what_is_missing_is_added_without_solving_the_rest(to_mate, monkeypatch):
    solved = []
    solve = builder.solve

    def note(material, *arguments, metric, **options):
        solved.append((material, metric))
        return solve(material, *arguments, metric=metric, **options)

    monkeypatch.setattr(builder, "solve", note)
    before = {name: digests(to_mate / f"{name}.h5") for name in ("KK", "KRK")}
    generator.generate([KRK], to_mate)
    assert solved == [(KK, DTZ), (KRK, DTZ)]
    for name, known in before.items():
        found = digests(to_mate / f"{name}.h5")
        assert list(found) == [DTM, DTZ]
        assert known.items() <= found.items()
        assert found == digests(f"data/{name}.h5")
    for metric in METRICS:
        new, expected = read_table(to_mate / "KRK.h5", metric), read_table("data/KRK.h5", metric)
        assert all(map(np.array_equal, new.codes, expected.codes))
    assert generator.generate([KRK], to_mate)[-1].seconds is None


@pytest.mark.parametrize("metrics", [(DTM, DTZ), (DTZ, DTM)])
def test_the_order_of_building_does_not_matter(tmp_path, metrics):
    for metric in metrics:
        generator.generate([KRK], tmp_path, metrics=[metric])
        assert metric in digests(tmp_path / "KRK.h5")
    with open_table(tmp_path / "KRK.h5") as file:
        stored = file.stored_attributes()
    assert stored["metrics"] == "dtm dtz"
    assert digests(tmp_path / "KRK.h5") == digests("data/KRK.h5")


def test_a_metric_that_is_damaged_is_not_carried_over(tmp_path):
    path = tmp_path / "KRK.h5"
    shutil.copy("data/KRK.h5", path)
    with open_table(path) as file:
        place = file.chunks.dataset(0, "dtm").get_chunk_info(0).byte_offset
    content = bytearray(path.read_bytes())
    content[place + 9] ^= 4
    path.write_bytes(content)
    with pytest.raises(CorruptTableError):
        read_table(path)
    table = read_table("data/KRK.h5", DTZ)
    white = table.white.copy()
    white[7] ^= 1
    write_table(Table(KRK, white, table.black, DTZ, table.outcomes), path)
    assert list(digests(path)) == [DTZ]
    with pytest.raises(MissingTableError, match="no DTM of KRK"):
        read_table(path)


def test_a_file_of_another_material_is_not_carried_over(tmp_path):
    path = tmp_path / "KRK.h5"
    shutil.copy("data/KQK.h5", path)
    write_table(read_table("data/KRK.h5", DTZ), path)
    assert list(digests(path)) == [DTZ]


def test_chunks_of_another_size_are_packed_anew(tmp_path):
    path = tmp_path / "KRK.h5"
    write_table(read_table("data/KRK.h5"), path)
    with h5py.File(path, "r+") as file:
        for side in SIDES:
            stored = file[f"{side}/dtm"][:]
            del file[f"{side}/dtm"]
            options = {"chunks": (5000,), "compression": "gzip", "fletcher32": True}
            file.create_dataset(f"{side}/dtm", data=stored, **options)
    write_table(read_table("data/KRK.h5", DTZ), path)
    for metric in METRICS:
        expected = read_table("data/KRK.h5", metric)
        assert all(map(np.array_equal, read_table(path, metric).codes, expected.codes))
    assert digests(path) == digests("data/KRK.h5")


def test_codes_mean_what_the_file_says(tmp_path):
    """The digest covers what codes mean: the same bytes with other outcomes have another one."""
    table = read_table("data/KRK.h5", DTZ)
    path = table_path(tmp_path, KRK)
    first = write_table(table, path)
    longer = [make_outcomes([2 * n + (n < 0) for n in side if n]) for side in table.outcomes]
    second = write_table(Table(KRK, *table.codes, DTZ, tuple(longer)), path)
    assert first != second
    assert read_table(path, DTZ).outcomes[Color.WHITE].tolist() == longer[0].tolist()
    with h5py.File(path, "r+") as file:
        file.attrs.modify("dtz_sha256", first.encode())
    with pytest.raises(CorruptTableError, match="SHA-256"):
        read_table(path, DTZ)
