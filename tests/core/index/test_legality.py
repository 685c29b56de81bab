"""Legality: marks of all slots against python-chess and against the numbering."""

import numpy as np
import pytest

from tablebase.core.board.geometry import Color
from tablebase.core.index.legality import (
    NO_POSITION,
    WEIGHT_SHIFT,
    find_legal,
    is_legal,
    mark_slots,
)
from tablebase.core.index.numbering import table_index
from tablebase.core.index.weights import BROKEN
from tablebase.core.positions.chess_board import board_of
from tablebase.core.rules.material import Material


@pytest.mark.parametrize(
    "name",
    [
        *("KK", "KRK", "KPK", "KBKN", "KPKP", "KQPK"),
        pytest.param("KRPKB", marks=pytest.mark.slow),
    ],
)
def test_marks(name):
    material = Material.from_name(name)
    index = table_index(material)
    marks = mark_slots(index)
    rng = np.random.default_rng(4)
    slots = np.unique(rng.integers(0, index.size, 700))
    squares, valid = index.decode_many(slots)
    weights = marks[slots] >> WEIGHT_SHIFT
    no_position = marks[slots] == NO_POSITION
    assert np.array_equal(valid, ~no_position & (weights != BROKEN))
    checked = 0
    for row, mark in zip(squares[~no_position], marks[slots][~no_position], strict=True):
        for color in Color:
            board = board_of(material, row.tolist(), color is Color.WHITE)
            assert is_legal(np.array([mark]), color)[0] == (not board.was_into_check())
            checked += 1
    assert checked > 250 or index.size < 700


@pytest.mark.parametrize("name", ["KRK", "KPPK"])
def test_threads_make_no_difference(name):
    index = table_index(Material.from_name(name))
    assert np.array_equal(mark_slots(index, threads=1), mark_slots(index, threads=3))


@pytest.mark.parametrize("name", ["KK", "KPK", "KBKN", "KPKP"])
def test_bits_are_those_of_the_marks(name):
    index = table_index(Material.from_name(name))
    marks = mark_slots(index)
    bits = np.unpackbits(find_legal(index, threads=2).view(np.uint8), axis=2, bitorder="little")
    for color in Color:
        by_row = is_legal(marks, color).reshape(-1, index.king_pairs)
        assert np.array_equal(bits[color, :, : index.king_pairs], by_row)
        assert not bits[color, :, index.king_pairs :].any()
