"""Tables with distances beyond a byte: made up, since the shortest has six men."""

import hashlib

import chess
import h5py
import numpy as np
import pytest
from support.made_up import made_up_table, much_later

from tablebase import open_tablebase
from tablebase.core.board.geometry import Color
from tablebase.core.ground.errors import CorruptTableError
from tablebase.core.index.legality import is_legal, mark_slots
from tablebase.core.outcomes.codes import SIGNED_PLIES
from tablebase.core.outcomes.metrics import DTM
from tablebase.core.positions.chess_board import board_of
from tablebase.core.rules.material import Material
from tablebase.core.storage.reading import open_table, read_table
from tablebase.core.storage.table_names import table_path
from tablebase.core.storage.writing import write_table
from tablebase.core.tables.census import take_census
from tablebase.core.tables.table import Table

KRKN = Material.from_name("KRKN")
ADDED = 508  # plies


@pytest.fixture(scope="module")
def long_table(solved):
    return much_later(solved[KRKN])


@pytest.fixture(scope="module")
def folder(long_table, tmp_path_factory):
    folder = tmp_path_factory.mktemp("long")
    write_table(long_table, table_path(folder, KRKN))
    return folder


def test_a_file_gives_back_what_was_written(long_table, folder):
    table = read_table(table_path(folder, KRKN))
    marks = mark_slots(table.index)
    for color, codes, written in zip(Color, table.codes, long_table.codes, strict=True):
        legal = is_legal(marks, color)
        assert codes.dtype == np.uint16
        assert np.array_equal(codes[legal], written[legal])


def test_the_file_is_as_its_format_says(folder):
    with open_table(table_path(folder, KRKN)) as file:
        assert file.attributes["format_version"] == 4
        assert "254 plies are to be added" in file.attributes["encoding"]
        stated = file.sha256_of(DTM)
    with h5py.File(table_path(folder, KRKN)) as file:
        low, epochs = hashlib.sha256(), hashlib.sha256()
        for side in ("white_to_move", "black_to_move"):
            low.update(file[side]["dtm"][:].data)
            epochs.update(file[side]["dtm_epoch"][:].data)
            assert set(np.unique(file[side]["dtm_epoch"])) == {0, 2}
    low.update(epochs.digest())
    assert low.hexdigest() == stated


def test_rows_may_be_read_alone(long_table, folder):
    rows = np.zeros(64 * 63, dtype=np.bool_)
    rows[::7] = True
    with open_table(table_path(folder, KRKN)) as file:
        codes = file.codes(Color.WHITE, rows=rows).reshape(len(rows), -1)[rows]
    marks = mark_slots(long_table.index).reshape(len(rows), -1)[rows]
    legal = is_legal(marks, Color.WHITE)
    assert np.array_equal(codes[legal], long_table.white.reshape(len(rows), -1)[rows][legal])


def test_counts_know_the_long_distances(solved, long_table, folder):
    short, census = take_census(solved[KRKN]).white_to_move, take_census(long_table).white_to_move
    assert census.longest_win.plies == short.longest_win.plies + ADDED
    assert census.longest_win.fen == short.longest_win.fen
    moved = {n + ADDED if n > 40 else n: count for n, count in short.whole_board.wins.items()}
    assert census.whole_board.wins == moved
    assert census.whole_board.draw == short.whole_board.draw
    with open_table(table_path(folder, KRKN)) as file:
        assert file.counts["white_to_move"]["longest_win"]["plies"] == census.longest_win.plies


def test_probes_know_the_long_distances(long_table, folder, tables_dir):
    rng = np.random.default_rng(3)
    slots = rng.integers(long_table.index.size, size=400)
    squares, valid = long_table.index.decode_many(slots)
    marks = mark_slots(long_table.index)[slots]
    with open_tablebase(folder) as long, open_tablebase(tables_dir) as short:
        long.add_directory(tables_dir)
        for color in Color:
            chosen = valid & is_legal(marks, color)
            boards = [board_of(KRKN, row.tolist(), color == Color.WHITE) for row in squares[chosen]]
            plies, found = long.probe_dtm_many(boards)
            assert found.all()
            assert plies.tolist() == SIGNED_PLIES[long_table.codes[color][slots[chosen]]].tolist()
            assert plies.tolist() == [long.probe_dtm(board) for board in boards]
            wdl = [short.probe_wdl(board) for board in boards]
            assert [long.probe_wdl(board) for board in boards] == wdl
            assert long.probe_wdl_many(boards)[0].tolist() == wdl
        mixed = [*boards, chess.Board("8/8/8/8/8/2k5/1R6/K7 w - - 0 1")]
        assert long.probe_dtm_many(mixed)[0].tolist() == [long.probe_dtm(b) for b in mixed]


@pytest.mark.parametrize("ask", ["probe_dtm", "probe_wdl", "probe_dtm_many"])
def test_an_epoch_that_no_distance_has_is_damage(tmp_path, ask):
    table = made_up_table("KRK")
    long = [codes.astype(np.uint16) + 256 for codes in table.codes]
    write_table(Table(table.material, *long), tmp_path / "KRK.h5")
    with h5py.File(tmp_path / "KRK.h5", "r+") as file:
        epochs = file["white_to_move/dtm_epoch"]
        epochs[:] = epochs[:] + 3  # 4, with right checksums of all chunks
    board = chess.Board("8/8/8/8/8/2k5/1R6/K7 w - - 0 1")
    with open_tablebase(tmp_path) as tables, pytest.raises(CorruptTableError, match="epoch"):
        getattr(tables, ask)([board] if ask.endswith("many") else board)


def test_files_without_long_distances_stay_as_they_are(tables_dir):
    with open_table(table_path(tables_dir, KRKN)) as file:
        assert file.attributes["format_version"] == 3
        assert file.parts(DTM) == ["dtm"]
