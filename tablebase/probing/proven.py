"""The moves of a position that a region knows, in order of their proven results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tablebase.board import Wdl
from tablebase.errors import MissingTableError, UnsupportedPositionError
from tablebase.solving import conversion_of_move

if TYPE_CHECKING:
    from collections.abc import Callable

    import chess

    from tablebase.solving import Conversions

_FAR = 1 << 30


@dataclass(frozen=True, slots=True)
class ProvenMove:
    """A legal move and what is proven of it, seen from the side that makes it.

    Attributes
    ----------
    move : chess.Move
        The move.
    wdl : Wdl or None
        The result with best play after it, without the 50-move rule; None if it is open.
    conversion : int or None
        Plies up to the next capture, pawn move or mate on the proven way, this move included:
        positive for a win, negative for a loss, 0 for a draw only. No win takes longer; there may
        be a faster way where nothing is proven. None if it is not known.
    mate : bool
        Whether the move gives checkmate.
    zeroing : bool
        Whether it is a capture or a pawn move.
    """

    move: chess.Move
    wdl: Wdl | None
    conversion: int | None
    mate: bool
    zeroing: bool


def rank_proven(
    board: chess.Board,
    result: int,
    wdl_of: Callable[[chess.Board], int | None],
    conversions: Conversions | None,
) -> list[ProvenMove]:
    """Return every legal move with what is proven of it, best first.

    Parameters
    ----------
    board
        A position with a proven result.
    result
        That result, from the side to move.
    wdl_of
        Gives the results of positions, None if one is not known.
    conversions
        Distances in the position's structure, if there are any.
    """
    ranked = []
    # A move of which nothing is proven may be the one that wins, or else it may lose.
    unknown = 0.5 if result > 0 else -0.5
    for move in board.legal_moves:
        after = board.copy(stack=False)
        after.push(move)
        found = wdl_of(after)
        # Of a lost position every move loses, also a promotion that nobody needed to look at.
        wdl = Wdl.LOSS if result < 0 else None if found is None else Wdl(-found)
        if conversions is not None:
            plies = conversions.of_move(board, move, wdl)
        else:
            plies = conversion_of_move(board, move, wdl)
        mate = after.is_checkmate()
        ranked.append(ProvenMove(move, wdl, 1 if mate else plies, mate, board.is_zeroing(move)))

    def order(one: ProvenMove) -> tuple[float, int, bool, bool, int, str]:
        worth = unknown if one.wdl is None else one.wdl
        far = _FAR if worth > 0 else -_FAR
        plies = far if one.conversion is None else one.conversion
        promotion = one.move.promotion or 0  # a queen rather than others if nothing else is known
        return -worth, plies, not one.mate, not one.zeroing, -promotion, one.move.uci()

    return sorted(ranked, key=order)


def proven_line(
    board: chess.Board,
    rank: Callable[[chess.Board], list[ProvenMove]],
    has_table: Callable[[chess.Board], bool],
    line_of_tables: Callable[[chess.Board], list[chess.Move]],
) -> list[chess.Move]:
    """Return the best moves of both sides from a position that is proven to be won or lost.

    Parameters
    ----------
    board
        The position.
    rank
        Gives all moves of a position, best first; raises an error if no region has it.
    has_table
        Tells whether a table has a position.
    line_of_tables
        Gives the line from there on.

    Returns
    -------
    list[chess.Move]
        Up to mate, or to where nothing tells of progress.
    """
    line: list[chess.Move] = []
    board = board.copy(stack=False)
    while True:
        if has_table(board):
            return line + line_of_tables(board)
        try:
            ranked = rank(board)
        except (MissingTableError, UnsupportedPositionError):
            return line
        if not ranked or not ranked[0].wdl or ranked[0].conversion is None:
            return line
        line.append(ranked[0].move)
        board.push(ranked[0].move)
