"""How the 50-move rule may interfere with a result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tablebase.core.outcomes.metrics import FIFTY_MOVES
from tablebase.core.positions.any_position import as_position
from tablebase.core.positions.position import Position


def fifty_move_warning(board: Any, plies: int | None, line: Sequence[Any] = ()) -> str:
    """Return in words how the 50-move rule may interfere with a win or loss, nothing if it cannot.

    Distances to mate disregard the rule; mate counts before the claim of a draw.

    Parameters
    ----------
    board
        A board or a position, whose halfmove clock is right.
    plies
        Its distance to mate, signed or not; 0 for a draw, None if it is not known.
    line
        Best play up to mate, if known: then captures and pawn moves in it are considered.

    Examples
    --------
    >>> import chess
    >>> board = chess.Board("8/8/8/8/8/2k5/1R6/K7 w - - 80 90")
    >>> fifty_move_warning(board, 31)
    'the 50-move rule may interfere: 31 plies to mate, 80 since the last capture or pawn move'
    >>> fifty_move_warning(board, 20)
    ''
    """
    position: Position[Any] = as_position(board)
    clock = position.clock
    if not plies or clock + abs(plies) <= FIFTY_MOVES or not position.rules.fifty_moves:
        return ""
    if line and len(line) == abs(plies) and not _draw_can_be_claimed(position, line):
        return ""
    return (
        f"the 50-move rule may interfere: {abs(plies)} plies to mate, "
        f"{clock} since the last capture or pawn move"
    )


def _draw_can_be_claimed(position: Position[Any], line: Sequence[Any]) -> bool:
    """Return whether the clock reaches 50 moves before the last of some moves."""
    for move in line[:-1]:
        position = position.after(move)
        if position.clock >= FIFTY_MOVES:
            return True
    return False
