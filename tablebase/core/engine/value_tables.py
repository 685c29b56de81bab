"""The choice of `ValueTables` by metric."""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tablebase.core.engine.cooperative import help_value_tables, help_values
from tablebase.core.engine.values import (
    ValueTables,
    dtm_value_tables,
    dtm_values,
    dtz_value_tables,
    dtz_values,
)
from tablebase.core.outcomes.metrics import DTM, DTZ, HELPMATES, Metric

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

_VALUES = {DTM: dtm_values, DTZ: dtz_values, **dict.fromkeys(HELPMATES, help_values)}
_Maker: TypeAlias = "Callable[[tuple[NDArray[np.uint8], NDArray[np.uint8]]], ValueTables]"
_MAKERS: dict[Metric, _Maker] = {
    DTM: dtm_value_tables,
    DTZ: dtz_value_tables,
    **{one: partial(help_value_tables, mating=color) for color, one in enumerate(HELPMATES)},
}


def make_value_tables(
    metric: Metric, own: tuple[NDArray[np.uint8], NDArray[np.uint8]]
) -> ValueTables:
    """Return the tables of values of a metric.

    `own` are the table's own `Codes.values` and `Codes.values_after`, each [2, 256], filled in as
    results are found where they are not known beforehand.
    """
    if metric.offset and metric == DTZ:
        return dtz_value_tables(own, metric.offset)
    return _MAKERS[metric](own)


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
    own = np.zeros((2, 256), dtype=np.uint8)
    value_tables = make_value_tables(metric, (own, own))
    return 3 if (value_tables.wins_at & value_tables.losses_at).any() else 2
