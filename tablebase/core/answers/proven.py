"""Lines of moves whose results are proven without a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tablebase.core.answers.ranking import KnownMove
    from tablebase.core.positions.position import M, Position


def dtz_of_position(ranked: Sequence[KnownMove[M]]) -> int | None:
    """Return a position's distance to zeroing without the 50-move rule, signed, from its moves.

    The best move is the first. 0 for a draw and where there is no move, None if it is not known.
    """
    return ranked[0].dtz_without_rule50 if ranked else 0


def proven_line(
    position: Position[M],
    rank: Callable[[Any], Sequence[KnownMove[M]]],
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
