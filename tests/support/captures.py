"""What can be captured, by python-chess."""

import chess

from tablebase.core.board.geometry import WORTH


def prey_of(board):
    """Return what the best man is worth that can be captured, pins and checks left out."""
    found = [
        WORTH[board.piece_type_at(move.to_square)]
        for move in board.generate_pseudo_legal_captures()
        if board.piece_type_at(move.from_square) != chess.KING or not board.is_into_check(move)
    ]
    return max(found, default=0)
