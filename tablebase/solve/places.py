"""From a board to its place in a region, and which boards have none."""

from __future__ import annotations

from typing import NamedTuple

import chess

from tablebase.core.capacity import SOLVED_PIECES
from tablebase.core.errors import UnsupportedPositionError
from tablebase.core.positions import check_castling, check_legal, check_passing

# Which four bits of a word count pieces of a kind: these for White, the next four for Black.
PIECE_CODES = {chess.QUEEN: 0, chess.ROOK: 1, chess.BISHOP: 2, chess.KNIGHT: 3}


class Structure(NamedTuple):
    """The men that only zeroing moves change: squares of pawns, and kinds of pieces."""

    white_pawns: int  # words
    black_pawns: int
    pieces: int  # how many there are of each code, four bits for each


class Place(NamedTuple):
    """A position in a region."""

    structure: Structure
    plane: int  # squares of the pieces in the order of their codes, six bits for each
    turn: int  # 0 if White is to move
    white_king: int
    black_king: int


def place_of(board: chess.Board) -> Place:
    """Return the place of a position; a right to capture en passant is not part of it."""
    men = sorted(
        (code + (0 if color else 4), square)
        for color in chess.COLORS
        for kind, code in PIECE_CODES.items()
        for square in board.pieces(kind, color)
    )
    white, black = (board.king(color) for color in (chess.WHITE, chess.BLACK))
    assert white is not None
    assert black is not None
    return Place(
        Structure(
            board.pawns & board.occupied_co[chess.WHITE],
            board.pawns & board.occupied_co[chess.BLACK],
            sum(1 << (4 * code) for code, _ in men),
        ),
        sum(square << (6 * i) for i, (_, square) in enumerate(men)),
        0 if board.turn else 1,
        white,
        black,
    )


def structure_of(board: chess.Board) -> Structure:
    """Return the structure of a position."""
    return place_of(board).structure


def check_solvable(board: chess.Board) -> None:
    """Raise an error if a position is not one that can be solved.

    Checkmate and stalemate can be, whatever men there are and whatever rights.

    Raises
    ------
    UnsupportedPositionError
        If it is illegal, of a variant, has castling rights or too many pieces.
    """
    check_legal(board)
    if not board.legal_moves:
        return
    check_castling(board)
    check_passing(board)
    pieces = (board.occupied & ~board.kings & ~board.pawns).bit_count()
    if pieces > SOLVED_PIECES:
        raise UnsupportedPositionError(
            f"{pieces} pieces besides kings and pawns, at most {SOLVED_PIECES} can be solved: "
            f"{board.fen()}"
        )
