"""Bounds on results, as the file of a region has them, and what follows from results alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablebase.errors import CorruptTableError
from tablebase.solving.places import place_of

if TYPE_CHECKING:
    from collections.abc import Callable

    import chess

    from tablebase.storage import RegionFile

# The worst and the best result that a position may have, from the side to move: -1, 0, 1.
Bounds = tuple[int, int]
UNKNOWN: Bounds = (-1, 1)


def bounds_by_moves(board: chess.Board, bounds_of: Callable[[chess.Board], Bounds]) -> Bounds:
    """Return the bounds on the result of a position by those of the positions after its moves."""
    found = []
    for move in board.legal_moves:
        after = board.copy(stack=False)
        after.push(move)
        least, most = bounds_of(after)
        found.append((-most, -least))
    if not found:
        return (-1, -1) if board.is_check() else (0, 0)
    return max(least for least, _ in found), max(most for _, most in found)


def contradiction_of(board: chess.Board) -> str:
    """Return in words that a lower bound exceeds an upper one."""
    return f"bounds on the result of {board.fen()} contradict each other"


def bounds_in(file: RegionFile, board: chess.Board) -> Bounds | None:
    """Return the bounds that a region has on a result, from the side to move; None if it has none.

    A position of a structure that is not there has those that its moves give it: a man that has
    just promoted and can be captured, say.

    Raises
    ------
    CorruptTableError
        If the file is damaged.
    """
    found = _stored_bounds(file, board)
    if found is not None:
        return found
    found = bounds_by_moves(board, lambda after: _stored_bounds(file, after) or UNKNOWN)
    return None if found == UNKNOWN else found


def _stored_bounds(file: RegionFile, board: chess.Board) -> Bounds | None:
    """Return the same of a position of a structure that is there, None for others."""
    if board.has_legal_en_passant():
        # The place of the position has the result without this right.
        found = bounds_by_moves(board, lambda after: _stored_bounds(file, after) or UNKNOWN)
        return None if found == UNKNOWN else found
    place = place_of(board)
    number = file.find(*place[:3])
    if number is None:
        return None
    own, other = place.turn, 1 - place.turn

    def wins(attacker: int, *, upper: bool) -> bool:
        return file.is_won(number, upper, attacker, place[3:])

    least = 1 if wins(own, upper=False) else -1 if wins(other, upper=True) else 0
    most = -1 if wins(other, upper=False) else 1 if wins(own, upper=True) else 0
    if least > most:
        raise CorruptTableError(f"{file.path} is damaged: {contradiction_of(board)}")
    return least, most
