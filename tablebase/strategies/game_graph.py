"""The positions that keep a goal within reach, and the moves between them, as arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tablebase.core.board.geometry import Color, PieceType
from tablebase.core.ground.words import quoted
from tablebase.core.moves.legal_moves import Moves, iter_moves
from tablebase.core.outcomes.metrics import HORIZON
from tablebase.finding.dataset import TableData
from tablebase.strategies.after_moves import MoveColumns, Rule, allowed_by, captures
from tablebase.strategies.methods import GOALS, HOLD, MATE, PROMOTION
from tablebase.strategies.sweeping import NEVER, OUTSIDE, Arcs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tablebase.core.rules.rules import Rules
    from tablebase.core.tables.table import Table


def code_of(
    origin: NDArray[np.uint8], target: NDArray[np.uint8], promotion: NDArray[np.uint8]
) -> NDArray[np.int32]:
    """Return moves as numbers, which `ends_of` takes apart."""
    return origin.astype(np.int32) << 12 | target.astype(np.int32) << 6 | promotion


def ends_of(code: int) -> tuple[int, int, int]:
    """Return origin, target and promotion of a move."""
    return code >> 12, code >> 6 & 63, code & 63


def uci_of(rules: Rules, origin: int, target: int, promotion: int) -> str:
    """Return a move as UCI writes it."""
    new = rules.letter_of(PieceType(promotion)).lower() if promotion else ""
    return f"{rules.board.name_of(origin)}{rules.board.name_of(target)}{new}"


class GraphReader:
    """Reads the moves of a table as `Arcs`.

    `side` tries to reach the goal; the other one plays every legal move.
    """

    def __init__(self, data: TableData, goal: str, side: Color, threads: int | None) -> None:
        if goal not in GOALS:
            message = f"there is no goal {quoted(goal)}: choose from {', '.join(GOALS)}"
            raise ValueError(message)
        self.data, self.goal, self.side, self._threads = data, goal, side, threads
        self._subtables = data.subtables()
        table = data.table
        self._keeping = [
            self._keeps(np.sign(outcomes), Color(color))
            for color, outcomes in enumerate(table.outcomes)
        ]

    @property
    def _table(self) -> Table:
        return self.data.table

    def _keeps(self, results: NDArray[np.integer], color: Color) -> NDArray[np.bool_]:
        """Return whether results for a colour keep the goal within the reach of the side."""
        own = results if color is self.side else -results
        return own >= 0 if self.goal == HOLD else own > 0

    def arcs(
        self,
        color: Color,
        rules: Sequence[Rule] | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Arcs:
        """Return the moves of a colour: all, or those that rules allow."""
        kinds = np.int64, np.int64, np.int32, np.int16, np.int32, np.int16
        parts = [[np.empty(0, kind) for kind in kinds], *self._parts(color, rules, progress)]
        slots, counts, *columns = map(np.concatenate, zip(*parts, strict=True))
        return Arcs(slots, np.append(0, np.cumsum(counts)), *columns)

    def _parts(
        self,
        color: Color,
        rules: Sequence[Rule] | None,
        progress: Callable[[int, int], None] | None,
    ) -> Iterator[tuple[NDArray[Any], ...]]:
        table, own = self._table, self._keeping[color]
        options = {"threads": self._threads, "sides": (color,)}
        for moves in iter_moves(table, self._subtables, **options):  # type: ignore[arg-type]
            kept = own[table.codes[color][moves.slots]]
            if self.goal == HOLD:
                kept &= np.diff(moves.starts) > 0  # a game that is over is held
            if kept.any():
                yield self._part(moves, np.flatnonzero(kept), color, rules)
            if progress is not None:
                progress(int(moves.slots[-1]) + 1, table.index.size)

    def _part(
        self, moves: Moves, kept: NDArray[np.int64], color: Color, rules: Sequence[Rule] | None
    ) -> tuple[NDArray[Any], ...]:
        """Return slots, counts of moves, and columns of `Arcs`, of some positions."""
        counts = np.diff(moves.starts)[kept]
        position = np.repeat(np.arange(len(kept)), counts)
        within = np.arange(len(position)) - np.repeat(np.cumsum(counts) - counts, counts)
        chosen = moves.starts[kept][position] + within
        origin, target, promotion, preference = (
            column[chosen]
            for column in (moves.origin, moves.target, moves.promotion, moves.preference)
        )
        decoded, _ = self._table.index.decode_many(moves.slots[kept])
        before = np.ascontiguousarray(decoded.T[:, position])
        squares = np.where(before == origin, target, before)
        decided = np.empty(0, np.int16)
        if rules is not None:
            given = {"before": before, "squares": squares}
            given |= {"promotion": promotion, "preference": preference}
            columns = MoveColumns(self.data.material, color, **given)
            allowed, decided = allowed_by(rules, columns, position)
            counts = np.bincount(position[allowed], minlength=len(kept))
            before, squares = before[:, allowed], squares[:, allowed]
            origin, target, promotion, preference = (
                column[allowed] for column in (origin, target, promotion, preference)
            )
        child, plies = self._led_to(color, before, squares, promotion, preference)
        code = code_of(origin, target, promotion)
        code = code if color is self.side else code[:0]
        return moves.slots[kept], counts, child, plies, code, decided

    def _led_to(
        self,
        color: Color,
        before: NDArray[np.uint8],
        squares: NDArray[np.uint8],
        promotion: NDArray[np.uint8],
        preference: NDArray[np.int16],
    ) -> tuple[NDArray[np.int32], NDArray[np.int16]]:
        """Return the children and plies of moves, see `Arcs`."""
        table, other = self._table, color.opponent
        kept = self._keeps(preference, color)
        leaves = (promotion > 0) | captures(before, squares)
        inside = np.flatnonzero(kept & ~leaves)
        slots = table.index.encode_many(squares.T[inside])
        # One more test: the position may keep the goal only by a capture en passant, or not.
        good = self._keeping[other][table.codes[other][slots]]
        child = np.full(len(kept), OUTSIDE, dtype=np.int32)
        child[inside[good]] = slots[good]
        plies = np.zeros(len(kept), dtype=np.int16)
        if self.goal == MATE:
            plies = (HORIZON - 1 - np.abs(preference)).astype(np.int16)
        if self.goal == PROMOTION:
            kept &= (child != OUTSIDE) | ((promotion > 0) & (color is self.side))
        plies[~kept] = NEVER
        return child, plies
