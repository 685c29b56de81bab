"""Many positions at once: read from the pages in memory by several threads."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, ParamSpec, Protocol, TypeVar

import numpy as np

from tablebase.core.positions.chess_board import board_of_words, final_outcome
from tablebase.core.reading.locate import (
    BARE_KINGS,
    MISSING_TABLE,
    TOO_MANY_MEN,
    kings_can_move,
    outcomes_in_pages,
)

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from numpy.typing import NDArray

# Rows that one thread turns into words at a time; they stay in its cache.
STEP = 4096
# Rows that are read while other threads may not change what is in memory.
POSITIONS_AT_ONCE = 1 << 18
PLANES_AT_ONCE = POSITIONS_AT_ONCE >> 12  # of 64 x 64 placements of the kings

Rows = slice | Any  # NDArray[np.int64], positions by number
Asked = ParamSpec("Asked")
Answer = TypeVar("Answer")


def asked_like(
    other: Callable[Asked, Any],
) -> Callable[[Callable[..., Answer]], Callable[Asked, Answer]]:
    """Give a function the parameters of another one, for type checkers and for `help`."""

    def described(function: Callable[..., Answer]) -> Callable[Asked, Answer]:
        returned = inspect.signature(function).return_annotation
        signature = inspect.signature(other).replace(return_annotation=returned)
        function.__signature__ = signature  # type: ignore[attr-defined]
        return function

    return described


class InWords(Protocol):
    """Positions that can be had as words, see `locate`."""

    men: int  # how many men each must have, 0 if any number will do

    def __len__(self) -> int:
        """Return the number of positions."""

    def words(self, rows: Rows) -> NDArray[np.uint64]:
        """Return some of the positions as words, uint64 [n, 8]."""


class Reading(NamedTuple):
    """What outcomes are read from and written to, see `locate.outcomes_in_pages`."""

    catalog: NDArray[np.int32]
    pages: tuple[NDArray[np.int64], NDArray[np.int16]]
    outcomes: NDArray[np.int16]
    states: NDArray[np.int8]
    wanted: NDArray[np.bool_]


def is_valid(states: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Return whether positions have a value, by the states of `locate.outcomes_in_pages`."""
    valid: NDArray[np.bool_] = (states == 0) | (states == BARE_KINGS)
    return valid


def settle_ends(
    positions: InWords,
    start: int,
    outcomes: NDArray[np.int16],
    states: NDArray[np.int8],
) -> None:
    """Give checkmates and stalemates their outcomes, where no table has them.

    `outcomes` and `states`, see `locate.outcomes_in_pages`, are those of the positions from `start`
    on.
    """
    rows = np.flatnonzero((states == MISSING_TABLE) | (states == TOO_MANY_MEN))
    if not len(rows):
        return
    words = positions.words(start + rows)
    can_move = np.empty(len(rows), np.bool_)
    kings_can_move(words, can_move)
    for i in np.flatnonzero(~can_move).tolist():
        outcome = final_outcome(board_of_words(words[i]))
        if outcome is not None:
            outcomes[rows[i]], states[rows[i]] = outcome, 0


def read_rows(
    reading: Reading,
    positions: InWords,
    rows: range | NDArray[np.int64],
    executor: Executor | None,
    threads: int,
) -> None:
    """Read the outcomes of some `rows` of positions whose pages are in memory.

    The work is cut into `threads` parts for `executor`, None for the calling thread.
    """

    def read(start: int, stop: int) -> None:
        locations = np.empty(STEP, dtype=np.int64)
        for low in range(start, stop, STEP):
            high = min(low + STEP, stop)
            chosen = rows[low:high]
            part = slice(chosen.start, chosen.stop) if isinstance(chosen, range) else chosen
            words = positions.words(part)
            outcomes_in_pages(
                reading.catalog,
                reading.pages,
                words,
                positions.men,
                locations[: high - low],
                reading.outcomes[low:high],
                reading.states[low:high],
                reading.wanted,
            )

    if executor is None or threads == 1 or len(rows) <= STEP:
        read(0, len(rows))
        return
    bounds = np.linspace(0, len(rows), threads + 1, dtype=np.int64).tolist()
    for done in [executor.submit(read, *part) for part in pairwise(bounds)]:
        done.result()
