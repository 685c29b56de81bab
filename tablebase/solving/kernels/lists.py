"""The moves out of a structure, and those of one placement of its pieces.

A structure's list has a row for each way to leave it, see the columns below. From it, and the
squares of the pieces, comes the list of a plane: which plane of which structure each move leads to,
on which squares no king may stand, and whether it is a king that captures.
"""

from __future__ import annotations

import numpy as np

from tablebase.jit import kernel, lowest_bit
from tablebase.solving.kernels.fields import CAPTURES, NONE, PAWN_MOVES, How, Move, Number, Out
from tablebase.solving.kernels.keys import find, find_or_add, read_codes
from tablebase.solving.kernels.planes import (
    LINES,
    PAWN_HITS,
    PIECE_ATTACKS,
    WHITE,
    ZERO,
    bit,
    is_in,
)


@kernel
def _get(region, add, white_pawns, black_pawns, pieces):
    if add:
        return find_or_add(region, white_pawns, black_pawns, pieces)
    return find(region, white_pawns, black_pawns, pieces)


@kernel
def _by_side(region, add, side, own, other, pieces):
    if side == WHITE:
        return _get(region, add, own, other, pieces)
    return _get(region, add, other, own, pieces)


@kernel
def _write(moves, n, side, kind, start, target, captured, new, child, free):
    moves[n, Move.MOVER] = side
    moves[n, Move.KIND] = kind
    moves[n, Move.FROM] = start
    moves[n, Move.TO] = target
    moves[n, Move.CAPTURED] = captured
    moves[n, Move.NEW] = new
    moves[n, Move.CHILD] = child
    moves[n, Move.FREE] = np.int64(free)
    moves[n, Move.BACK] = NONE
    moves[n, Move.PASSING] = NONE
    moves[n, Move.PASSING_TOO] = NONE
    return n + 1


@kernel
def _write_arrivals(region, add, moves, n, side, own, other, pieces, start, target, captured, free):
    """Write a pawn's move to a square: one row, or four if it promotes.

    `own`, `other` and `pieces` are as they are before, but for a captured man, who is gone.
    """
    left = own & ~bit(start)
    if 8 <= target < 56:
        child = _by_side(region, add, side, left | bit(target), other, pieces)
        return _write(moves, n, side, PAWN_MOVES, start, target, captured, NONE, child, free)
    back = _by_side(region, add, side, left, other, pieces)
    for kind in range(4):
        if region.numbers[Number.FEW] and kind in (1, 2):
            continue
        code = 4 * side + kind
        new = np.int64(0)
        for lower in range(code + 1):
            new += np.int64((pieces >> np.uint64(4 * lower)) & np.uint64(15))
        child = _by_side(region, add, side, left, other, pieces + bit(4 * code))
        n = _write(moves, n, side, PAWN_MOVES, start, target, captured, new, child, free)
        moves[n - 1, Move.BACK] = back
    return n


@kernel
def _write_pushes(region, add, moves, n, side, own, other, pieces, start):
    """Write the pushes of a pawn."""
    step = 8 if side == WHITE else -8
    pawns = own | other
    target = start + step
    if is_in(pawns, target):
        return n
    free = bit(target)
    n = _write_arrivals(region, add, moves, n, side, own, other, pieces, start, target, NONE, free)
    passed = target
    target += step
    if start // 8 != (1 if side == WHITE else 6) or is_in(pawns, target):
        return n
    free |= bit(target)
    n = _write_arrivals(region, add, moves, n, side, own, other, pieces, start, target, NONE, free)
    column = Move.PASSING
    hitters = PAWN_HITS[side, passed] & other
    while hitters != ZERO:
        taker = lowest_bit(hitters)
        hitters &= hitters - np.uint64(1)
        moved = (other & ~bit(taker)) | bit(passed)
        moves[n - 1, column] = _by_side(region, add, side, own & ~bit(start), moved, pieces)
        column = Move.PASSING_TOO
    return n


@kernel
def _write_pawn_captures(region, add, moves, n, side, own, other, pieces, codes, count, start):
    """Write the captures of a pawn."""
    targets = PAWN_HITS[side, start]
    while targets != ZERO:
        target = lowest_bit(targets)
        targets &= targets - np.uint64(1)
        if is_in(other, target):
            rest = other & ~bit(target)
            n = _write_arrivals(
                region, add, moves, n, side, own, rest, pieces, start, target, NONE, ZERO
            )
        elif not is_in(own, target):
            for j in range(count):
                if codes[j] // 4 != side:
                    rest = pieces - bit(4 * codes[j])
                    n = _write_arrivals(
                        region,
                        add,
                        moves,
                        n,
                        side,
                        own,
                        other,
                        rest,
                        start,
                        target,
                        j,
                        ZERO,
                    )
    return n


