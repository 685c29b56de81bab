"""The sets of a slice. What plies make of them are whole tables, see test_driver."""

import numpy as np

from tablebase.core.engine.plies.arrays import Memory
from tablebase.core.engine.plies.sets import TRANSIENT_SETS, make_sets


def test_sets_begin_without_frontier():
    sets = make_sets(5, 4, 2)
    assert not sets.reach.any()
    assert not sets.reach_lines.any()
    assert not sets.frontier_lines.any()
    assert sets.values.shape == (2, 4 * 4096)


def test_only_passing_sets_lie_in_spare_memory():
    spare = np.full(10**6, 7, dtype=np.uint8)
    sets = make_sets(5, 4, 2, Memory(spare))
    assert not sets.reach.any()
    for name, array in zip(sets._fields, sets, strict=True):
        assert np.shares_memory(array, spare) == (name in TRANSIENT_SETS)
