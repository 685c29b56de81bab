"""Bounds on results, as the file of a region has them, and what follows from results alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablebase.errors import CorruptTableError
from tablebase.solving.places import place_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    import chess

    from tablebase.storage import RegionFile

# The worst and the best result that a position may have, from the side to move: -1, 0, 1.
Bounds = tuple[int, int]
UNKNOWN: Bounds = (-1, 1)


def contradiction_of(board: chess.Board) -> str:
    """Return in words that a lower bound exceeds an upper one."""
    return f"bounds on the result of {board.fen()} contradict each other"


def bounds_in(file: RegionFile, board: chess.Board) -> Bounds | None:
    """Return the bounds that a region has on a result, from the side to move; None if it has none.

    Raises
    ------
    CorruptTableError
        If the file is damaged.
    """
    if not board.has_legal_en_passant():
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
    # The place of the position has the result without this right.
    found = []
    for move in board.legal_moves:
        after = board.copy(stack=False)
        after.push(move)
        found.append(bounds_in(file, after) or UNKNOWN)
    if all(one == UNKNOWN for one in found):
        return None
    return max(-most for _, most in found), max(-least for least, _ in found)


def conversion_of_move(board: chess.Board, move: chess.Move, result: int | None) -> int | None:
    """Return the plies of a move up to a conversion, signed, if its result alone tells them.

    That is so if it is a capture or a pawn's move, or draws; else None.

    Parameters
    ----------
    board
        The position.
    move
        A legal move.
    result
        What is proven of it, for who makes it: 1, 0, -1; None if nothing is.
    """
    if result is None or (result != 0 and not board.is_zeroing(move)):
        return None
    return int(result)


def conversion_of_position(result: int, moves: Iterable[int | None]) -> int | None:
    """Return the plies of a position up to a conversion, signed, from those of all its moves.

    Parameters
    ----------
    result
        What is proven of the position: 1 if the side to move wins, 0, -1.
    moves
        Plies of its moves, None for those that are not known.

    Returns
    -------
    int or None
        0 for a draw or if there is no move; None if it is not known.
    """
    found = list(moves)
    known = [plies for plies in found if plies is not None]
    if result == 0 or not found:
        return 0
    if result > 0:
        return min((plies for plies in known if plies > 0), default=None)
    return min(known) if len(known) == len(found) else None
