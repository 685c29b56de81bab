"""Planes: both kings' squares for one placement of the pieces, as 64 words of 64 bits.

Word ``k`` belongs to the white king on square ``k``, its bits to the black king's. Kernels take a
*line* of eight words at a time. Codes of pieces: queen, rook, bishop, knight are 0 to 3 for White,
4 to 7 for Black.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tablebase.core.board.geometry import PieceType
from tablebase.core.board.movement import make_movement
from tablebase.core.jit.instructions import lowest_bit
from tablebase.core.jit.kernels import hot_kernel, kernel
from tablebase.core.jit.vectors import (
    any_word,
    empty_line,
    line_of_bits,
    load_line,
    shift_down,
    shift_up,
    splat,
    store_line,
    words_down,
    words_up,
)

WHITE, BLACK = 0, 1
KINDS = (PieceType.QUEEN, PieceType.ROOK, PieceType.BISHOP, PieceType.KNIGHT)
MOVEMENT = make_movement()
RAYS, ATTACKS = MOVEMENT.rays[WHITE], MOVEMENT.attacks[WHITE]
MAX_SQUARES = 8  # room for the squares of pieces
WORDS = 64  # of a plane
MOST_WAYS = 96  # of a side's pieces to move: a queen has 27


def _beyond() -> NDArray[np.uint64]:
    """Return the squares that a man on ``t`` hides from a slider on ``s``, uint64 [64 * s + t]."""
    words = np.zeros((64, 64), dtype=np.uint64)
    for first in range(64):
        for last in range(64):
            for middle in range(64):
                if int(LINES[first, last]) >> middle & 1:
                    words[first, middle] |= np.uint64(1 << last)
    return words.ravel()


def _ways() -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """Return the targets of a piece, ray by ray, and the beginnings of the next rays.

    Both are int8 [kind, square, number]; the end is NONE.
    """
    targets = np.full((len(KINDS), 64, 28), -1, dtype=np.int8)
    after = np.full((len(KINDS), 64, 28), -1, dtype=np.int8)
    for code, kind in enumerate(KINDS):
        for square in range(64):
            count = 0
            for ray in RAYS[kind, square]:
                steps = [target for target in ray if target >= 0]
                targets[code, square, count : count + len(steps)] = steps
                after[code, square, count : count + len(steps)] = count + len(steps)
                count += len(steps)
    return targets, after


LINES = np.array(MOVEMENT.between[WHITE, PieceType.QUEEN])
BEYOND = _beyond()
BEFORE = LINES.ravel()
WAYS, AFTER = _ways()
PIECE_RAYS = np.ascontiguousarray(RAYS[list(KINDS)])
PIECE_ATTACKS = np.ascontiguousarray(ATTACKS[list(KINDS)])
PAWN_HITS = np.array(MOVEMENT.attacks[:, PieceType.PAWN])
KING_HITS = np.array(ATTACKS[PieceType.KING])
# [white king] squares for no black king
NEAR = KING_HITS | (np.uint64(1) << np.arange(64, dtype=np.uint64))
NO_FILE_A = np.uint64(0xFEFEFEFEFEFEFEFE)
NO_FILE_H = np.uint64(0x7F7F7F7F7F7F7F7F)
ONE = np.uint64(1)
ZERO = np.uint64(0)


@kernel
def read_squares(men, plane):
    """Write the squares of the pieces of a placement; return their set, zero if two coincide."""
    occupied = ZERO
    for i in range(men.size[0]):
        square = (plane >> (6 * i)) & 63
        men.squares[i] = square
        if is_in(occupied, square):
            return ZERO
        occupied |= bit(square)
    return occupied


@kernel
def is_in(word, square):
    """Return whether a bit is set."""
    return (word >> np.uint64(square)) & ONE != ZERO


@kernel
def bit(square):
    """Return the word with one bit."""
    return ONE << np.uint64(square)


@kernel
def stand_apart(men, stand, pawns):
    """Return whether no two men stand on one square, given the set that `read_squares` returns."""
    return (stand != ZERO or men.size[0] == 0) and stand & pawns == ZERO


@hot_kernel
def clear(rows, start):
    """Empty a plane."""
    for line in range(0, WORDS, 8):
        store_line(rows, start + line, empty_line())


@hot_kernel
def is_empty(rows, start):
    """Return whether a plane is empty."""
    found = empty_line()
    for line in range(0, WORDS, 8):
        found = found | load_line(rows, start + line)
    return not any_word(found)


@hot_kernel
def copy(target, start, source, first):
    """Write a plane over another."""
    for line in range(0, WORDS, 8):
        store_line(target, start + line, load_line(source, first + line))


@hot_kernel
def add(target, start, source, first):
    """Add the positions of a plane to another."""
    for line in range(0, WORDS, 8):
        words = load_line(target, start + line) | load_line(source, first + line)
        store_line(target, start + line, words)


@hot_kernel
def keep(target, start, source, first):
    """Keep the positions of a plane that are in another."""
    for line in range(0, WORDS, 8):
        words = load_line(target, start + line) & load_line(source, first + line)
        store_line(target, start + line, words)


@hot_kernel
def remove(target, start, source, first):
    """Remove the positions of a plane from another."""
    for line in range(0, WORDS, 8):
        words = load_line(target, start + line) & ~load_line(source, first + line)
        store_line(target, start + line, words)


@hot_kernel
def add_moved(target, start, source, first, mask):
    """Add what a man's move reaches."""
    for line in range(0, WORDS, 8):
        moved = load_line(target, start + line) | moved_line(source, first, line, mask)
        store_line(target, start + line, moved)


