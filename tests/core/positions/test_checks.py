"""Positions of three-check: the checks left in FENs and boards."""

import random

import chess.variant
import pytest
from support.variants import CHECKS, any_men, random_boards

from tablebase.core.ground.errors import UnsupportedPositionError
from tablebase.core.positions.any_position import as_position, read_position
from tablebase.core.positions.setup_fens import read_setup

KINGS_AND_ROOK = "8/8/8/8/8/2k5/1R6/K7 w - -"


def test_fens_are_those_of_python_chess():
    rng = random.Random(5)
    for board in random_boards(CHECKS, any_men(rng), 100, rng):
        board.ep_square = None
        setup = as_position(board)
        fen = f"{board.epd()} 0 1"
        assert setup.fen == fen == board.fen()
        assert read_setup(fen, CHECKS) == setup
        white, black = (3 - left for left in setup.checks)
        placed = fen.replace(f" {setup.checks[0]}+{setup.checks[1]}", "")
        assert read_setup(f"{placed} +{white}+{black}", CHECKS) == setup
        swapped = setup.swapped()
        assert swapped.fen.split()[4] == f"{setup.checks[1]}+{setup.checks[0]}"
        assert swapped.swapped() == setup


def test_a_fen_that_says_nothing_has_three_checks_left():
    for rest in ("", " 0 1", " 3+3", " 3+3 0 1", " 0 1 +0+0"):
        assert read_setup(KINGS_AND_ROOK + rest, CHECKS).checks == (3, 3)
    before_passed = f"{KINGS_AND_ROOK.removesuffix(' -')} 1+3 - 5 9"
    assert read_setup(before_passed, CHECKS).fen == f"{KINGS_AND_ROOK} 1+3 5 1"
    assert read_position(before_passed, CHECKS).board.checks == (1, 3)
    assert read_setup(f"{KINGS_AND_ROOK} 2+1 7 30", CHECKS).clock == 7


@pytest.mark.parametrize(
    ("rest", "words"),
    [
        (" 4+3 0 1", "is no number of checks"),
        (" 0 1 +9+0", "write those left, 3+3, or those given, +0+0"),
        (" 0+3 0 1", "the side to move has given its last check"),
        (" 0 1 +3+0", "the side to move has given its last check"),
    ],
)
def test_other_numbers_are_refused(rest, words):
    with pytest.raises(UnsupportedPositionError, match=words.replace("+", r"\+")):
        read_setup(KINGS_AND_ROOK + rest, CHECKS)


def test_a_board_with_more_checks_left_than_three_is_refused():
    board = chess.variant.ThreeCheckBoard(f"{KINGS_AND_ROOK} 3+3 0 1")
    board.remaining_checks[chess.BLACK] = 4
    with pytest.raises(UnsupportedPositionError, match=r"3\+4 checks are left in .* at most 3"):
        as_position(board)