@kernel
def list_moves(region, structure, codes, add, moves):
    """Write the list of a structure's moves out, and the codes of its pieces; return its length.

    Parameters
    ----------
    region
        A record of `RegionFields`.
    structure
        Its number.
    codes
        int64 [MAX_SQUARES], written.
    add
        ADD if structures that are not known are to be added, for which there must be room, or LOOK.
    moves
        int64 [MOST_MOVES, Move], written.
    """
    pieces = region.keys[structure, 2]
    count = read_codes(pieces, codes)
    n = 0
    for side in range(2):
        own, other = region.keys[structure, side], region.keys[structure, 1 - side]
        left = own
        while left != ZERO:
            start = lowest_bit(left)
            left &= left - np.uint64(1)
            n = _write_pushes(region, add, moves, n, side, own, other, pieces, start)
            n = _write_pawn_captures(
                region, add, moves, n, side, own, other, pieces, codes, count, start
            )
        left = other
        while left != ZERO:
            target = lowest_bit(left)
            left &= left - np.uint64(1)
            child = _by_side(region, add, side, own, other & ~bit(target), pieces)
            n = _write(moves, n, side, CAPTURES, NONE, target, NONE, NONE, child, ZERO)
        for j in range(count):
            if codes[j] // 4 != side:
                rest = pieces - bit(4 * codes[j])
                child = _by_side(region, add, side, own, other, rest)
                n = _write(moves, n, side, CAPTURES, NONE, NONE, j, NONE, child, ZERO)
    return n


@kernel
def _plane_after(squares, pieces, captured, new, target):
    """Return the plane once a piece is captured (or NONE) and there is a new one (or NONE)."""
    plane, place = 0, 0
    for i in range(pieces):
        if i == captured:
            continue
        if place == new:
            plane |= target << (6 * place)
            place += 1
        plane |= squares[i] << (6 * place)
        place += 1
    if place == new:
        plane |= target << (6 * place)
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
def list_captures(codes, squares, pieces, occupied, row, captured, target, out, n, side):
    """Write how the pieces of a side can capture on a square; return the new length.

    Parameters
    ----------
    codes, squares, pieces
        The pieces.
    occupied
        The squares of all men but the kings.
    row, captured, target
        The row of the structure's list, the captured piece or NONE, its square.
    out, n
        The plane's list and its length.
    side
        Who captures.
    """
    for i in range(pieces):
        if codes[i] // 4 != side or not is_in(PIECE_ATTACKS[codes[i] & 3, squares[i]], target):
            continue
        line = LINES[squares[i], target]
        if line & occupied == ZERO:
            start = squares[i]
            squares[i] = target
            plane = _plane_after(squares, pieces, captured, NONE, 0)
            squares[i] = start
            n = _write_out(out, n, row, plane, line, How.KINGS_STAY, target, i)
    plane = _plane_after(squares, pieces, captured, NONE, 0)
    how = How.WHITE_KING if side == WHITE else How.BLACK_KING
    return _write_out(out, n, row, plane, ZERO, how, target, NONE)


@kernel
def list_plane(moves, count, codes, squares, pieces, pawns, side, out):
    """Write the list of a side's moves out of a plane; return its length.

    Parameters
    ----------
    moves, count
        The structure's list.
    codes, squares, pieces
        The pieces; no two on one square or on a pawn's.
    pawns
        The squares of all pawns.
    side
        Who moves.
    out
        int64 [MOST_MOVES, Out], written.
    """
    stand = ZERO
    for i in range(pieces):
        stand |= bit(squares[i])
    n = 0
    for row in range(count):
        if moves[row, Move.MOVER] != side:
            continue
        captured, target = moves[row, Move.CAPTURED], moves[row, Move.TO]
        if moves[row, Move.KIND] == PAWN_MOVES:
            free = np.uint64(moves[row, Move.FREE])
            if free & stand == ZERO and (captured < 0 or squares[captured] == target):
                plane = _plane_after(squares, pieces, captured, moves[row, Move.NEW], target)
                n = _write_out(out, n, row, plane, free, How.KINGS_STAY, target, NONE)
        else:
            if captured >= 0:
                target = squares[captured]
            n = list_captures(
                codes, squares, pieces, stand | pawns, row, captured, target, out, n, side
            )
    return n
