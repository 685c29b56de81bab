"""Positions of three-check: moves, checks left and ends as python-chess has them."""

import random

import chess.variant
import pytest
from support.checks import CHECKS, random_boards

from tablebase.core.ground.errors import UnsupportedPositionError
from tablebase.core.positions.any_position import as_position, read_position
from tablebase.core.positions.setup_fens import read_setup

KINGS_AND_ROOK = "8/8/8/8/8/2k5/1R6/K7 w - -"


def test_moves_and_ends_are_those_of_python_chess():
    ends = dict.fromkeys(("checkmate", "third check", None), 0)
    mate = chess.variant.ThreeCheckBoard("7k/8/6K1/8/8/8/Q7/8 w - - 3+3 0 1")
    for board in [mate, *random_boards(60, random.Random(4))]:
        setup = as_position(board)
        assert setup.rules == CHECKS
        moves = {move.uci(): move.after for move in setup.moves()}
        assert {*moves} == {move.uci() for move in board.legal_moves}
        for uci, after in moves.items():
            board.push_uci(uci)
            assert after._replace(passed=None) == as_position(board)._replace(passed=None)
            assert (after.end == "third check") == board.is_variant_end()
            assert (after.end == "checkmate") == (
                board.is_checkmate() and not board.is_variant_end()
            )
            assert (after.final_outcome() == ~0) == (
                board.is_checkmate() or board.is_variant_loss()
            )
            if after.end in ends:
                ends[after.end] += 1
            board.pop()
    assert min(ends.values()) > 0, ends


def test_fens_are_those_of_python_chess():
    for board in random_boards(100, random.Random(5)):
        setup = as_position(board)
        fen = f"{board.epd()} 0 1"
        assert setup.fen == fen == board.fen()
        assert read_setup(fen, CHECKS) == setup
        white, black = (3 - left for left in setup.checks)
        placed = fen.replace(f" {setup.checks[0]}+{setup.checks[1]}", "")
        assert read_setup(f"{placed} +{white}+{black}", CHECKS) == setup
        turned = setup.exchanged()
        assert turned.fen.split()[4] == f"{setup.checks[1]}+{setup.checks[0]}"
        assert turned.exchanged() == setup


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
