"""Planes: both kings' squares for one placement of the pieces, as 64 words of 64 bits.

Word ``k`` of a plane belongs to the white king on square ``k``, its bits to the black king's.
Sets of positions are planes in an array of words, found by where they begin.

Pieces have codes: queen, rook, bishop and knight are 0 to 3 for White, 4 to 7 for Black.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tablebase.board import ATTACKS, BETWEEN, KING_ATTACKS, PAWN_ATTACKS, RAYS, PieceType
from tablebase.jit import hot_kernel, kernel, work_space

WHITE, BLACK = 0, 1
KINDS = (PieceType.QUEEN, PieceType.ROOK, PieceType.BISHOP, PieceType.KNIGHT)
# Most pieces besides kings and pawns: four would have sixteen million placements.
MAX_PIECES = 3
MAX_SQUARES = 8  # room for the squares of pieces
WORDS = 64  # of a plane


def _beyond() -> NDArray[np.uint64]:
    """Return the squares that a man on ``t`` hides from a slider on ``s``, uint64 [s, t]."""
    words = np.zeros((64, 64), dtype=np.uint64)
    for first in range(64):
        for last in range(64):
            for middle in range(64):
                if int(BETWEEN[first, last]) >> middle & 1:
                    words[first, middle] |= np.uint64(1 << last)
    return words


BEYOND = _beyond()
PIECE_RAYS = np.ascontiguousarray(RAYS[list(KINDS)])
PIECE_ATTACKS = np.ascontiguousarray(ATTACKS[list(KINDS)])
PAWN_HITS = np.array(PAWN_ATTACKS)
KING_HITS = np.array(KING_ATTACKS)
LINES = np.array(BETWEEN)
NO_FILE_A = np.uint64(0xFEFEFEFEFEFEFEFE)
NO_FILE_H = np.uint64(0x7F7F7F7F7F7F7F7F)
# [square] all bits, but none on the first, or last, file
NOT_FIRST = np.array([(2**64 - 1) * (k % 8 > 0) for k in range(64)], dtype=np.uint64)
NOT_LAST = np.array([(2**64 - 1) * (k % 8 < 7) for k in range(64)], dtype=np.uint64)
ONE = np.uint64(1)
ZERO = np.uint64(0)
FULL = np.uint64(0xFFFFFFFFFFFFFFFF)


@kernel
def bit(square):
    """Return the word with one bit."""
    return ONE << np.uint64(square)


@kernel
def is_in(word, square):
    """Return whether a bit is set."""
    return (word >> np.uint64(square)) & ONE != ZERO


@kernel
def read_squares(plane, pieces, squares):
    """Write the squares of the pieces of a placement; return their set, zero if two coincide."""
    occupied = ZERO
    for i in range(pieces):
        square = (plane >> (6 * i)) & 63
        squares[i] = square
        if is_in(occupied, square):
            return ZERO
        occupied |= bit(square)
    return occupied


@hot_kernel
def clear(rows, start):
    """Empty a plane."""
    for k in range(64):
        rows[start + k] = ZERO


@hot_kernel
def is_empty(rows, start):
    """Return whether a plane is empty."""
    word = ZERO
    for k in range(64):
        word |= rows[start + k]
    return word == ZERO


@hot_kernel
def add_moved(target, start, source, first, mask):
    """Add what a man's move reaches: no king may stand on the squares of the mask."""
    for k in range(64):
        lost = mask | (ZERO - ((mask >> np.uint64(k)) & ONE))
        target[start + k] |= source[first + k] & ~lost


@hot_kernel
def add_moved_complement(target, start, source, first, mask):
    """Add the same of the positions that are not in a set."""
    for k in range(64):
        lost = mask | (ZERO - ((mask >> np.uint64(k)) & ONE))
        target[start + k] |= ~(source[first + k] | lost)


@kernel
def neighbours(word):
    """Return the squares next to those of a word."""
    sides = ((word << ONE) & NO_FILE_A) | ((word >> ONE) & NO_FILE_H)
    both = word | sides
    return sides | (both << np.uint64(8)) | (both >> np.uint64(8))


@hot_kernel
def add_king_moved(target, start, source, first, side):
    """Add what a king's moves reach."""
    if side == BLACK:
        for k in range(64):
            target[start + k] |= neighbours(source[first + k])
    else:
        # A rank of empty squares below and above the board.
        board = work_space(80, np.uint64)
        row = work_space(80, np.uint64)
        for k in range(8):
            board[k] = board[72 + k] = row[k] = row[72 + k] = ZERO
        for k in range(64):
            board[8 + k] = source[first + k]
        for k in range(64):
            row[8 + k] = (board[7 + k] & NOT_FIRST[k]) | (board[9 + k] & NOT_LAST[k])
        for k in range(64):
            target[start + k] |= row[8 + k]
            board[8 + k] |= row[8 + k]
        for k in range(64):
            target[start + k] |= board[k] | board[16 + k]


@kernel
def attacks(kind, square, occupied):
    """Return the squares that a piece attacks."""
    found = ZERO
    for ray in range(8):
        for step in range(7):
            target = np.int64(PIECE_RAYS[kind, square, ray, step])
            if target < 0:
                break
            found |= bit(target)
            if is_in(occupied, target):
                break
    return found


@hot_kernel
def write_legal(white_pawns, black_pawns, codes, squares, pieces, turn, rows, start):
    """Write where the kings may stand with a side to move: the other one must not be in check.

    Parameters
    ----------
    white_pawns, black_pawns
        The pawns, as words.
    codes, squares
        int64 [pieces], the pieces.
    turn
        The side to move.
    rows, start
        Where the plane is written.
    """
    occupied = white_pawns | black_pawns
    for i in range(pieces):
        occupied |= bit(squares[i])
    pawns = white_pawns if turn == WHITE else black_pawns
    hit = ZERO
    left = pawns
    if turn == WHITE:
        hit = ((left << np.uint64(9)) & NO_FILE_A) | ((left << np.uint64(7)) & NO_FILE_H)
    else:
        hit = ((left >> np.uint64(7)) & NO_FILE_A) | ((left >> np.uint64(9)) & NO_FILE_H)
    for k in range(64):
        word = ~(occupied | KING_HITS[k] | bit(k))
        if is_in(occupied, k):
            word = ZERO
        if turn == WHITE:
            word &= ~hit
        elif is_in(hit, k):
            word = ZERO
        rows[start + k] = word
    for i in range(pieces):
        if codes[i] // 4 != turn:
            continue
        square = squares[i]
        seen = attacks(codes[i] & 3, square, occupied)
        if turn == WHITE:
            for k in range(64):
                # The white king hides what lies behind it.
                rows[start + k] &= ~(seen & ~(BEYOND[square, k] if is_in(seen, k) else ZERO))
        else:
            for k in range(64):
                if is_in(seen, k):
                    rows[start + k] &= LINES[square, k]
