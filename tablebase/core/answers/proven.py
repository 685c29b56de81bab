"""Moves whose results are proven without a table, and the lines that they make."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic

from tablebase.core.outcomes.codes import Wdl
from tablebase.core.outcomes.metrics import Wdl50
from tablebase.core.positions.position import M

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tablebase.core.positions.position import Position


@dataclass(frozen=True, slots=True)
class ProvenMove(Generic[M]):
    """A legal move and what is proven of it, seen from the side that makes it.

    `dtz_without_rule50` counts plies to the next capture, pawn move or mate on the proven line,
    this move included, positive for a win; where nothing is proven there may be a faster way.
    """

    move: M
    wdl: Wdl | None  # with best play after it, without the 50-move rule; None if it is open
    dtz_without_rule50: int | None  # 0 for a draw only, None if it is not known
    mate: bool  # the move gives checkmate
    zeroing: bool  # the move is a capture or a pawn move
    given_up: int = 0  # material in pawns that the winning side gives up on that way: 1, 3, 5 or 9
    dtm: ClassVar[None] = None
    dtz: ClassVar[None] = None
    difficulty: ClassVar[None] = None

    @property
    def wdl50(self) -> Wdl50 | None:
        """The result under the 50-move rule, which changes nothing about a draw; else None."""
        return Wdl50.DRAW if self.wdl == Wdl.DRAW else None

    @property
    def result(self) -> Wdl50 | None:
        """The result as if there were no 50-move rule; None if it is open."""
        return None if self.wdl is None else Wdl50(2 * self.wdl)


def dtz_of_position(ranked: Sequence[ProvenMove[M]]) -> int | None:
    """Return a position's distance to zeroing without the 50-move rule, signed, from its moves.

    The best move is the first. 0 for a draw and where there is no move, None if it is not known.
    """
    return ranked[0].dtz_without_rule50 if ranked else 0


def proven_line(
    position: Position[M],
    rank: Callable[[Any], Sequence[ProvenMove[M]]],
    line_of_tables: Callable[[Any], list[M] | None],
) -> list[M]:
    """Return the best moves of both sides from a won or lost position, to mate or as far as known.

    `rank` gives all moves of a `Position.board`, best first, `line_of_tables` the line from a
    position that a table has, None from others.
    """
    line: list[M] = []
    seen = set()
    while (rest := line_of_tables(position)) is None:
        ranked = rank(position.board)
        # Only bounds that somebody has changed lead to a position twice.
        is_known = ranked and ranked[0].wdl and ranked[0].dtz_without_rule50 is not None
        placed = position.fen.rsplit(None, 2)[0]
        if not is_known or placed in seen:
            return line
        seen.add(placed)
        line.append(ranked[0].move)
        position = position.after(ranked[0].move)
    return line + rest
