"""From a board to its place in a structure, and what is refused."""

from __future__ import annotations

from typing import NamedTuple

import chess

from tablebase.board import CHESS, illegality
from tablebase.errors import UnsupportedPositionError
from tablebase.solving.planes import MAX_PIECES

_CODES = {chess.QUEEN: 0, chess.ROOK: 1, chess.BISHOP: 2, chess.KNIGHT: 3}


class Place(NamedTuple):
    """A position in the region."""

    white_pawns: int
    black_pawns: int
    pieces: int  # how many there are of each code, four bits for each
    plane: int
    turn: int  # 0 if White is to move
    white_king: int
    black_king: int


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
    if pieces > MAX_PIECES:
        raise UnsupportedPositionError(
            f"{pieces} pieces besides kings and pawns, at most {MAX_PIECES} can be solved: {fen}"
        )


def place_of(board: chess.Board) -> Place:
    """Return where a position stands; a right to capture en passant has no place."""
    men = sorted(
        (_CODES[kind] + (0 if color else 4), square)
        for color in chess.COLORS
        for kind in _CODES
        for square in board.pieces(kind, color)
    )
    white, black = (board.king(color) for color in (chess.WHITE, chess.BLACK))
    assert white is not None
    assert black is not None
    return Place(
        board.pawns & board.occupied_co[chess.WHITE],
        board.pawns & board.occupied_co[chess.BLACK],
        sum(1 << (4 * code) for code, _ in men),
        sum(square << (6 * i) for i, (_, square) in enumerate(men)),
        0 if board.turn else 1,
        white,
        black,
    )
