"""The edge to python-chess: boards into materials, squares and words, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import chess
import numpy as np

from tablebase.errors import UnsupportedPositionError
from tablebase.geometry import Color, PieceType
from tablebase.material import MAX_MEN, Material

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

COLORS: dict[chess.Color, Color] = {chess.WHITE: Color.WHITE, chess.BLACK: Color.BLACK}
_CHESS_COLORS = {color: chess_color for chess_color, color in COLORS.items()}


def board_words(board: chess.Board) -> tuple[int, ...]:
    """Return a board as words: pawns to kings, White's men, whether White is to move."""
    return (
        board.pawns,
        board.knights,
        board.bishops,
        board.rooks,
        board.queens,
        board.kings,
        board.occupied_co[chess.WHITE],
        board.turn,
    )


def words_of_boards(boards: Iterable[chess.Board]) -> NDArray[np.uint64]:
    """Return boards as words, uint64 [n, 8]; see `board_words`."""
    words = np.array([board_words(board) for board in boards], dtype=np.uint64)
    return words.reshape(-1, 8)


def check_supported(board: chess.Board) -> None:
    """Raise an error if tables cannot tell the value of a position, whatever tables there are.

    Raises
    ------
    UnsupportedPositionError
        If there are castling rights or too many men, or the position is illegal.
    """
    fen = board.fen()
    if board.castling_rights:
        raise UnsupportedPositionError(f"positions with castling rights have no value: {fen}")
    men = board.occupied.bit_count()
    if men > MAX_MEN:
        raise UnsupportedPositionError(f"{men} men, tables know at most {MAX_MEN}: {fen}")
    for color in chess.COLORS:
        kings = (board.kings & board.occupied_co[color]).bit_count()
        if kings != 1:
            name = chess.COLOR_NAMES[color]
            raise UnsupportedPositionError(f"{name} has {kings} kings instead of one: {fen}")
    if board.pawns & chess.BB_BACKRANKS:
        raise UnsupportedPositionError(f"a pawn stands on the first or last rank: {fen}")
    if board.was_into_check():
        raise UnsupportedPositionError(
            f"illegal position, the side to move could take the king: {fen}"
        )
    if board.has_legal_en_passant() and board.status() & chess.STATUS_INVALID_EP_SQUARE:
        raise UnsupportedPositionError(f"no pawn has just passed the en-passant square: {fen}")


def material_of(board: chess.Board) -> Material:
    """Return the men on a board, not normalized."""
    white, black = (
        tuple(
            PieceType(kind)
            for kind in chess.PIECE_TYPES
            if kind != chess.KING
            for _ in range(board.pieces_mask(kind, color).bit_count())
        )
        for color in chess.COLORS
    )
    return Material(white, black)


def squares_of(board: chess.Board, material: Material) -> NDArray[np.uint8]:
    """Return the squares of the men on a board, in the order of ``material.men``.

    Parameters
    ----------
    board
        A position.
    material
        Exactly its men.

    Returns
    -------
    NDArray[np.uint8]
        Shape [men].
    """
    counts = [(Color.WHITE, PieceType.KING, 1), (Color.BLACK, PieceType.KING, 1), *material.groups]
    squares = [
        square for color, kind, _ in counts for square in board.pieces(kind, _CHESS_COLORS[color])
    ]
    return np.array(squares, dtype=np.uint8)


def board_of(material: Material, squares: Sequence[int], turn: chess.Color) -> chess.Board:
    """Return the board with the men of a material on the given squares.

    Parameters
    ----------
    material
        The men.
    squares
        Their squares, in the order of ``material.men``.
    turn
        Side to move.
    """
    board = chess.Board(None)
    for (color, kind), square in zip(material.men, squares, strict=True):
        board.set_piece_at(int(square), chess.Piece(kind, _CHESS_COLORS[color]))
    board.turn = turn
    return board
