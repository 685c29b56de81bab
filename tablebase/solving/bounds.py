"""Bounds on results, as the file of a region has them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablebase.solving.places import place_of

if TYPE_CHECKING:
    import chess

    from tablebase.storage import RegionFile

# The worst and the best result that a position may have, from the side to move: -1, 0, 1.
Bounds = tuple[int, int]
UNKNOWN: Bounds = (-1, 1)


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
