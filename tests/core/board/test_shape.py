"""Smaller boards, and boards with walls, as squares of the board of 8 x 8."""

import pickle

import pytest

from tablebase.core.board.geometry import SQUARES
from tablebase.core.board.shape import FULL_BOARD, BoardShape, signed_word
from tablebase.core.board.symmetry import D4, FLIP
from tablebase.core.ground.errors import InvalidRulesError


@pytest.mark.parametrize(
    ("files", "ranks", "corner", "symmetries"),
    [
        (8, 8, 0, set(range(8))),
        (6, 6, 9, set(range(8))),
        (4, 8, 2, {0, 1, 2, 3}),
        (4, 5, 2, {0, 1}),
        (5, 6, 8, {0, 2}),
        (5, 5, 0, {0, 4}),
        (3, 7, 0, {0}),
    ],
)
def test_where_a_board_lies(files, ranks, corner, symmetries):
    board = BoardShape(files, ranks)
    assert board.squares[0] == corner == board.square_of("a1")
    assert len(board.squares) == files * ranks
    assert board.symmetries == symmetries
    names = [board.name_of(square) for square in board.squares]
    assert names == [f"{file}{rank + 1}" for rank in range(ranks) for file in "abcdefgh"[:files]]
    assert [board.square_of(name) for name in names] == list(board.squares)


@pytest.mark.parametrize("size", [(8, 8), (6, 6), (4, 5), (5, 5), (7, 3)])
def test_the_exchange_of_colours_turns_the_board_over(size):
    board = BoardShape(*size)
    for square in board.squares:
        name = board.name_of(square)
        assert board.name_of(board.flip[square]) == name[0] + str(size[1] + 1 - int(name[1]))
    assert sorted(board.flip.tolist()) == list(range(SQUARES))


def test_the_whole_board():
    assert BoardShape() == FULL_BOARD
    assert FULL_BOARD.flip.tolist() == D4[FLIP].tolist()
    assert FULL_BOARD.outside == 0
    assert signed_word([63]) == -(2**63)


def test_walls():
    board = BoardShape(walls="e5 d4 e4 d5")
    assert board.walls == "d4 e4 d5 e5"
    assert len(board.squares) == 60
    assert board.symmetries == set(range(8))
    assert board.on(3, 3) is None
    assert board.outside == 1 << 27 | 1 << 28 | 1 << 35 | 1 << 36
    assert BoardShape(walls="a4 a5").symmetries == {0, 2}


@pytest.mark.parametrize(
    ("size", "walls", "message"),
    [
        ((9, 8), "", "from 3 to 8 files"),
        ((8, 2), "", "from 3 to 8 ranks"),
        ((5, 5), "f1", "'f1' is not a square of a board of 5x5"),
        ((8, 8), "d4", "must look the same from both sides"),
    ],
)
def test_boards_that_cannot_be(size, walls, message):
    with pytest.raises(InvalidRulesError, match=message):
        BoardShape(*size, walls)


def test_there_is_no_man_on_a_wall():
    with pytest.raises(InvalidRulesError, match="a wall on d4"):
        BoardShape(walls="d4 d5").square_of("d4")


def test_arrays_of_a_board_from_another_process_are_constants():
    board = BoardShape(6, 6, "a1 f6 a6 f1")
    assert not board.flip.flags.writeable
    copy = pickle.loads(pickle.dumps(board))
    assert copy == board
    assert not copy.flip.flags.writeable
