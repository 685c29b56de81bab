"""Helpmates as data sets of the file that has the distances to mate."""

import json
import shutil

import chess
import h5py
import numpy as np
import pytest

from tablebase import open_tablebase
from tablebase.core.building import builder, generator
from tablebase.core.checking.verify import check_file
from tablebase.core.ground.errors import CorruptTableError, MissingTableError, TablebaseError
from tablebase.core.outcomes.metrics import BLACK_MATES, DTM, DTZ, HELPMATES, WHITE_MATES
from tablebase.core.rules.material import Material
from tablebase.core.storage.reading import open_table, read_table
from tablebase.core.storage.writing import write_table

KPK = Material.from_name("KPK")
OF_KPK = ["KK", "KBK", "KNK", "KQK", "KRK", "KPK"]


def test_they_stand_beside_what_was_there(helped_folder, folders_by_metric):
    without = folders_by_metric["both"] / "KPK.h5"
    with open_table(helped_folder / "KPK.h5") as file, open_table(without) as before:
        file.check()
        assert file.metrics == before.metrics == (DTM, DTZ)
        assert file.helpmates == HELPMATES
        assert before.helpmates == ()
        assert file.version == before.version == 3
        for metric in (DTM, DTZ):
            assert file.sha256_of(metric) == before.sha256_of(metric)
        counts = file.attributes["white_mates_counts"]["black_to_move"]
        assert counts["inequivalent"]["never"] == 14
        assert counts["longest"]["plies"] == 16


def test_the_attribute_names_what_there_is(helped_folder):
    with h5py.File(helped_folder / "KPK.h5") as file:
        assert file.attrs["helpmates"] == b"white_mates black_mates"
        assert set(file["white_to_move"]) == {"dtm", "dtz", "white_mates", "black_mates"}
        assert json.loads(file.attrs["white_mates_subtables"]).keys() == {*OF_KPK} - {"KPK"}


def test_nothing_is_left_to_do(helped_folder):
    built = generator.generate([KPK], helped_folder, metrics=HELPMATES)
    assert [one.seconds for one in built] == [None] * len(OF_KPK)
    assert set(built[-1].header.digests) == {DTM, DTZ, *HELPMATES}


def test_what_was_stopped_between_both_is_resumed(
    helped_folder, folders_by_metric, tmp_path, monkeypatch
):
    for name in OF_KPK:
        shutil.copy(helped_folder / f"{name}.h5", tmp_path)
    shutil.copy(folders_by_metric["both"] / "KPK.h5", tmp_path)
    solve = builder.solve

    def stop(material, *arguments, metric, **options):
        if metric == BLACK_MATES:
            raise KeyboardInterrupt
        return solve(material, *arguments, metric=metric, **options)

    monkeypatch.setattr(builder, "solve", stop)
    with pytest.raises(KeyboardInterrupt):
        generator.generate([KPK], tmp_path, metrics=HELPMATES)
    monkeypatch.undo()
    generator.generate([KPK], tmp_path, metrics=HELPMATES)
    for metric in HELPMATES:
        found, known = (read_table(one / "KPK.h5", metric) for one in (tmp_path, helped_folder))
        assert all(map(np.array_equal, found.codes, known.codes))


def test_without_a_file_distances_to_mate_come_first(tmp_path):
    generator.generate([Material.from_name("KK")], tmp_path, metrics=HELPMATES)
    with open_table(tmp_path / "KK.h5") as file:
        assert (file.metrics, file.helpmates) == ((DTM,), HELPMATES)


def test_they_need_a_file_of_another_distance(helped_folder, tmp_path):
    table = read_table(helped_folder / "KRK.h5", WHITE_MATES)
    with pytest.raises(TablebaseError, match="helpmates go into a file that has distances to mate"):
        write_table(table, tmp_path / "KRK.h5")


def test_a_folder_without_them_names_the_command(folders_by_metric):
    with open_tablebase(folders_by_metric["both"]) as tables:
        board = chess.Board("8/8/8/8/8/2k5/1R6/K7 w - - 0 1")
        with pytest.raises(MissingTableError, match=r"no helpmates of KRK .* --metric help KRK"):
            tables.probe_helpmate(board, chess.WHITE)
        assert tables.get_helpmate(board, chess.WHITE, "unknown") == "unknown"


def test_verify_passes_and_finds_one_changed_value(helped_folder, tmp_path):
    report = check_file(helped_folder / "KPK.h5")
    assert report.passed
    assert report.metrics == (DTM, DTZ, *HELPMATES)
    for name in OF_KPK:
        shutil.copy(helped_folder / f"{name}.h5", tmp_path)
    table = read_table(tmp_path / "KPK.h5", WHITE_MATES)
    white = table.white.copy()
    slot = int(np.flatnonzero(white == 9)[500])
    white[slot] = 11
    changed = type(table)(KPK, white, table.black, WHITE_MATES)
    with open_table(tmp_path / "KPK.h5") as file:
        subtables = file.attributes["white_mates_subtables"]
    write_table(changed, tmp_path / "KPK.h5", subtables=subtables)
    report = check_file(tmp_path / "KPK.h5", metric=HELPMATES)
    assert not report.passed
    assert any(one.index == slot for one in report.differences) or report.different > 0


def test_a_damaged_chunk_is_found(helped_folder, tmp_path):
    path = tmp_path / "KPK.h5"
    shutil.copy(helped_folder / "KPK.h5", path)
    with open_table(path) as file:
        place = file.chunks.dataset(0, "white_mates").get_chunk_info(0).byte_offset
    content = bytearray(path.read_bytes())
    content[place + 9] ^= 4
    path.write_bytes(content)
    with pytest.raises(CorruptTableError):
        read_table(path, WHITE_MATES)
    read_table(path, DTM)
