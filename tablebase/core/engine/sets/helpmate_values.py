"""Values where both sides help one of them to give mate.

A helpmate in n plies has the value 255 - n; none has 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tablebase.core.engine.sets.values import (
    LOSS,
    MATE_BEST,
    NO_MOVE_OUT,
    NO_SEED,
    WIN,
    MetricTables,
)
from tablebase.core.outcomes.codes import DRAW

if TYPE_CHECKING:
    from numpy.typing import NDArray

_NO_HELPMATE = 1  # a move out that leads to none is a move, unlike NO_MOVE_OUT
_LONGEST_HELPMATE = MATE_BEST - _NO_HELPMATE - 1


def help_values(outcomes: NDArray[np.int16]) -> NDArray[np.uint8]:
    """Return the value by stored code: both sides prefer the shortest helpmate."""
    plies = np.where(outcomes < 0, ~outcomes, outcomes)
    has_mate = (outcomes != 0) & (plies <= _LONGEST_HELPMATE)
    return np.where(has_mate, MATE_BEST - plies, _NO_HELPMATE).astype(np.uint8)


def help_tables(mating: int) -> MetricTables:
    """Return the tables of the shortest helpmate that a colour gives.

    Who is mated loses in ply 0; from then on each ply has *wins*, of one side only, since it leads
    to what was found in the ply before. Nobody loses any more: no move is an escape.
    """
    plies = np.arange(256)
    is_ply = (plies >= 1) & (plies <= _LONGEST_HELPMATE)
    values = MATE_BEST - plies
    seeds = np.full((2, 256), NO_SEED, dtype=np.int64)
    seeds[WIN] = np.where(is_ply, values, NO_SEED)
    seeds[LOSS, 0] = NO_MOVE_OUT
    results = np.full((2, 256), MATE_BEST, dtype=np.int64)
    results[WIN] = values
    return MetricTables(
        # One ply longer for the side that moves there.
        negated=np.where(plies > _NO_HELPMATE, plies - 1, _NO_HELPMATE).astype(np.uint8),
        seeds=seeds,
        seed_ply=np.where(plies > _NO_HELPMATE, values, 0),
        wins_at=is_ply.astype(np.uint8),
        losses_at=(plies == 0).astype(np.uint8),
        last_ply=_LONGEST_HELPMATE,
        skips=0,
        draw_value=_NO_HELPMATE,
        stored=np.where(plies > _NO_HELPMATE, values, DRAW).astype(np.uint8),
        results=results,
        most_claims=256,
        moved_out=np.zeros((2, 256), dtype=np.uint8),
        mating=mating,
    )
