"""Boards: conversions to and from python-chess, and which positions have a value."""

import chess
import pytest
from oracle import random_boards

from tablebase.boards import (
    board_of,
    board_words,
    check_supported,
    material_of,
    squares_of,
    words_of_boards,
)
from tablebase.errors import UnsupportedPositionError
from tablebase.material import Material

NAMES = ("KRK", "KPK", "KNNK", "KQKP", "KPKP", "KRBKN", "KK")


@pytest.mark.parametrize("name", NAMES)
def test_squares_and_boards_convert_into_each_other(name):
    material = Material.from_name(name)
    for board in random_boards(material, 20, seed=1):
        assert material_of(board) == material
        assert board_of(material, squares_of(board, material).tolist(), board.turn) == board


def test_words_are_the_bitboards():
    board = chess.Board("8/8/8/8/8/2k1n3/8/K2R4 b - - 0 1")
    assert words_of_boards([board, board]).tolist() == [list(board_words(board))] * 2
    assert words_of_boards([]).shape == (0, 8)
    assert words_of_boards([chess.Board()])[0, 6] == 0xFFFF


UNSUPPORTED = {
    "castling rights": "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
    "6 men": "4k3/8/8/8/8/8/PPPP4/4K3 w - - 0 1",
    "white has 2 kings": "4k3/8/8/8/8/8/8/K3K3 w - - 0 1",
    "black has 0 kings": "8/8/8/8/8/8/8/4K2R w - - 0 1",
    "first or last rank": "4k3/8/8/8/8/8/8/4K2P w - - 0 1",
    "could take the king": "4k2R/8/8/8/8/8/8/4K3 w - - 0 1",
    "en-passant square": "4k3/8/8/3P4/8/8/8/4K3 w - e6 0 1",
}


@pytest.mark.parametrize(("reason", "fen"), UNSUPPORTED.items())
def test_unsupported_positions_are_named(reason, fen):
    with pytest.raises(UnsupportedPositionError, match=reason) as raised:
        check_supported(chess.Board(fen))
    assert fen.split()[0] in str(raised.value)
