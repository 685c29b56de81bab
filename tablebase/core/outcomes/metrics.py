"""Metrics: which distance a table holds, and what its codes mean.

A *code* is the stored byte, its *outcome* a signed number (see `Outcome`), and *preference* the
order of outcomes for a side to move. Distances to mate have one code for each outcome; to zeroing
there are too many for a byte, so each table and side to move numbers the outcomes that it has.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Any, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from tablebase.core.ground.words import quoted
from tablebase.core.outcomes.codes import CODES, DRAW, Wdl, decode_dtm

# A player may claim a draw once so many plies went by without a capture or a move of a pawn. The
# last of them may still give checkmate, or be the capture or pawn move itself.
FIFTY_MOVES = 100
MATED_OUTCOME = ~0
# What a position is worth in which the side to move has won already. That turn counts as a ply,
# because an outcome of 0 is a draw.
WON_OUTCOME = 1
HORIZON = 1 << 14  # beyond any distance
# The same where a king that has reached its goal has won and is to move: a win in 0 plies. No table
# leads there, so that readers give it, and files store `WON_OUTCOME`.
ARRIVED_OUTCOME = HORIZON - 1
MATED_PREFERENCE, DRAW_PREFERENCE = -HORIZON, 0
NO_MOVE = -HORIZON - 1  # below all preferences

_Integer = TypeVar("_Integer", bound=np.signedinteger[Any])


class Wdl50(IntEnum):
    """The result with best play under the 50-move rule, seen from the side to move.

    A cursed win is a win that the rule turns into a draw. A blessed loss is such a loss.
    """

    LOSS = -2
    BLESSED_LOSS = -1
    DRAW = 0
    CURSED_WIN = 1
    WIN = 2


@dataclass(frozen=True)
class Metric:
    """A distance that tables hold."""

    name: str  # in files and on the command line
    title: str = field(compare=False)
    prefix: str = field(compare=False)  # of the names of its attributes in files
    # what a probe gives for checkmate; a loss in n plies otherwise gives -n
    mated: int = field(compare=False)
    counts_zeroing: bool = field(compare=False)  # distances show the effect of the 50-move rule
    # by code, [256]; None if each table has its own
    outcomes: NDArray[np.int16] | None = field(compare=False)
    # by code of two bytes; None if there are none
    long_outcomes: NDArray[np.int16] | None = field(compare=False, default=None)
    # the colour, 0 or 1, that both sides help to give mate; None where they are opponents
    mating: int | None = field(compare=False, default=None)
    # how many plies more an outcome has than a probe gives, see `offset_by`
    offset: int = field(compare=False, default=0)

    def __str__(self) -> str:
        return self.name

    @property
    def swapped(self) -> Metric:
        """The distance that a table with the colours exchanged has in place of this one."""
        return self if self.mating is None else HELPMATES[1 - self.mating]

    def offset_by(self, plies: int) -> Metric:
        """Return the metric with outcomes that count some plies more than the game has.

        Where a side wins by having no move, this turn counts as a ply: a win in 0 plies could not
        be told from a draw. So all distances are one ply longer.
        """
        return self if plies == self.offset else replace(self, offset=plies)

    def preferences(self, outcomes: NDArray[np.int16]) -> NDArray[np.int32]:
        """Return numbers that are larger for what the side to move prefers, see `preference`.

        In a helpmate both sides prefer the shortest way: one in n plies is HORIZON - n, none 0.
        """
        if self.mating is None:
            return preference(outcomes.astype(np.int32))
        plies = np.where(outcomes < 0, ~outcomes, outcomes).astype(np.int32)
        return np.where(outcomes == 0, DRAW_PREFERENCE, HORIZON - plies).astype(np.int32)

    def preferred(self, preference_number: int) -> int:
        """Return the outcome that has a preference, the inverse of `preferences`."""
        if self.mating is None or not preference_number:
            return preference(preference_number)
        plies = HORIZON - preference_number
        return plies if plies % 2 else ~plies

    def mated_preferences(self) -> tuple[int, int]:
        """Return the preference of White, and of Black, if that side to move has lost at once."""
        if self.mating is None:
            return MATED_PREFERENCE, MATED_PREFERENCE
        lost = [HORIZON, HORIZON]
        lost[self.mating] = DRAW_PREFERENCE
        return lost[0], lost[1]


def _dtm_outcomes(codes: int) -> NDArray[np.int16]:
    results, plies = decode_dtm(np.arange(codes, dtype=np.uint16))
    outcomes = np.where(results > 0, plies, np.where(results < 0, ~plies.view(np.int16), 0))
    outcomes = outcomes.astype(np.int16)
    outcomes.setflags(write=False)
    return outcomes


DTM = Metric(
    "dtm",
    "distance to mate",
    "",
    0,
    False,  # noqa: FBT003
    _dtm_outcomes(DRAW + 1),
    _dtm_outcomes(CODES),
)
DTZ = Metric("dtz", "distance to zeroing", "dtz_", -1, True, None)  # noqa: FBT003
METRICS: tuple[Metric, ...] = (DTM, DTZ)
# The fewest plies after which one colour has given mate if both sides play for it: who mates is to
# move if they are odd, so that codes and outcomes are those of DTM with that side as the winner.
HELPMATES: tuple[Metric, ...] = tuple(
    Metric(
        f"{side}_mates",
        f"helpmate by {side.title()}",
        f"{side}_mates_",
        0,
        False,  # noqa: FBT003
        DTM.outcomes,
        mating=color,
    )
    for color, side in enumerate(("white", "black"))
)
WHITE_MATES, BLACK_MATES = HELPMATES
DISTANCES = METRICS + HELPMATES
HELP = "help"  # both, on the command line

_RESULTS = Wdl.DRAW, Wdl.WIN, Wdl.LOSS  # by sign, the last from behind: faster than `Wdl(sign)`


class Outcome(int):
    """Result and distance of a position together, as a signed number.

    It is n > 0 if the side to move wins in n plies, ``~n`` (that is -n - 1) if it loses in n, and 0
    for a draw. So a checkmate, a loss in 0 plies, is -1.

    >>> Outcome(31).result, Outcome(~32).result, Outcome(~32).plies
    (<Wdl.WIN: 1>, <Wdl.LOSS: -1>, 32)
    """

    __slots__ = ()

    @property
    def result(self) -> Wdl:
        """The result without the 50-move rule."""
        return _RESULTS[(self > 0) - (self < 0)]

    @property
    def plies(self) -> int:
        """The distance in plies, 0 for a draw."""
        return ~self if self < 0 else self % ARRIVED_OUTCOME

    @property
    def preference(self) -> int:
        """The place in the order of preference, see `preference`."""
        return preference(self)

    def before(self, metric: Metric, *, zeroing: bool) -> Outcome:
        """Return the outcome of a move that leads here, for the side that makes it.

        A move is `zeroing` if it is a capture or a pawn move.

        >>> Outcome(~30).before(DTM, zeroing=True), Outcome(31).before(DTM, zeroing=False) == ~32
        (31, True)
        >>> Outcome(~30).before(DTZ, zeroing=True), Outcome(~102).before(DTZ, zeroing=True)
        (1, 101)
        """
        if not self:
            return self
        plies = self.plies
        if zeroing and metric.counts_zeroing:
            plies = metric.offset + (FIFTY_MOVES if plies > FIFTY_MOVES + metric.offset else 0)
        return Outcome(~(plies + 1) if self > 0 else plies + 1)


@overload
def preference(outcome: int) -> int: ...
@overload
def preference(outcome: NDArray[_Integer]) -> NDArray[_Integer]: ...
def preference(outcome: Any) -> Any:
    """Return a number that is larger for the better of two outcomes.

    A win in n plies gives ``HORIZON - n``, a draw 0, a loss in n plies ``n - HORIZON``. The
    function is its own inverse: of a preference it gives the outcome.

    >>> sorted([~2, 0, 31, ~40, 5], key=preference) == [~2, ~40, 0, 31, 5]
    True
    >>> [preference(preference(outcome)) for outcome in (5, 0, ~2)]
    [5, 0, -3]
    """
    return (outcome > 0) * (HORIZON - outcome) + (outcome < 0) * (~outcome - HORIZON)


def metric_named(name: str) -> Metric:
    """Return a metric by its name; `ValueError` if there is none."""
    for metric in METRICS:
        if metric.name == name:
            return metric
    raise ValueError(f"{quoted(name)} is not a metric: write {' or '.join(map(str, METRICS))}")


def distances_named(name: str) -> tuple[Metric, ...]:
    """Return the metric of a name, or both `HELPMATES` for HELP; `ValueError` if there is none."""
    if name == HELP:
        return HELPMATES
    found = tuple(one for one in HELPMATES if one.name == name)
    return found or (metric_named(name),)


def make_outcomes(outcomes: list[int]) -> NDArray[np.int16]:
    """Return the outcomes of a table's codes, int16 [256] and read-only.

    `outcomes` has up to 255, from code 0 on; the codes left are draws.
    """
    found = np.zeros(256, dtype=np.int16)
    found[: len(outcomes)] = outcomes
    found.setflags(write=False)
    return found


def is_meant(outcomes: NDArray[np.int16]) -> NDArray[np.bool_]:
    """Return whether each code has a meaning, from outcomes by code, shape [..., codes]."""
    meant: NDArray[np.bool_] = (outcomes != 0) | (np.arange(outcomes.shape[-1]) == DRAW)
    return meant


def signed(outcome: int, metric: Metric) -> int:
    """Return an outcome as a probe gives it: n for a win in n plies, -n for a loss, 0 for a draw.

    >>> [signed(outcome, DTZ) for outcome in (31, ~32, ~0, 0)]
    [31, -32, -1, 0]
    >>> signed(~0, DTM), signed(ARRIVED_OUTCOME, DTM)
    (0, 0)
    """
    if metric.offset:
        return int(without_offset(outcome, metric.offset))
    if outcome >= 0:
        return outcome % ARRIVED_OUTCOME
    return -~outcome or metric.mated


def without_offset(outcome: Any, plies: int) -> Any:
    """Return as signed distances what outcomes tell that count some plies more.

    >>> [without_offset(outcome, 1) for outcome in (1, ~2, 0, 31)]
    [0, -1, 0, 30]
    """
    return (outcome > 0) * (outcome - plies) + (outcome < 0) * (outcome + 1 + plies)


def signed_array(outcomes: NDArray[np.int16], metric: Metric) -> NDArray[np.int16]:
    """Return outcomes as `signed` does, of any shape."""
    if metric.offset:
        return np.asarray(without_offset(outcomes, metric.offset), dtype=np.int16)
    plies = np.where(outcomes < 0, outcomes + np.int16(1), outcomes % np.int16(ARRIVED_OUTCOME))
    return np.where(outcomes == MATED_OUTCOME, np.int16(metric.mated), plies)


def signed_by_outcome(metric: Metric) -> NDArray[np.int16]:
    """Return the signed plies of each outcome to mate, int16; negative outcomes count from the end.

    >>> signed_by_outcome(DTM)[[31, ~32, 0]].tolist()
    [31, -32, 0]
    """
    plies = np.arange(HORIZON, dtype=np.int16)
    return signed_array(np.concatenate([plies, ~plies[::-1]]), metric)


def wdl50(outcome: int, clock: int = 0, offset: int = 0) -> Wdl50:
    """Return the result under the 50-move rule by the outcome of `DTZ`, in plies to zeroing.

    `clock` counts the plies since the last capture or pawn move, `offset` is the metric's.

    >>> wdl50(100), wdl50(100, clock=1), wdl50(~100), wdl50(~101)
    (<Wdl50.WIN: 2>, <Wdl50.CURSED_WIN: 1>, <Wdl50.LOSS: -2>, <Wdl50.BLESSED_LOSS: -1>)
    """
    in_time = Outcome(outcome).plies + clock <= FIFTY_MOVES + offset
    if outcome > 0:
        return Wdl50.WIN if in_time else Wdl50.CURSED_WIN
    if outcome < 0:
        return Wdl50.LOSS if in_time or outcome == MATED_OUTCOME else Wdl50.BLESSED_LOSS
    return Wdl50.DRAW


def wdl50_known(
    to_mate: int, to_zeroing: int | None, clock: int = 0, offset: int = 0
) -> Wdl50 | None:
    """Return the result under the 50-move rule by the outcomes that are known.

    Without one to zeroing it is open (None) if mate comes too late, because a capture or pawn move
    may set the clock back before a draw can be claimed.

    >>> wdl50_known(31, None, 60), wdl50_known(31, None, 70), wdl50_known(31, 9, 70)
    (<Wdl50.WIN: 2>, None, <Wdl50.WIN: 2>)
    """
    if to_zeroing is not None:
        return wdl50(to_zeroing, clock, offset)
    result = wdl50(to_mate, clock, offset)
    return None if abs(result) == Wdl50.CURSED_WIN else result


def wdl50_array(
    outcomes: NDArray[np.signedinteger[Any]],
    clocks: NDArray[np.int32] | int = 0,
    offset: int = 0,
) -> NDArray[np.int8]:
    """Return results under the 50-move rule as `wdl50` does, int8."""
    plies = np.where(outcomes < 0, ~outcomes, outcomes % ARRIVED_OUTCOME)
    strength = np.where(
        (plies + clocks <= FIFTY_MOVES + offset) | (outcomes == MATED_OUTCOME), 2, 1
    )
    results: NDArray[np.int8] = (np.sign(outcomes) * strength).astype(np.int8)
    return results
