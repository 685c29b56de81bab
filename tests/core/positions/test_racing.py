"""Positions of racing kings: who has arrived, and what is refused."""

import pytest
from support.variants import RACING

from tablebase.core.ground.errors import UnsupportedPositionError
from tablebase.core.outcomes.metrics import ARRIVED_OUTCOME
from tablebase.core.positions.setup_fens import read_setup


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
