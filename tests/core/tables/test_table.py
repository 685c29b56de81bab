"""Table: read-only codes, and the other side of a symmetric material."""

import chess
import numpy as np
import pytest

from tablebase.core.board.geometry import Color
from tablebase.core.index.numbering import table_index
from tablebase.core.positions.chess_board import board_of
from tablebase.core.rules.material import Material
from tablebase.core.tables.census import take_census
from tablebase.core.tables.table import Table, stored_sides, swap_colors


def test_codes_must_fit_the_index():
    codes = np.zeros(461, dtype=np.uint8)
    with pytest.raises(ValueError, match="462"):
        Table(Material.from_name("KK"), codes, codes)


def test_codes_cannot_be_changed():
    codes = np.zeros(462, dtype=np.uint8)
    table = Table(Material.from_name("KK"), codes, codes)
    with pytest.raises(ValueError, match="read-only"):
        table.white[0] = 1


@pytest.mark.parametrize("name", ["KNKN", "KPKP"])
def test_exchanging_colors(name):
    material = Material.from_name(name)
    index = table_index(material)
    rng = np.random.default_rng(5)
    white = rng.integers(0, 256, index.size, dtype=np.uint8)
    black = swap_colors(material, white)
    squares, valid = index.decode_many(rng.integers(0, index.size, 2000))
    legal = [not board_of(material, s, chess.BLACK).was_into_check() for s in squares.tolist()]
    squares = squares[valid & legal]
    # White's men go where Black's are seen from the other side of the board.
    slots, images = index.encode_many(squares), index.encode_many(squares[:, [1, 0, 3, 2]] ^ 56)
    assert np.array_equal(black[slots], white[images])
    census = take_census(Table(material, white, black))
    assert census.white_to_move.whole_board == census.black_to_move.whole_board


def test_exchanging_colors_of_different_sides():
    material = Material.from_name("KRKN")
    with pytest.raises(ValueError, match="KRKN"):
        swap_colors(material, np.zeros(1, dtype=np.uint8))


def test_stored_sides():
    assert stored_sides(Material.from_name("KRKR")) == (Color.WHITE,)
    assert stored_sides(Material.from_name("KRK")) == (Color.WHITE, Color.BLACK)
