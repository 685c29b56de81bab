"""Metrics: outcomes, what moves make of them, and results under the 50-move rule."""

import numpy as np
import pytest
from support import oracle
from support.oracle import outcome_before

from tablebase.core.outcomes.codes import DRAW, SIGNED_PLIES
from tablebase.core.outcomes.metrics import (
    DRAW_PREFERENCE,
    DTM,
    DTZ,
    MATED_PREFERENCE,
    METRICS,
    NO_MOVE,
    Outcome,
    Wdl50,
    make_outcomes,
    metric_named,
    preference,
    signed,
    signed_array,
    wdl50,
    wdl50_array,
)

OUTCOMES = [0, *range(1, 255), *(~plies for plies in range(255))]


def test_metrics_are_found_by_name():
    assert [metric_named(metric.name) for metric in METRICS] == [DTM, DTZ]
    with pytest.raises(ValueError, match="'dtc' is not a metric: write dtm or dtz"):
        metric_named("dtc")


def test_fixed_codes_mean_what_they_always_meant():
    assert signed_array(DTM.outcomes, DTM).tolist() == SIGNED_PLIES[:256].tolist()
    assert signed_array(DTM.long_outcomes, DTM).tolist() == SIGNED_PLIES.tolist()
    assert DTM.outcomes[[0, 1, 2, DRAW]].tolist() == [~0, 1, ~2, 0]


def test_codes_without_outcome_are_draws():
    assert make_outcomes([~0, 5]).tolist() == [~0, 5] + 254 * [0]


def test_preference_puts_fast_wins_first_and_long_losses_before_short_ones():
    order = [1, 3, 253, 0, ~40, ~2, ~0]
    assert sorted(sorted(order), key=preference, reverse=True) == order
    in_order = sorted(OUTCOMES, key=oracle.preference)
    found = [Outcome(outcome).preference for outcome in in_order]
    assert found == sorted(set(found))
    assert found[0] == MATED_PREFERENCE > NO_MOVE
    assert found[in_order.index(0)] == DRAW_PREFERENCE


def test_preference_is_its_own_inverse():
    assert [preference(preference(outcome)) for outcome in OUTCOMES] == OUTCOMES


@pytest.mark.parametrize("metric", METRICS, ids=str)
def test_a_quiet_move_takes_one_ply(metric):
    for outcome in OUTCOMES:
        before = Outcome(outcome).before(metric, zeroing=False)
        assert before.result == -np.sign(outcome)
        assert before.plies == (Outcome(outcome).plies + 1 if outcome else 0)


def test_after_a_zeroing_move_five_results_are_left():
    outcomes = [Outcome(outcome) for outcome in OUTCOMES]
    assert {one.before(DTZ, zeroing=True) for one in outcomes} == {1, 101, 0, ~101, ~1}
    for one in outcomes:
        assert wdl50(one.before(DTZ, zeroing=True)) == -wdl50(one)
        assert one.before(DTM, zeroing=True) == one.before(DTM, zeroing=False)


@pytest.mark.parametrize("metric", METRICS, ids=str)
@pytest.mark.parametrize("zeroing", [False, True])
def test_moves_make_of_outcomes_what_the_rules_say(metric, zeroing):
    found = [Outcome(outcome).before(metric, zeroing=zeroing) for outcome in OUTCOMES]
    assert found == [outcome_before(metric, outcome, zeroing=zeroing) for outcome in OUTCOMES]


@pytest.mark.parametrize(
    ("outcome", "clock", "result"),
    [
        (1, 99, Wdl50.WIN),
        (1, 100, Wdl50.CURSED_WIN),
        (100, 0, Wdl50.WIN),
        (101, 0, Wdl50.CURSED_WIN),
        (~100, 0, Wdl50.LOSS),
        (~99, 2, Wdl50.BLESSED_LOSS),
        (~0, 100, Wdl50.LOSS),  # mate was given before the draw could be claimed
        (0, 100, Wdl50.DRAW),
    ],
)
def test_the_clock_decides(outcome, clock, result):
    assert wdl50(outcome, clock) is result


def test_arrays_are_read_like_numbers():
    array = np.array(OUTCOMES, dtype=np.int16)
    assert wdl50_array(array).tolist() == [wdl50(one) for one in OUTCOMES]
    assert preference(array).tolist() == [preference(one) for one in OUTCOMES]
    for metric in METRICS:
        assert signed_array(array, metric).tolist() == [signed(one, metric) for one in OUTCOMES]
