"""The moves out of a structure, and the moves out of one placement of its pieces.

A structure's list has a row for each way to leave it (`Move`); with the squares of the pieces it
gives the list of a plane (`Out`): the plane and structure that each move leads to, the squares on
which no king may stand, and whether a king captures.
"""

from __future__ import annotations

import numpy as np

from tablebase.core.jit.instructions import lowest_bit
from tablebase.core.jit.kernels import hot_kernel, kernel
from tablebase.solve.kernels.fields import NONE, How, Move, Number, Out, pawns_of
from tablebase.solve.kernels.keys import find_or_add, find_structure, piece_count, read_pieces
from tablebase.solve.kernels.king_planes import (
    LINES,
    PAWN_HITS,
    PIECE_ATTACKS,
    WHITE,
    ZERO,
    bit,
    is_in,
    list_targets,
    read_squares,
)

# Whether structures that a list leads to are added to those that are known.
LOOK, ADD = 0, 1


@kernel
def list_moves_out(region, work, structure, add):
    """Write the list of a structure's moves out, and its pieces in `here`; return its length.

    With ADD, unknown structures are added, for which there must be room; with LOOK they are not.
    """
    men = work.here
    read_pieces(region, structure, men)
    n = 0
    for side in range(2):
        left = region.keys[structure, side]
        while left != ZERO:
            start = lowest_bit(left)
            left &= left - np.uint64(1)
            n = _add_pushes(region, work, structure, n, side, start)
            n = _add_pawn_captures(region, work, structure, n, side, start)
        left = region.keys[structure, 1 - side]
        while left != ZERO:
            n = _add_row(work, n, side, NONE, lowest_bit(left), NONE)
            left &= left - np.uint64(1)
        for j in range(men.size[0]):
            if men.codes[j] // 4 != side:
                n = _add_row(work, n, side, NONE, NONE, j)
    for row in range(n):
        _write_children(region, work, structure, row, add)
    return n


