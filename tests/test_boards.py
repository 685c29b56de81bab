"""Boards: conversions to and from python-chess, and the image that stands in the table."""

import chess
import pytest
from oracle import random_boards

from tablebase.boards import (
    board_of,
    board_words,
    canonical_position,
    check_supported,
    material_of,
    squares_of,
    words_of_boards,
)
from tablebase.errors import UnsupportedPositionError
from tablebase.index import table_index
from tablebase.material import Material
from tablebase.symmetry import transform_bits

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


@pytest.mark.parametrize("name", NAMES)
def test_all_images_have_one_canonical_position(name):
    material = Material.from_name(name)
    index = table_index(material)
    for board in random_boards(material, 10, seed=2):
        found = canonical_position(board)
        for symmetry in index.symmetries:
            image = board.copy()
            image.apply_transform(lambda bits, t=symmetry: transform_bits(t, bits))
            for position in (image, image.mirror()):
                same = canonical_position(position)
                assert (same.material, same.index, same.board) == (
                    material,
                    found.index,
                    found.board,
                )


@pytest.mark.parametrize("name", NAMES)
def test_a_canonical_position_tells_how_it_came_about(name):
    for board in random_boards(Material.from_name(name), 10, seed=3):
        for position in (board, board.mirror()):
            found = canonical_position(position)
            image = position.mirror() if found.colors_swapped else position.copy()
            image.apply_transform(lambda bits, t=found.symmetry: transform_bits(t, bits))
            assert image.board_fen() == found.board.board_fen()
            assert image.turn == found.board.turn
            assert found.symmetry_name


def test_the_weaker_side_is_black():
    board = chess.Board("8/8/8/8/8/2K5/8/k2r4 w - - 0 1")
    found = canonical_position(board)
    assert found.material.name == "KRK"
    assert found.colors_swapped
    assert found.board.turn == chess.BLACK


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


def test_canonical_positions_are_legal():
    with pytest.raises(UnsupportedPositionError, match="take the king"):
        canonical_position(chess.Board("4k2R/8/8/8/8/8/8/4K3 w - - 0 1"))
