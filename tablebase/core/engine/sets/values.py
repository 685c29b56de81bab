"""Values while solving: what the engine knows of a metric, as arrays for its kernels.

A value is a byte. Before the first ply it is that of the best move out of the slice, 0 without one,
and packs a preference (`outcomes.metrics.preference`), the larger the better; then that of the
result. DTM: a loss in n plies is n / 2, a draw 128, a win 255 - (n - 1) / 2; so 0 is a loss in 0
plies as well, and before ply 0 positions without a move out may be mates. DTZ: a move out has
one of five results, and results have no order, since they take the first free numbers, see
`claim_value`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tablebase.core.jit.instructions import fetch_add, yield_thread
from tablebase.core.jit.kernels import kernel
from tablebase.core.outcomes.codes import DRAW, EPOCH_PLIES, MAX_PLIES
from tablebase.core.outcomes.metrics import DTM, FIFTY_MOVES, Metric
from tablebase.core.rules.rules import CHESS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tablebase.core.rules.material import Material

# numba would compile kernels anew for each literal number they are called with, but not for these.
WIN, LOSS = np.int64(0), np.int64(1)
NO_MOVE_OUT = 0
LOST_AT_ONCE = np.uint8(0)  # what is decided as lost before a move has the worst value
NO_SEED = -1
UNCLAIMED = -1
NEITHER = -1
# The most men of which all distances to mate are known to fit in a byte, by rules.
SHORT_MEN = {CHESS: 5}


class MetricTables(NamedTuple):
    """A metric, as arrays for kernels.

    A *seed* is the value of a position whose best move leaves the slice. `wins_at` and `losses_at`
    tell in which plies there can be results; losses of a ply are found before its wins.
    """

    negated: NDArray[np.uint8]  # [256] value before a move out, by value after it for the opponent
    seeds: NDArray[np.int64]  # [2, 256] by WIN or LOSS and ply: what enters then, or NO_SEED
    seed_ply: NDArray[np.int64]  # [256] the ply in which a seed enters, 0 for others
    wins_at: NDArray[np.uint8]  # [256] whether there can be wins in a ply
    losses_at: NDArray[np.uint8]  # [256]
    last_ply: int  # of one epoch, see `slices`; then plies are counted from 1 on again
    skips: int  # whether there is at most one ply after ply 1 in which seeds enter
    draw_value: int
    stored: NDArray[np.uint8]  # [256] code by value
    results: NDArray[np.int64]  # [2, 256] value by WIN or LOSS and ply; or UNCLAIMED
    most_claims: int
    moved_out: NDArray[np.uint8]  # [2, 256] by WIN or LOSS and ply: as a move out leads to it
    mating: int  # the colour that both sides help to give mate, NEITHER where they are opponents


class FoundValues(NamedTuple):
    """The values that stand for the results of one solution; `claim_value` adds new ones."""

    results: NDArray[np.int64]  # [2 * 2 * 256] value by WIN or LOSS, side, ply; or UNCLAIMED
    claims: NDArray[np.int64]  # [2 * 2 * 256] how often one that was unclaimed was asked for
    claimed: NDArray[np.int64]  # [2] values claimed, by side
    own_values: NDArray[np.uint8]  # [2, 256] the table's own part of `Codes.values`
    own_values_after: NDArray[np.uint8]  # [2, 256] and of `Codes.values_after`


# Distance to mate

_MATE_DRAW = 128
MATE_BEST = 255


def dtm_values(outcomes: NDArray[np.int16]) -> NDArray[np.uint8]:
    """Return the value for the side to move by stored code."""
    wide = outcomes.astype(np.int64)
    values = np.where(wide > 0, MATE_BEST - (wide - 1) // 2, ~wide // 2)
    values[wide == 0] = _MATE_DRAW
    return values.astype(np.uint8)


def _dtm_negated() -> NDArray[np.uint8]:
    """Return the values for the opponent, who moves there, one ply longer."""
    wide = np.arange(256)
    return np.where(wide < _MATE_DRAW, 255 - wide, 256 - wide).astype(np.uint8)


def dtm_tables() -> MetricTables:
    """Return the tables of the distance to mate: the shortest win, the longest loss."""
    assert DTM.outcomes is not None
    values = dtm_values(DTM.outcomes).astype(np.int64)
    plies = np.arange(256)
    by_ply = np.where(plies == DRAW, NO_SEED, values)
    seeds = np.stack([np.where(plies % 2 == 1, by_ply, NO_SEED),
                      np.where(plies % 2 == 0, by_ply, NO_SEED)])  # fmt: skip
    seed_ply = np.zeros(256, dtype=np.int64)
    seed_ply[values[:DRAW]] = plies[:DRAW]
    stored = np.empty(256, dtype=np.uint8)
    stored[values] = plies
    return MetricTables(
        negated=_dtm_negated(),
        seeds=seeds,
        seed_ply=seed_ply,
        wins_at=(plies % 2 == 1).astype(np.uint8),
        losses_at=(plies % 2 == 0).astype(np.uint8),
        last_ply=EPOCH_PLIES,
        skips=0,
        draw_value=_MATE_DRAW,
        stored=stored,
        results=seeds,
        most_claims=256,
        moved_out=np.zeros((2, 256), dtype=np.uint8),
        mating=NEITHER,
    )


# Distance to zeroing

_LOSS, _BLESSED_LOSS, _ZEROING_DRAW, _CURSED_WIN, _WIN = range(250, 255)
_FIRST_SEED = _LOSS
_CURSED_PLY = FIFTY_MOVES + 1
# Lost and won by having no move; in place of some results.
_OVER_LOST, _OVER_WON = 248, 249


def dtz_values(outcomes: NDArray[np.int16], offset: int = 0) -> NDArray[np.uint8]:
    """Return the value for the side to move by stored code: one of five results."""
    plies = np.where(outcomes < 0, ~outcomes, outcomes)
    in_time = plies <= FIFTY_MOVES + offset
    values = np.where(
        outcomes > 0,
        np.where(in_time, _WIN, _CURSED_WIN),
        np.where(in_time, _LOSS, _BLESSED_LOSS),
    )
    return np.where(outcomes == 0, _ZEROING_DRAW, values).astype(np.uint8)


def dtz_tables(offset: int = 0) -> MetricTables:
    """Return the tables of the distance to zeroing.

    A move out sets the count to zero, so for the side that makes it there are five results: a win
    in 1 ply, a win in 101 (but for the 50-move rule), a draw, a loss in 101, a loss in 1. With an
    `offset` of 1 all this comes one ply later, and in ply 1 what is over.
    """
    first, cursed = 1 + offset, _CURSED_PLY + offset
    seeds = np.full((2, 256), NO_SEED, dtype=np.int64)
    seed_ply = np.zeros(256, dtype=np.int64)
    seeds[LOSS, 0] = NO_MOVE_OUT
    if offset:
        seeds[:, 1] = _OVER_WON, _OVER_LOST
        seed_ply[[_OVER_WON, _OVER_LOST]] = 1
    seeds[:, first] = _WIN, _LOSS
    seeds[:, cursed] = _CURSED_WIN, _BLESSED_LOSS
    seed_ply[[_WIN, _LOSS]] = first
    seed_ply[[_CURSED_WIN, _BLESSED_LOSS]] = cursed
    negated = np.arange(256)
    negated[_FIRST_SEED : _WIN + 1] = range(_WIN, _FIRST_SEED - 1, -1)
    plies = np.arange(256)
    in_time = plies <= FIFTY_MOVES + offset
    moved_out = [np.where(in_time, _WIN, _CURSED_WIN), np.where(in_time, _LOSS, _BLESSED_LOSS)]
    return MetricTables(
        negated=negated.astype(np.uint8),
        seeds=seeds,
        seed_ply=seed_ply,
        wins_at=(plies > 0).astype(np.uint8),
        losses_at=np.ones(256, dtype=np.uint8),
        last_ply=MAX_PLIES,
        skips=0 if offset else 1,
        draw_value=DRAW,
        stored=plies.astype(np.uint8),
        results=np.full((2, 256), UNCLAIMED, dtype=np.int64),
        most_claims=_OVER_LOST if offset else _FIRST_SEED,
        moved_out=np.stack(moved_out).astype(np.uint8),
        mating=NEITHER,
    )


def over_values(metric: Metric) -> tuple[int, int, int]:
    """Return the values of positions that are over: lost, drawn, won by who has no move.

    Distances to mate know no loss of this kind.
    """
    if metric.counts_zeroing:
        return _OVER_LOST, _ZEROING_DRAW, _OVER_WON
    return NO_MOVE_OUT, _MATE_DRAW, MATE_BEST


@kernel
def claim_value(metric, found, result, color, ply):
    """Return the value that stands for a win or loss in `ply`: from `results`, if it is there.

    Else the first in `claims` takes the next of `claimed`, and tells `own_values` and
    `own_values_after` what a move out into the table is worth then.
    """
    place = (result * 2 + color) * 256 + ply
    value = fetch_add(found.results, place, 0)
    if value != UNCLAIMED:
        return value
    if fetch_add(found.claims, place, 1):
        while value == UNCLAIMED:
            yield_thread()
            value = fetch_add(found.results, place, 0)
        return value
    # With too many the solver gives up in the end.
    value = min(fetch_add(found.claimed, color, 1), metric.most_claims - 1)
    moved_out = metric.moved_out[result, ply]
    found.own_values[color, value] = moved_out
    found.own_values_after[color, value] = metric.negated[moved_out]
    fetch_add(found.results, place, value - UNCLAIMED)
    return value


@kernel
def claimed_value(found, result, color, ply):
    """Return the value that stands for a win or loss in `ply`, or UNCLAIMED."""
    return found.results[(result * 2 + color) * 256 + ply]


def has_epochs(material: Material, metric: Metric) -> bool:
    """Return whether plies may exceed what a byte tells, and are counted on, see `slices`."""
    has_more = metric.long_outcomes is not None and not material.rules.check_counting
    return has_more and not (material.has_pawns and is_short(material))


def is_short(material: Material) -> bool:
    """Return whether a byte certainly holds every distance to mate of a material."""
    return material.piece_count <= SHORT_MEN.get(material.rules, 0)


def claimed_results(found: FoundValues, color: int) -> list[tuple[int, int]]:
    """Return outcome and value of all results that were found for a side to move."""
    results = []
    for result in (WIN, LOSS):
        for ply in range(256):
            value = int(found.results[_place(int(result), color, ply)])
            if value != UNCLAIMED:
                results.append((ply if result == WIN else ~ply, value))
    return results


def _place(result: int, color: int, ply: int) -> int:
    return (int(result) * 2 + color) * 256 + ply
