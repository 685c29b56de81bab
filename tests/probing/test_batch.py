"""Batches: positions in all their forms become the same words."""

import chess
import numpy as np
import pytest
from support.oracle import random_boards

from tablebase.board.chess_board import squares_of, words_of_boards
from tablebase.board.material import Material
from tablebase.probing.batch import SquarePositions, boards_of, word_positions


@pytest.mark.parametrize("name", ["KRK", "KKR", "KNNK", "KPKP", "KBKRN"])
def test_squares_become_the_words_of_boards(name):
    material = Material.from_name(name)
    boards = list(random_boards(material, 30, seed=4))
    squares = np.array([squares_of(board, material) for board in boards])
    turns = [board.turn for board in boards]
    positions = SquarePositions(squares.astype(np.int64), material, turns)
    expected = words_of_boards(boards)
    assert len(positions) == 30
    assert positions.men == material.piece_count
    assert (positions.words(slice(5, 25)) == expected[5:25]).all()
    some = np.array([3, 29, 0])
    assert (positions.words(some) == expected[some]).all()
    assert (word_positions(boards).words(some) == expected[some]).all()


@pytest.mark.parametrize("wrong", [64, 255, 256, -1, -(2**40)])
def test_numbers_that_are_no_squares_leave_no_king(wrong):
    squares = np.array([[0, 10, wrong], [0, 10, 20]])
    words = SquarePositions(squares, Material.from_name("KRK"), turn=True).words(slice(0, 2))
    assert words[0, 5] == 0
    assert words[1, 5] == 1 + 2**10


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


def test_fens_become_boards():
    board = chess.Board()
    assert boards_of([board, chess.STARTING_FEN]) == [board, board]
    with pytest.raises(ValueError, match="position 1"):
        boards_of([board, "nonsense"])
