"""Positions of racing kings: moves, checks and ends as python-chess has them."""

import random

import chess
import pytest
from support.racing import RACING, random_boards

from tablebase.core.ground.errors import UnsupportedPositionError
from tablebase.core.outcomes.metrics import ARRIVED_OUTCOME
from tablebase.core.positions.any_position import as_position
from tablebase.core.positions.setup_fens import read_setup


def test_moves_and_ends_are_those_of_python_chess():
    ends = dict.fromkeys(("goal", "stalemate", None), 0)
    outcomes, answered, illegal = dict.fromkeys((~0, 0, ARRIVED_OUTCOME, None), 0), 0, 0
    for board in random_boards(400, random.Random(4)):
        setup = as_position(board)
        assert setup.rules == RACING
        raced = board.turn == chess.BLACK and board.king(chess.BLACK) >= chess.A8
        is_safe = not (board.is_check() or board.was_into_check() or raced)
        assert setup.is_legal() == is_safe
        if not is_safe:
            illegal += 1
            continue
        moves = {move.uci(): move.after for move in setup.moves()}
        over = board.is_variant_end()
        assert {*moves} == {move.uci() for move in ([] if over else board.legal_moves)}
        assert (setup.end == "goal") == over
        assert (setup.end == "stalemate") == board.is_stalemate()
        answered += not over and board.king(chess.WHITE) >= chess.A8
        expected = 0 if board.is_stalemate() or (over and board.is_variant_draw()) else None
        expected = ~0 if board.is_variant_loss() else expected
        expected = ARRIVED_OUTCOME if board.is_variant_win() else expected
        assert setup.final_outcome() == expected
        ends[setup.end] += 1
        outcomes[expected] += 1
        for uci, after in moves.items():
            board.push_uci(uci)
            assert after == as_position(board)._replace(clock=after.clock)
            assert after.is_legal()
            board.pop()
    assert min(*ends.values(), *outcomes.values(), answered, illegal) > 0, (ends, outcomes)


@pytest.mark.parametrize(
    ("fen", "end", "outcome"),
    [
        ("K7/7k/8/8/8/8/8/8 b", None, None),
        ("K7/8/7k/8/8/8/8/8 b", "goal", ~0),
        ("K7/7k/8/8/8/8/8/6R1 b", None, None),
        ("K7/7k/8/8/8/8/5Q2/6R1 b", None, None),
        ("K7/7k/8/8/8/2B5/8/6R1 b", "goal", ~0),
        ("K6k/8/8/8/8/8/8/8 w", "goal", 0),
        ("K7/8/7k/8/8/8/8/8 w", "goal", ARRIVED_OUTCOME),
        ("7k/8/8/K7/8/8/8/8 w", "goal", ~0),
        ("8/8/8/8/8/1rn5/8/K6k w", "stalemate", 0),
    ],
)
def test_white_who_arrives_has_won_unless_black_can_answer(fen, end, outcome):
    setup = read_setup(fen, RACING)
    assert (setup.end, setup.final_outcome()) == (end, outcome)


@pytest.mark.parametrize(
    ("fen", "message"),
    [
        ("8/8/8/8/8/2k5/1R6/K1r5 w", "a king is in check, which no move may give"),
        ("7k/8/8/K7/8/8/8/8 b", "the game is over, or a king is in check"),
        ("8/8/8/8/8/8/P7/K6k w", "'P' in the rank 'P7' is not a piece of racingkings"),
    ],
)
def test_what_cannot_be_is_refused(fen, message):
    with pytest.raises(UnsupportedPositionError, match=message):
        read_setup(fen, RACING)


def test_a_race_that_is_over_is_of_no_table():
    with pytest.raises(UnsupportedPositionError, match="a king has reached its goal"):
        read_setup("K7/8/7k/8/8/8/8/8 w", RACING).setup()
