"""Values while solving: their order, one ply more, and numbers for results that are found."""

from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pytest
from support.oracle import preference_of_code

from tablebase.core.engine.out.children import make_found
from tablebase.core.engine.sets import values as engine_values
from tablebase.core.engine.sets.metric_tables import make_metric_tables, values_of_codes
from tablebase.core.engine.sets.values import (
    LOSS,
    NO_SEED,
    WIN,
    claim_value,
    claimed_results,
)
from tablebase.core.jit.records import KernelRecord
from tablebase.core.outcomes.codes import DRAW
from tablebase.core.outcomes.metrics import DTM, DTZ, METRICS, Outcome, make_outcomes, preference

CODES = np.arange(256)


def dtz_values(*outcomes):
    codes = values_of_codes(DTZ, make_outcomes(list(outcomes)))
    return codes[: len(outcomes)].tolist()


def test_values_of_mates_are_in_order_of_preference():
    values, codes = values_of_codes(DTM, DTM.outcomes).tolist(), CODES.tolist()
    assert sorted(codes, key=preference_of_code) == sorted(codes, key=values.__getitem__)
    assert len(set(values)) == 256
    assert make_metric_tables(DTM).stored[values].tolist() == CODES.tolist()


def test_values_after_a_move_are_one_ply_longer():
    tables = make_metric_tables(DTM)
    values = values_of_codes(DTM, DTM.outcomes)
    after = tables.stored[tables.negated[values]]
    assert after[:254].tolist() == list(range(1, 255))
    assert after[DRAW] == DRAW


def test_results_of_zeroing_moves_are_in_order_of_preference():
    outcomes = [~0, ~100, ~101, ~254, 0, 101, 254, 1, 100]
    values = dtz_values(*outcomes)
    assert values == sorted(values)
    assert len(set(values)) == 5
    assert min(values) > engine_values.NO_MOVE_OUT


@pytest.mark.parametrize("outcome", [~0, ~1, ~100, ~101, ~200, 0, 1, 100, 101, 200])
def test_a_zeroing_move_enters_in_the_ply_of_its_distance(outcome):
    tables = make_metric_tables(DTZ)
    (value,) = tables.negated[dtz_values(outcome)].tolist()
    before = Outcome(outcome).before(DTZ, zeroing=True)
    if before == 0:
        assert not np.any(tables.seeds[:, 1:] == value)
        return
    kind, ply = (WIN, before) if before > 0 else (LOSS, ~before)
    assert tables.seeds[kind, ply] == value
    assert tables.seed_ply[value] == ply
    assert np.count_nonzero(tables.seeds == value) == 1


@pytest.mark.parametrize("metric", METRICS, ids=str)
def test_moves_out_of_one_value_are_better_the_larger_it_is(metric):
    tables = make_metric_tables(metric)
    outcomes = [~0, ~2, ~100, ~102, 0, 101, 1] if metric == DTM else [~0, ~101, 0, 102, 1]
    if metric == DTM:
        values = values_of_codes(DTM, DTM.outcomes)
        codes = [DRAW if one == 0 else max(one, ~one) for one in outcomes]
        after = tables.negated[values[codes]].tolist()
    else:
        after = tables.negated[dtz_values(*outcomes)].tolist()
    before = [Outcome(one).before(metric, zeroing=True) for one in outcomes]
    order = sorted(range(len(outcomes)), key=lambda i: after[i])
    assert order == sorted(range(len(outcomes)), key=lambda i: preference(before[i]))


def test_results_get_numbers_once_whoever_asks_first():
    tables = make_metric_tables(DTZ)
    own = SimpleNamespace(
        values=np.zeros((1, 2, 256), np.uint8), values_after=np.zeros((1, 2, 256), np.uint8)
    )
    found_values = make_found(tables, own)
    records = KernelRecord(tables), KernelRecord(found_values)
    asked = [(kind, color, ply) for ply in range(100) for kind in (WIN, LOSS) for color in (0, 1)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda one: claim_value(*records, *map(np.int64, one)), 4 * asked))
    assert found == 4 * found[: len(asked)]
    for color in (0, 1):
        results = claimed_results(found_values, color)
        assert sorted(value for _, value in results) == list(range(200))
        assert {outcome for outcome, _ in results} == {*range(100), *(~n for n in range(100))}
        for outcome, value in results:
            assert found_values.own_values[color, value] == dtz_values(outcome or 1)[0]


def test_no_seed_is_taken_for_a_result():
    tables = make_metric_tables(DTZ)
    seeds = set(tables.seeds.ravel().tolist()) - {NO_SEED, engine_values.NO_MOVE_OUT}
    assert min(seeds) >= tables.most_claims
    assert tables.draw_value not in seeds
