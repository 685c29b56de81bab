"""Batches: positions in all their forms become the same words."""

import chess
import numpy as np
import pytest
from support.oracle import random_boards

from tablebase.core.ground.errors import UnsupportedPositionError
from tablebase.core.positions.chess_board import squares_of, words_of_boards
from tablebase.core.reading.given import GivenPositions, SquarePositions, read_given
from tablebase.core.rules.material import Material


@pytest.mark.parametrize("name", ["KRK", "KKR", "KNNK", "KPKP", "KBKRN"])
def test_squares_become_the_words_of_boards(name):
    material = Material.from_name(name)
    boards = list(random_boards(material, 30, seed=4))
    squares = np.array([squares_of(board, material) for board in boards])
    turns = [board.turn for board in boards]
    positions = SquarePositions(squares.astype(np.int64), material, turns)
    expected = words_of_boards(boards)
    assert len(positions) == 30
    assert (positions.words(slice(5, 25)) == expected[5:25]).all()
    some = np.array([3, 29, 0])
    assert (positions.words(some) == expected[some]).all()
    assert (GivenPositions(boards).words(some) == expected[some]).all()


@pytest.mark.parametrize(
    ("squares", "message"),
    [
        (np.zeros((5, 4), np.uint8), r"shape \[n, 3\] for KRK, got \[5, 4\]"),
        (np.zeros(3, np.uint8), r"got \[3\]"),
        (np.zeros((5, 3)), "integers"),
    ],
)
def test_arrays_must_fit_the_material(squares, message):
    with pytest.raises(ValueError, match=message):
        SquarePositions(squares, Material.from_name("KRK"), turn=True)


def test_boards_and_fens_become_the_same():
    board = chess.Board("8/8/8/8/8/2k5/1R6/K7 w - - 7 1")
    given = read_given([board, board.fen(), board.fen(), board])
    assert len(given) == 4
    assert (given.words(slice(0, 4)) == words_of_boards([board])).all()
    assert given.clocks.tolist() == [7] * 4
    assert not given.singles
    assert [given.board(i) for i in range(4)] == [board] * 4
    assert len(read_given([])) == 0
    assert len(read_given(fen for fen in [board.fen()] * 3)) == 3


def test_what_cannot_be_read_is_named_by_its_place():
    board = chess.Board()
    with pytest.raises(ValueError, match="position 1: not a valid FEN"):
        read_given([board, "nonsense", "more of it"])
    given = GivenPositions([board, "nonsense"])
    assert list(given.errors) == [1]
    assert not given.words(slice(1, 2)).any()
    with pytest.raises(TypeError, match="position 0"):
        read_given([None, board])
    with pytest.raises(TypeError, match="a list"):
        read_given(chess.STARTING_FEN)


def test_operations_of_epds_are_passed_over_but_for_the_clock():
    men = "8/8/8/8/8/2k5/1R6/K7 w - -"
    texts = [men, f'{men} dm 16; id "a_b";', f"{men} hmvc 30; fmvn 40;", f"{men};", f"{men} 30 40"]
    given = GivenPositions(texts)
    assert not given.errors
    assert given.clocks.tolist() == [0, 0, 30, 0, 30]
    assert (given.words(slice(0, 5)) == words_of_boards([chess.Board(texts[0])])).all()
    assert list(GivenPositions([f"{men} - dm 16;"]).errors) == [0]


def test_the_clock_of_an_epd_is_a_number():
    men = "8/8/8/8/8/2k5/1R6/K7 w - -"
    for clock in ("x", "", "-1", "+3", "\u0663", "3 4", '"3"'):
        for operations in (f"hmvc {clock};", f"dm 16; hmvc {clock}"):
            given = GivenPositions([f"{men} {operations}"])
            assert f"{clock!r} is not a halfmove clock in {men!r}"[:-1] in given.errors[0]
    for wrong in ("hmvc", "x", "hmvc 3", "o 1"):  # in place of a FEN's own clock
        assert " is not a halfmove clock in " in GivenPositions([f"{men} {wrong}"]).errors[0]
    # What is said in a text is no operation.
    texts = [f'{men} c0 "a; hmvc 9; b"; hmvc 7;', f'{men} c0 "hmvc x";', f"{men} hmvcs 3;"]
    given = GivenPositions(texts)
    assert not given.errors
    assert given.clocks.tolist() == [7, 0, 0]


def test_rights_are_kept_with_their_boards():
    castling, passing = "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "8/8/8/2pP4/8/8/8/K6k w - c6 0 1"
    dropped = ["4k3/8/8/8/8/8/8/4KR2 w K - 0 1", "8/8/8/2p5/8/8/8/K6k w - c6 0 1"]
    given = read_given([castling, passing, *dropped])
    assert list(given.singles) == [0, 1]
    assert given.singles[0].castling_rights
    assert given.singles[1].ep_square == chess.C6
    with pytest.raises(UnsupportedPositionError):
        GivenPositions(["8/8 w"]).board(0)
