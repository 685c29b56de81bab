"""From a board to its place in a region, and which boards have none."""

from __future__ import annotations

from typing import NamedTuple

import chess

from tablebase.core.ground.capacity import SOLVED_PIECES
from tablebase.core.ground.errors import UnsupportedPositionError
from tablebase.core.positions.chess_board import check_castling, check_en_passant, check_legal
from tablebase.solve.packed import Packed


class Structure(NamedTuple):
    """The men that only zeroing moves change: squares of pawns, and kinds of pieces."""

    white_pawns: int  # words
    black_pawns: int
    pieces: int  # how many there are of each code, four bits for each; see `king_planes`


class Place(NamedTuple):
    """A position in a region."""

    structure: Structure
    plane: int  # squares of the pieces in the order of their codes, six bits for each
    turn: int  # 0 if White is to move
    white_king: int
    black_king: int


def structure_of(board: chess.Board) -> Structure:
    """Return the structure of a position."""
    return place_of(board).structure


def place_of(board: chess.Board) -> Place:
    """Return the place of a position; en passant rights are not part of it."""
    men = board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings
    return place_of_packed((*men, board.occupied_co[chess.WHITE], 0), board.turn)


def place_of_packed(packed: Packed, turn: chess.Color) -> Place:
    """Return the place of a position, as `place_of` does."""
    pawns, knights, bishops, rooks, queens, kings, white, _ = packed
    plane = pieces = shift = 0
    if knights | bishops | rooks | queens:
        for side, own in ((0, white), (4, ~white)):
            for code, word in enumerate((queens, rooks, bishops, knights), side):
                left = word & own
                while left:
                    plane |= ((left & -left).bit_length() - 1) << shift
                    left &= left - 1
                    shift += 6
                    pieces += 1 << (4 * code)
    return Place(
        Structure(pawns & white, pawns & ~white, pieces),
        plane,
        0 if turn else 1,
        (kings & white).bit_length() - 1,
        (kings & ~white).bit_length() - 1,
    )


def check_solvable(board: chess.Board) -> None:
    """Refuse a position that cannot be solved, by `UnsupportedPositionError`.

    That is one that is illegal, of a variant, with castling rights or too many pieces. Checkmate
    and stalemate can always be.
    """
    check_legal(board)
    if not board.legal_moves:
        return
    check_castling(board)
    check_en_passant(board)
    pieces = count_pieces(board)
    if pieces > SOLVED_PIECES:
        raise UnsupportedPositionError(
            f"{pieces} pieces besides kings and pawns, but at most {SOLVED_PIECES} can be solved: "
            f"{board.fen()}"
        )


def count_pieces(board: chess.Board) -> int:
    """Return the number of men besides kings and pawns."""
    return (board.occupied & ~board.kings & ~board.pawns).bit_count()