@kernel
def _add_pushes(region, work, structure, n, side, start):
    """Add the pushes of a pawn; return the length."""
    pawns = pawns_of(region, structure)
    step, first_rank = (8, 1) if side == WHITE else (-8, 6)
    target, free = start, ZERO
    for _ in range(2 if start // 8 == first_rank else 1):
        target += step
        if is_in(pawns, target):
            break
        free |= bit(target)
        n = _add_pawn_moves(region, work, n, side, start, target, NONE, free)
    return n


@kernel
def _add_pawn_moves(region, work, n, side, start, target, captured, free):
    """Add a pawn's move to a square: one row, or one for each promotion; return the length."""
    kinds = 1 if 8 <= target < 56 else 4
    for kind in range(kinds):
        if kind in (1, 2) and region.numbers[Number.FEW]:
            continue
        n = _add_row(work, n, side, start, target, captured)
        work.moves[n - 1, Move.FREE] = np.int64(free)
        if kinds > 1:
            work.moves[n - 1, Move.PROMOTED] = 4 * side + kind
    return n


@kernel
def _add_row(work, n, side, start, target, captured):
    """Add a row of a move that is no promotion and needs no free squares; return the length."""
    moves = work.moves
    moves[n, Move.MOVER] = side
    moves[n, Move.FROM] = start
    moves[n, Move.TO] = target
    moves[n, Move.CAPTURED] = captured
    moves[n, Move.PROMOTED] = NONE
    moves[n, Move.FREE] = 0
    return n + 1


@kernel
def _add_pawn_captures(region, work, structure, n, side, start):
    """Add the captures of a pawn, except en passant; return the length."""
    men = work.here
    targets = PAWN_HITS[side, start] & ~region.keys[structure, side]
    while targets != ZERO:
        target = lowest_bit(targets)
        targets &= targets - np.uint64(1)
        if is_in(region.keys[structure, 1 - side], target):
            n = _add_pawn_moves(region, work, n, side, start, target, NONE, ZERO)
            continue
        for j in range(men.size[0]):
            if men.codes[j] // 4 != side:
                n = _add_pawn_moves(region, work, n, side, start, target, j, ZERO)
    return n


@kernel
def _write_children(region, work, structure, row, add):
    """Write which structures a row leads to."""
    moves = work.moves
    side, start, target = moves[row, Move.MOVER], moves[row, Move.FROM], moves[row, Move.TO]
    captured, promoted = moves[row, Move.CAPTURED], moves[row, Move.PROMOTED]
    own, other = region.keys[structure, side], region.keys[structure, 1 - side]
    pieces = region.keys[structure, 2]
    for column in (Move.NEW, Move.BACK, Move.EN_PASSANT, Move.EN_PASSANT_TOO):
        moves[row, column] = NONE
    if captured >= 0:
        pieces -= bit(4 * work.here.codes[captured])
    else:
        other &= ~bit(target)
    if start >= 0:
        own &= ~bit(start)
    before = own
    if promoted >= 0:
        moves[row, Move.BACK] = _number(region, add, side, own, other, pieces)
        moves[row, Move.NEW] = piece_count(pieces & (bit(4 * promoted + 4) - np.uint64(1)))
        pieces += bit(4 * promoted)
    elif start >= 0:
        own |= bit(target)
    moves[row, Move.CHILD] = _number(region, add, side, own, other, pieces)
    if start >= 0 and abs(target - start) == 16:
        ep_square = (start + target) // 2
        hitters = PAWN_HITS[side, ep_square] & other
        for column in (Move.EN_PASSANT, Move.EN_PASSANT_TOO):
            if hitters != ZERO:
                moved = (other & ~bit(lowest_bit(hitters))) | bit(ep_square)
                hitters &= hitters - np.uint64(1)
                moves[row, column] = _number(region, add, side, before, moved, pieces)


@kernel
def _number(region, add, side, own, other, pieces):
    """Return the number of a structure, given the pawns of a side and of the other side."""
    white = own if side == WHITE else other
    black = other if side == WHITE else own
    if add:
        return find_or_add(region, white, black, pieces)
    return find_structure(region, white, black, pieces)


@kernel
def list_plane(region, work, structure, rows, plane, side):
    """Write a side's moves out of a plane, and its squares, to `here`; return the list's length.

    The work space has the structure's list, `rows` long; no two men of the plane share a square.
    """
    men, moves = work.here, work.moves
    stand = read_squares(men, plane)
    occupied = stand | pawns_of(region, structure)
    n = 0
    for row in range(rows):
        if moves[row, Move.MOVER] != side:
            continue
        captured, target = moves[row, Move.CAPTURED], moves[row, Move.TO]
        if moves[row, Move.FROM] >= 0:
            free = np.uint64(moves[row, Move.FREE])
            if free & stand == ZERO and (captured < 0 or men.squares[captured] == target):
                there = _plane_after(men, captured, moves[row, Move.NEW], target)
                n = _write_out(men.out, n, row, there, free, How.KINGS_STAY, target, NONE)
        else:
            if captured >= 0:
                target = men.squares[captured]
            n = list_captures(men, n, side, row, captured, target, occupied)
    return n


@kernel
def _plane_after(men, captured, new, target):
    """Return the plane once a piece is captured (or NONE) and there is a new one (or NONE)."""
    plane, n = 0, 0
    for i in range(men.size[0]):
        if i == captured:
            continue
        if n == new:
            plane |= target << (6 * n)
            n += 1
        plane |= men.squares[i] << (6 * n)
        n += 1
    if n == new:
        plane |= target << (6 * n)
    return plane


@kernel
def _write_out(out, n, row, plane, mask, how, square, piece):
    out[n, Out.ROW] = row
    out[n, Out.PLANE] = plane
    out[n, Out.MASK] = np.int64(mask)
    out[n, Out.HOW] = how
    out[n, Out.SQUARE] = square
    out[n, Out.BY] = piece
    return n + 1


@kernel
def list_captures(men, n, side, row, captured, target, occupied):
    """Write how the king and the pieces of a side can capture on a square; return the new length.

    `row` is of the structure's list, `captured` a piece or NONE, `occupied` without the kings.
    """
    squares = men.squares
    after = _plane_after(men, captured, NONE, 0)
    for i in range(men.size[0]):
        kind, start = men.codes[i] & 3, squares[i]
        if men.codes[i] // 4 != side or not is_in(PIECE_ATTACKS[kind, start], target):
            continue
        line = LINES[start, target]
        if line & occupied == ZERO:
            squares[i] = target
            plane = _plane_after(men, captured, NONE, 0)
            squares[i] = start
            n = _write_out(men.out, n, row, plane, line, How.KINGS_STAY, target, i)
    how = How.WHITE_KING if side == WHITE else How.BLACK_KING
    return _write_out(men.out, n, row, after, ZERO, how, target, NONE)


@hot_kernel
def list_ways(region, work, structure, plane, side):
    """Write where the pieces of a side can move within a structure; return how many ways.

    They are written as `list_targets` does it; `here` has the structure's pieces.
    """
    occupied = read_squares(work.here, plane) | pawns_of(region, structure)
    return list_targets(work.here, plane, occupied, side, work.ways)
