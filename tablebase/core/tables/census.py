"""Counts of a solved table: results, distances and the longest wins and losses.

Counts come twice: on the *whole board*, where each symmetric image is a position of its own, and
*inequivalent*, where all images count once. Identical men are not told apart; en passant and
castling play no part. A position is illegal if the side not to move is in check.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablebase.core.board.geometry import SIDES, Color
from tablebase.core.index.legality import NO_POSITION, WEIGHT_SHIFT, map_marks, note_legal
from tablebase.core.index.weights import PARTS
from tablebase.core.jit.kernels import entry
from tablebase.core.outcomes.codes import CHECKMATED
from tablebase.core.outcomes.metrics import DTM, FIFTY_MOVES, Metric, Outcome
from tablebase.core.tables.search import setups_with
from tablebase.core.tables.table import Table


@dataclass(frozen=True)
class Counts:
    """The results of one side to move over a set of positions."""

    wins: dict[int, int]  # number of positions by distance in plies, ascending
    losses: dict[int, int]  # likewise; 0 plies is checkmate
    draw: int
    illegal: int  # positions with the other side in check
    metric: Metric = DTM

    @property
    def win(self) -> int:
        """The number of positions won."""
        return sum(self.wins.values())

    @property
    def loss(self) -> int:
        """The number of positions lost."""
        return sum(self.losses.values())

    @property
    def checkmated(self) -> int:
        """The number of checkmates."""
        return self.losses.get(CHECKMATED, 0)

    @property
    def cursed_win(self) -> int:
        """The number of wins in more plies than the 50-move rule allows, by distance to zeroing."""
        return sum(count for plies, count in self.wins.items() if plies > FIFTY_MOVES)

    @property
    def blessed_loss(self) -> int:
        """The number of losses in more plies than the rule allows, by distance to zeroing."""
        return sum(count for plies, count in self.losses.items() if plies > FIFTY_MOVES)

    def as_dict(self) -> dict[str, Any]:
        """Return the figures in types that JSON knows.

        Wins and losses include those that the 50-move rule turns into draws. Tables of distances to
        zeroing have these as well. A table of helpmates has positions with one and without.
        """
        if self.metric.mating is not None:
            mates = self.wins | self.losses  # of a side to move all are the same
            return {
                "mates": sum(mates.values()),
                "never": self.draw,
                "illegal": self.illegal,
                "histogram": {str(plies): count for plies, count in mates.items()},
            }
        found: dict[str, Any] = {
            "win": self.win,
            "draw": self.draw,
            "loss": self.loss,
            "illegal": self.illegal,
        }
        if self.metric.counts_zeroing:
            found["cursed_win"] = self.cursed_win
            found["blessed_loss"] = self.blessed_loss
        found[f"{self.metric}_histogram"] = {
            result: {str(plies): count for plies, count in histogram.items()}
            for result, histogram in (("win", self.wins), ("loss", self.losses))
        }
        return found


@dataclass(frozen=True)
class Extreme:
    """A position of the longest distance, in plies from the side to move."""

    plies: int
    fen: str

    def as_dict(self) -> dict[str, Any]:
        """Return the figures in types that JSON knows."""
        return {"plies": self.plies, "fen": self.fen}


@dataclass(frozen=True)
class SideCensus:
    """Counts of a table with one side to move."""

    whole_board: Counts  # every position
    inequivalent: Counts  # symmetric images counted once
    longest_win: Extreme | None  # the first in the order of the index, None without any
    longest_loss: Extreme | None

    def as_dict(self) -> dict[str, Any]:
        """Return the figures in types that JSON knows."""
        if self.whole_board.metric.mating is not None:
            longest = self.longest_win or self.longest_loss
            return {
                **self.whole_board.as_dict(),
                "longest": longest and longest.as_dict(),
                "inequivalent": self.inequivalent.as_dict(),
            }
        return {
            **self.whole_board.as_dict(),
            "longest_win": self.longest_win and self.longest_win.as_dict(),
            "longest_loss": self.longest_loss and self.longest_loss.as_dict(),
            "inequivalent": self.inequivalent.as_dict(),
        }


@dataclass(frozen=True)
class Census:
    """Counts of a table with White and with Black to move."""

    white_to_move: SideCensus
    black_to_move: SideCensus

    def as_dict(self) -> dict[str, Any]:
        """Return the figures in types that JSON knows, one entry for each side to move."""
        return {side: getattr(self, side).as_dict() for side in SIDES}


@entry
def _count(marks, white, black, totals):
    """Add the codes of slots by their marks to `totals` int64 [2, weight, legal, codes]."""
    for slot in range(len(marks)):
        mark = np.int64(marks[slot])
        if mark == NO_POSITION:
            continue
        weight = mark >> WEIGHT_SHIFT
        totals[0, weight, mark & 1, white[slot]] += 1
        totals[1, weight, (mark >> 1) & 1, black[slot]] += 1


def _counts(totals: NDArray[np.int64], outcomes: NDArray[np.int16], metric: Metric) -> Counts:
    """Return the counts of one side from its totals [legal, codes]."""
    legal, offset = zip(outcomes.tolist(), totals[1].tolist(), strict=True), metric.offset
    found = sorted((Outcome(one).plies - offset, one, count) for one, count in legal if count)
    return Counts(
        wins={plies: count for plies, outcome, count in found if outcome > 0},
        losses={plies: count for plies, outcome, count in found if outcome < 0},
        draw=sum(count for _, outcome, count in found if outcome == 0),
        illegal=int(totals[0].sum()),
        metric=metric,
    )


class CensusOfParts:
    """A census of a table that is taken part by part; only the part that is counted is read."""

    def __init__(self, table: Table, *, threads: int | None = None) -> None:
        self._table = table
        self._threads = threads
        shape = (2, 1 + max(PARTS), 2, len(table.outcomes[Color.WHITE]))
        self._totals = np.zeros(shape, dtype=np.int64)
        # By side to move and result: the distance, the part's first slot, the position.
        self._longest: dict[tuple[Color, bool], tuple[int, int, Extreme]] = {}

    def add(self, slots: range, legal: NDArray[np.uint64] | None = None) -> None:
        """Count the positions of some slots, whole rows; note which are legal as `find_legal`."""
        totals = self._count(slots, legal)
        self._totals += totals
        for color in Color:
            of_legal = totals[color, list(PARTS), 1].sum(axis=0)
            outcomes = self._table.outcomes[color][np.flatnonzero(of_legal)].tolist()
            for is_win in (True, False):
                found = [one for one in outcomes if one and (one > 0) == is_win]
                if found:
                    self._note_longest(color, max(found, key=lambda one: Outcome(one).plies), slots)

    def _count(self, slots: range, legal: NDArray[np.uint64] | None) -> NDArray[np.int64]:
        """Return the number of slots by side to move, weight, legality and code."""
        table, pairs = self._table, self._table.index.king_pairs

        def count(part: slice, marks: NDArray[np.uint8]) -> NDArray[np.int64]:
            totals = np.zeros_like(self._totals)
            _count(marks, *(table.whole_codes(color, part) for color in Color), totals)
            if legal is not None:
                note_legal(table.index, part, marks, legal)
            return totals

        totals = np.zeros_like(self._totals)
        rows = range(slots.start // pairs, slots.stop // pairs)
        for counted in map_marks(table.index, count, threads=self._threads, rows=rows):
            totals += counted
        return totals

    def _note_longest(self, color: Color, outcome: int, slots: range) -> None:
        """Note the first position with an outcome if none is longer, or as long and before it."""
        plies, key = Outcome(outcome).plies, (color, outcome > 0)
        if key in self._longest:
            most, first, _ = self._longest[key]
            if (plies, -slots.start) < (most, -first):
                return
        code = self._table.code(color, outcome)
        setup = next(setups_with(self._table, color, code, slots))
        distance = plies - self._table.metric.offset
        self._longest[key] = plies, slots.start, Extreme(distance, setup.fen)

    def census(self) -> Census:
        """Return the census of all parts."""
        table = self._table
        symmetries = len(table.index.symmetries)
        sides = []
        for color in Color:
            counted = {part: self._totals[color, weight] for weight, part in PARTS.items()}
            outcomes = table.outcomes[color]
            on_board = sum(of_part * symmetries // part for part, of_part in counted.items())
            inequivalent = sum(counted.values())
            longest = [self._longest.get((color, is_win)) for is_win in (True, False)]
            win, loss = (found and found[2] for found in longest)
            sides.append(
                SideCensus(
                    whole_board=_counts(on_board, outcomes, table.metric),
                    inequivalent=_counts(inequivalent, outcomes, table.metric),
                    longest_win=win,
                    longest_loss=loss,
                )
            )
        return Census(*sides)


def take_census(
    table: Table, *, legal: NDArray[np.uint64] | None = None, threads: int | None = None
) -> Census:
    """Count the results and distances of a table, for both sides to move.

    If `legal` is given, it is filled with what `find_legal` returns, which is known on the way.
    """
    taken = CensusOfParts(table, threads=threads)
    taken.add(range(table.index.size), legal)
    return taken.census()
