"""Search: the positions of a slot and those of a value are what a board of python-chess says."""

import numpy as np
import pytest
from support.few import few

from tablebase.core.board.geometry import Color
from tablebase.core.index.legality import NO_POSITION, WEIGHT_SHIFT, is_legal, mark_slots
from tablebase.core.index.weights import BROKEN
from tablebase.core.positions.chess_board import squares_of
from tablebase.core.storage.reading import open_table, read_table
from tablebase.core.tables.search import board_at, positions_with


def test_all_positions_with_a_code():
    boards = list(positions_with(read_table("data/KRK.h5"), Color.WHITE, 31))
    assert len(boards) == 121
    assert all(board.is_valid() and board.turn for board in boards)


@pytest.mark.thorough
@pytest.mark.parametrize("name", few(["KRK", "KPK"], "KPK"))
def test_as_many_positions_as_the_census_counts(name):
    path = f"data/{name}.h5"
    with open_table(path) as file:
        counts = file.attributes["counts"]
    table = read_table(path)
    for color, side in zip(Color, counts.values(), strict=True):
        for plies, number in side["inequivalent"]["dtm_histogram"]["loss"].items():
            assert len(list(positions_with(table, color, int(plies)))) == number


@pytest.mark.parametrize("name", few(["KK", "KRK", "KPK"], "KK", "KPK"))
def test_a_slot_has_a_board_if_its_position_is_legal(name):
    table = read_table(f"data/{name}.h5")
    marks = mark_slots(table.index)
    slots = np.random.default_rng(7).integers(0, table.index.size, 400)
    for color in Color:
        legal = is_legal(marks, color) & (marks >> WEIGHT_SHIFT != BROKEN)
        for slot in slots.tolist():
            board = board_at(table, slot, color)
            assert (board is not None) == legal[slot]
            if board is not None:
                assert board.turn == (color is Color.WHITE)
                assert table.index.encode(squares_of(board, table.material)) == slot


def test_slots_without_men_on_squares_of_their_own_have_no_board():
    table = read_table("data/KRK.h5")
    empty = np.flatnonzero(mark_slots(table.index) == NO_POSITION)[0]
    assert board_at(table, int(empty), Color.WHITE) is None
