"""Worths: the order of results, and what moves make of them, as the rules have it."""

import numpy as np
import pytest
from support.oracle import outcome_before, outcome_worth

from tablebase.board.metrics import METRICS
from tablebase.moves import worths

OUTCOMES = [0, *range(1, 255), *[~plies for plies in range(255)]]


def test_worths_put_results_in_order_of_preference():
    in_order = sorted(OUTCOMES, key=outcome_worth)
    found = worths.worths_of(np.array(in_order, dtype=np.int16)).tolist()
    assert found == sorted(set(found))
    assert found[0] == worths.MATED_WORTH > worths.NO_MOVE
    assert [worths.outcome_of(worth) for worth in found] == in_order


@pytest.mark.parametrize("metric", METRICS, ids=str)
def test_moves_make_of_worths_what_the_rules_say(metric):
    after = worths.worths_of(np.array(OUTCOMES, dtype=np.int16))
    for zeroing, before in (
        (False, worths.before_quiet_move(after)),
        (True, worths.before_zeroing_move(metric, after)),
    ):
        found = [worths.outcome_of(worth) for worth in before.tolist()]
        assert found == [outcome_before(metric, one, zeroing=zeroing) for one in OUTCOMES]
