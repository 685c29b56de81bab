"""Positions as eight words of squares, as in files of proofs, and moves made on these words."""

from __future__ import annotations

from typing import TypeAlias

import chess

# The squares of pawns, knights, bishops, rooks, queens, kings, of White's men, and the square
# behind a pawn that may be captured en passant. The side to move is not part of it.
Packed: TypeAlias = tuple[int, int, int, int, int, int, int, int]


def board_of_packed(packed: Packed, turn: chess.Color) -> chess.Board:
    """Return the position of eight words, with a side to move."""
    board = chess.Board(None)
    *kinds, white, en_passant = packed
    board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings = kinds
    board.occupied = sum(kinds)
    board.occupied_co[chess.WHITE] = white
    board.occupied_co[chess.BLACK] = board.occupied & ~white
    board.ep_square = en_passant.bit_length() - 1 if en_passant else None
    board.turn = turn
    return board


def packed_after(board: chess.Board, packed: Packed, move: chess.Move) -> Packed:
    """Return the words of the position after a legal move, which must not castle.

    >>> board = chess.Board("8/8/8/8/8/8/k7/2K5 w - - 0 1")
    >>> after = packed_after(board, packed_of(board), chess.Move.from_uci("c1d2"))
    >>> [hex(word) for word in after[5:]]
    ['0x900', '0x800', '0x0']
    """
    start, end = 1 << move.from_square, 1 << move.to_square
    kind = board.piece_type_at(move.from_square) or 0
    if kind == chess.PAWN and (
        abs(move.from_square - move.to_square) == 16 or move.to_square == board.ep_square
    ):
        board.push(move)
        found = packed_of(board)
        board.pop()
        return found
    words = list(packed)
    words[7] = 0
    if board.occupied & end:
        words[:7] = [word & ~end for word in words[:7]]
    words[kind - 1] &= ~start
    words[(move.promotion or kind) - 1] |= end
    if board.turn:
        words[6] = words[6] & ~start | end
    return tuple(words)  # type: ignore[return-value]


def packed_of(board: chess.Board) -> Packed:
    """Return the words of a position; an en passant right counts if a move uses it."""
    en_passant = 1 << board.ep_square if board.ep_square and board.has_legal_en_passant() else 0
    return (
        board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings,
        board.occupied_co[chess.WHITE], en_passant,
    )  # fmt: skip


def cannot_lose(packed: Packed, side: chess.Color) -> bool:
    """Return whether no moves at all could mate a side.

    The other side has a bare king, or a knight or bishop against a bare king.
    """
    pawns, knights, bishops, rooks, queens, kings, white, _ = packed
    occupied = pawns | knights | bishops | rooks | queens | kings
    other = occupied & ~white if side else white
    if other.bit_count() == 1:
        return True
    return occupied.bit_count() == 3 and not pawns | rooks | queens
