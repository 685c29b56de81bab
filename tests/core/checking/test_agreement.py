"""Distances to mate and to zeroing: what agrees, and that each contradiction is found."""

import numpy as np
import pytest

from tablebase.core.board.geometry import Color
from tablebase.core.checking.agreement import _agreeing, find_contradictions
from tablebase.core.outcomes.metrics import DTM, DTZ, make_outcomes
from tablebase.core.rules.material import Material
from tablebase.core.tables.table import Table

RIGHT = [(~0, ~0), (1, 1), (31, 31), (31, 2), (~30, ~30), (~30, ~1), (103, 101), (~102, ~101),
         (103, 100), (0, 0)]  # fmt: skip
WRONG = [(~0, ~1), (~0, 0), (~2, ~0), (1, 2), (31, 32), (31, ~30), (31, 0), (0, 31), (0, ~0),
         (99, 101), (~100, ~101), (~30, ~31), (~30, 30)]  # fmt: skip


def agrees(dtm, dtz):
    outcomes = make_outcomes([dtz])
    code = int(np.flatnonzero(DTM.outcomes == dtm)[0])
    return bool(_agreeing(DTM.outcomes, outcomes)[code, 255 if dtz == 0 else 0])


def test_what_may_belong_to_one_position():
    assert [both for both in RIGHT if not agrees(*both)] == []
    assert [both for both in WRONG if agrees(*both)] == []


@pytest.fixture(scope="module")
def both():
    """Return the two tables of KPK."""
    from tablebase.core.engine.driver import solve
    from tablebase.core.rules.material import closure, generation_order

    found = {}
    for metric in (DTM, DTZ):
        tables = {}
        for material in generation_order(closure([Material.from_name("KPK")])):
            tables[material] = solve(material, tables, metric=metric)
        found[metric] = tables[Material.from_name("KPK")]
    return found[DTM], found[DTZ]


def test_solved_tables_do_not_contradict(both):
    assert find_contradictions(*both) == (0, ())


@pytest.mark.parametrize("color", Color)
def test_each_contradiction_is_found(both, color):
    dtm, dtz = both
    rng = np.random.default_rng(17)
    far = np.abs(dtm.outcomes[color][dtm.codes[color]]) > 10
    slots = rng.choice(np.flatnonzero(far), 60, replace=False).tolist()
    sides = [codes.copy() for codes in dtz.codes]
    sides[color][slots] = 255
    wrong = Table(dtz.material, *sides, DTZ, dtz.outcomes)
    count, first = find_contradictions(dtm, wrong, limit=1000)
    # Slots of illegal positions may hold anything.
    assert {one.index for one in first} <= {*slots}
    assert len(first) == count > 20
    assert all(abs(one.dtm) > 10 and one.dtz == 0 for one in first)
    assert all(one.fen.split()[1] == "wb"[color] for one in first)
    few = find_contradictions(dtm, wrong, limit=3, threads=1)
    assert few == (count, first[:3])
    assert str(first[0]).endswith("but a draw by distance to zeroing")
