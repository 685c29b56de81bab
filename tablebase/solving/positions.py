"""Which positions can be solved, and what is refused."""

from __future__ import annotations

import chess

from tablebase.board import CHESS, SOLVED_PIECES, illegality
from tablebase.errors import UnsupportedPositionError


def check_solvable(board: chess.Board) -> None:
    """Raise an error if a position is not one that can be solved.

    Raises
    ------
    UnsupportedPositionError
        If it is illegal, of a variant, has castling rights or too many pieces.
    """
    fen = board.fen(promoted=True)
    if board.uci_variant != CHESS:
        raise UnsupportedPositionError(f"only chess is solved, not {board.uci_variant}: {fen}")
    if reason := illegality(board):
        raise UnsupportedPositionError(f"illegal position, {reason}: {fen}")
    if board.castling_rights:
        raise UnsupportedPositionError(
            f"positions with castling rights are not solved, replace the rights by -: {fen}"
        )
    if board.has_legal_en_passant() and board.status() & chess.STATUS_INVALID_EP_SQUARE:
        raise UnsupportedPositionError(f"no pawn has just passed the en-passant square: {fen}")
    pieces = (board.occupied & ~board.kings & ~board.pawns).bit_count()
    if pieces > SOLVED_PIECES:
        raise UnsupportedPositionError(
            f"{pieces} pieces besides kings and pawns, at most {SOLVED_PIECES} can be solved: {fen}"
        )