@hot_kernel
def moved_line(source, first, line, mask):
    """Return the positions of a line that a man's move reaches."""
    return load_line(source, first + line) & ~lost_line(mask, line)


# A line has the words of a plane for the white king on one rank, of which it begins with word
# `line`. No king may stand on the squares of a mask when a man moves over them.
@hot_kernel
def lost_line(mask, line):
    """Return the positions of a line with a king on the squares of a mask."""
    return splat(mask) | line_of_bits(mask >> np.uint64(line))


@hot_kernel
def add_moved_complement(target, start, source, first, mask):
    """Add what a man's move reaches from the positions that are not in a set."""
    for line in range(0, WORDS, 8):
        moved = ~(load_line(source, first + line) | lost_line(mask, line))
        store_line(target, start + line, load_line(target, start + line) | moved)


@kernel
def neighbours(word):
    """Return the squares next to the squares of a word."""
    sides = ((word << ONE) & NO_FILE_A) | ((word >> ONE) & NO_FILE_H)
    both = word | sides
    return sides | (both << np.uint64(8)) | (both >> np.uint64(8))


@kernel
def add_word(target, start, white_kings, word):
    """Add black kings to the words of some white kings."""
    while white_kings != ZERO:
        target[start + lowest_bit(white_kings)] |= word
        white_kings &= white_kings - ONE


@hot_kernel
def king_line(source, first, line, side):
    """Return the positions of a line that a king's moves reach."""
    here = load_line(source, first + line)
    if side == BLACK:
        return black_king_line(here)
    found = words_up(here) | words_down(here)
    if line > 0:
        found = found | _with_sides(load_line(source, first + line - 8))
    if line < WORDS - 8:
        found = found | _with_sides(load_line(source, first + line + 8))
    return found


@hot_kernel
def black_king_line(words):
    """Return the positions that the black king's moves reach from a line."""
    sides = shift_up(words, 1) & splat(NO_FILE_A)
    sides = sides | (shift_down(words, 1) & splat(NO_FILE_H))
    both = words | sides
    return sides | shift_up(both, 8) | shift_down(both, 8)


@hot_kernel
def _with_sides(words):
    return words | words_up(words) | words_down(words)


@hot_kernel
def king_line_complement(source, first, line, side):
    """Return the positions that a king's moves reach from those that are not in a set."""
    here = ~load_line(source, first + line)
    if side == BLACK:
        return black_king_line(here)
    found = words_up(here) | words_down(here)
    if line > 0:
        found = found | _with_sides(~load_line(source, first + line - 8))
    if line < WORDS - 8:
        found = found | _with_sides(~load_line(source, first + line + 8))
    return found


@hot_kernel
def list_targets(men, plane, occupied, side, ways):
    """Write where the pieces of a side can move within a structure; return how many ways.

    `side` is 2 or 3 for a side without its queens. `ways` uint64 [2, MOST_WAYS] becomes where the
    plane that is reached begins in a set, and the squares on which no king may stand.
    """
    count = 0
    for i in range(men.size[0]):
        kind, start = men.codes[i] & 3, men.squares[i]
        if men.codes[i] // 4 != side & 1 or (side > 1 and kind == 0):
            continue
        n = np.int64(0)
        target = np.int64(WAYS[kind, start, 0])
        while target >= 0:
            if is_in(occupied, target):
                n = np.int64(AFTER[kind, start, n])
            else:
                ways[0, count] = np.uint64((plane + ((target - start) << (6 * i))) * WORDS)
                ways[1, count] = LINES[start, target] | bit(target)
                count += 1
                n += 1
            target = np.int64(WAYS[kind, start, n])
    return count


@hot_kernel
def write_legal(men, white_pawns, black_pawns, turn, rows, start):
    """Write a plane, to `rows` from `start` on, of where the kings may stand with a side to move.

    The king of the other side must not be in check.
    """
    occupied = white_pawns | black_pawns
    for i in range(men.size[0]):
        occupied |= bit(men.squares[i])
    if turn == WHITE:
        left = white_pawns
        hit = ((left << np.uint64(9)) & NO_FILE_A) | ((left << np.uint64(7)) & NO_FILE_H)
    else:
        left = black_pawns
        hit = ((left >> np.uint64(7)) & NO_FILE_A) | ((left >> np.uint64(9)) & NO_FILE_H)
    no_white = occupied if turn == WHITE else occupied | hit
    no_black = occupied | hit if turn == WHITE else occupied
    for line in range(0, WORDS, 8):
        words = load_line(NEAR, line) | line_of_bits(no_white >> np.uint64(line))
        store_line(rows, start + line, ~(words | splat(no_black)))
    for i in range(men.size[0]):
        if men.codes[i] // 4 != turn:
            continue
        square = men.squares[i]
        seen = attacks(men.codes[i] & 3, square, occupied)
        for line in range(0, WORDS, 8):
            # A king hides what lies behind it from the other one's attackers.
            if turn == WHITE:
                safe = ~splat(seen) | load_line(BEYOND, 64 * square + line)
            else:
                safe = ~line_of_bits(seen >> np.uint64(line))
                safe = safe | load_line(BEFORE, 64 * square + line)
            store_line(rows, start + line, load_line(rows, start + line) & safe)


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
