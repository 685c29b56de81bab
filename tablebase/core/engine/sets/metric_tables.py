"""The choice of `MetricTables` by metric."""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING

import numpy as np

from tablebase.core.engine.sets.helpmate_values import help_tables, help_values
from tablebase.core.engine.sets.values import (
    MetricTables,
    dtm_tables,
    dtm_values,
    dtz_tables,
    dtz_values,
)
from tablebase.core.outcomes.metrics import DTM, DTZ, HELPMATES, Metric

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

_VALUES = {DTM: dtm_values, DTZ: dtz_values, **dict.fromkeys(HELPMATES, help_values)}
_MAKERS: dict[Metric, Callable[[], MetricTables]] = {
    DTM: dtm_tables,
    DTZ: dtz_tables,
    **{one: partial(help_tables, color) for color, one in enumerate(HELPMATES)},
}


def make_metric_tables(metric: Metric) -> MetricTables:
    """Return a metric as arrays for kernels."""
    if metric.offset and metric == DTZ:
        return dtz_tables(metric.offset)
    return _MAKERS[metric]()


def values_of_codes(metric: Metric, outcomes: NDArray[np.int16]) -> NDArray[np.uint8]:
    """Return the side to move's value by stored code of a sub-table, uint8 [256]."""
    if metric.offset and metric == DTZ:
        return dtz_values(outcomes, metric.offset)
    return _VALUES[metric](outcomes)


@cache
def frontier_count(metric: Metric) -> int:
    """Return the number of sets of last results that are kept: wins, and losses once or twice.

    Where a ply has both, its losses are found while its wins still need those of the ply before.
    """
    tables = make_metric_tables(metric)
    return 3 if (tables.wins_at & tables.losses_at).any() else 2
