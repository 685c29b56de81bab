"""Bounds on results, as the file of a region has them, and what follows from results."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import chess

from tablebase.core.ground.capacity import SOLVED_PIECES
from tablebase.core.ground.errors import CorruptTableError
from tablebase.solve.places import count_pieces, place_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from tablebase.solve.region_file import RegionFile

_NAMES = {
    (1, 1): "win",
    (0, 0): "draw",
    (-1, -1): "loss",
    (0, 1): "at_least_draw",
    (-1, 0): "at_most_draw",
    (-1, 1): "unknown",
}


class Bounds(NamedTuple):
    """The worst and the best result that a position may have, from the side to move: -1, 0, 1."""

    least: int = -1
    most: int = 1

    @property
    def result(self) -> int | None:
        """The result if it is proven, else None."""
        return self.least if self.least == self.most else None

    @property
    def name(self) -> str:
        """The name that JSON and proofs have for the bounds."""
        return _NAMES[self]

    def before(self) -> Bounds:
        """Return the bounds for the side that has just moved."""
        return Bounds(-self.most, -self.least)

    def narrowed(self, other: Bounds, board: chess.Board, source: object) -> Bounds:
        """Return the intersection with other bounds on the result of a board.

        If it is empty, `CorruptTableError` names the source of the bounds.
        """
        both = Bounds(max(self.least, other.least), min(self.most, other.most))
        if both.least > both.most:
            raise CorruptTableError(
                f"{source} is damaged: bounds on the result of {board.fen()} contradict each other"
            )
        return both


UNKNOWN = Bounds()


def bounds_in(file: RegionFile, board: chess.Board) -> Bounds | None:
    """Return the bounds that a region has on a result, from the side to move; None if it has none.

    A position of a structure that is not there gets bounds by its moves, or `with_queens` in a
    region of few promotions. Raises `CorruptTableError` if the file is damaged.
    """
    found = _stored_bounds(file, board)
    if found is not None:
        return found
    found = _bounds_by_moves(file, board).narrowed(
        _bounds_with_queens(file, board), board, file.path
    )
    return None if found == UNKNOWN else found


def _stored_bounds(file: RegionFile, board: chess.Board) -> Bounds | None:
    """Return the bounds of a position whose structure the file has, None for others."""
    if board.has_legal_en_passant():
        # The place of the position has the result without this right.
        found = _bounds_by_moves(file, board)
        return None if found == UNKNOWN else found
    place = place_of(board)
    number = file.find(*place.structure)
    if number is None:
        return None
    own, other = place.turn, 1 - place.turn

    def wins(attacker: int, *, upper: bool) -> bool:
        return file.is_won(number, upper, attacker, place[1:])

    least = 1 if wins(own, upper=False) else -1 if wins(other, upper=True) else 0
    most = -1 if wins(other, upper=False) else 1 if wins(own, upper=True) else 0
    return Bounds(least).narrowed(Bounds(most=most), board, file.path)


def _bounds_by_moves(file: RegionFile, board: chess.Board) -> Bounds:
    """Return the bounds that follow from the bounds after the moves."""

    def bounds_of(after: chess.Board) -> Bounds:
        return _stored_bounds(file, after) or _bounds_with_queens(file, after)

    return bounds_by_moves(board, bounds_of)


def _bounds_with_queens(file: RegionFile, board: chess.Board) -> Bounds:
    """Return the bounds that follow from the bounds of positions `with_queens`."""
    found = UNKNOWN
    for color in chess.COLORS if file.header.few else ():
        for queens in with_queens(board, color):
            least, most = _stored_bounds(file, queens) or UNKNOWN
            bounds = Bounds(most=most) if color == board.turn else Bounds(least)
            found = found.narrowed(bounds, board, file.path)
    return found


def with_queens(board: chess.Board, color: chess.Color) -> Iterator[chess.Board]:
    """Yield the legal positions in which queens replace some rooks and bishops of a side.

    In a region of few promotions the side does no better than in any of these, since a queen can do
    all that a rook or bishop does but for stalemates, which the rules of `structures` cover.
    """
    if count_pieces(board) > SOLVED_PIECES:
        return
    squares = list(board.pieces(chess.ROOK, color) | board.pieces(chess.BISHOP, color))
    for count in range(1, len(squares) + 1):
        for replaced in combinations(squares, count):
            after = board.copy(stack=False)
            for square in replaced:
                after.set_piece_at(square, chess.Piece(chess.QUEEN, color))
            if not after.was_into_check():
                yield after


def bounds_by_moves(
    board: chess.Board,
    bounds_of: Callable[[chess.Board], Bounds],
    moves: Iterable[chess.Move] | None = None,
) -> Bounds:
    """Return the bounds on the result of a position by those after its moves, or some of them.

    So en passant captures are counted in, which have no place in a region.
    """
    found = []
    for move in board.legal_moves if moves is None else moves:
        after = board.copy(stack=False)
        after.push(move)
        found.append(bounds_of(after).before())
    if not found:
        return Bounds(-1, -1) if board.is_check() else Bounds(0, 0)
    return best_of(found)


def best_of(bounds: Iterable[Bounds]) -> Bounds:
    """Return the bounds on the best of some results, at least one."""
    least, most = zip(*bounds, strict=True)
    return Bounds(max(least), max(most))
