"""Which positions can be solved, and what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablebase.board import SOLVED_PIECES, check_castling, check_legal, check_passing
from tablebase.errors import UnsupportedPositionError

if TYPE_CHECKING:
    import chess


def check_solvable(board: chess.Board) -> None:
    """Raise an error if a position is not one that can be solved.

    Raises
    ------
    UnsupportedPositionError
        If it is illegal, of a variant, has castling rights or too many pieces.
    """
    check_legal(board)
    check_castling(board)
    check_passing(board)
    pieces = (board.occupied & ~board.kings & ~board.pawns).bit_count()
    if pieces > SOLVED_PIECES:
        raise UnsupportedPositionError(
            f"{pieces} pieces besides kings and pawns, at most {SOLVED_PIECES} can be solved: "
            f"{board.fen()}"
        )
