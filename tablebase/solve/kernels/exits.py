"""Moves out of a structure as values of the positions before them.

A *value* for the side to move packs a preference (see `core.outcomes.metrics.preference`) and the
men given up. Wins are `MATE` less the distance in plies, losses the negative; a man that the winner
gives up counts for more plies than any win takes, so that none is given up to be faster.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.core.board.geometry import WORTH
from tablebase.core.ground.capacity import MEASURED_PIECES
from tablebase.core.jit.instructions import lowest_bit
from tablebase.core.jit.kernels import hot_kernel, kernel
from tablebase.core.jit.records import KernelRecord
from tablebase.solve.kernels.fields import (
    HOLD,
    SCRATCH,
    WIN,
    How,
    Move,
    Out,
    Sets,
    planes_of,
    set_of,
)
from tablebase.solve.kernels.king_planes import (
    KINDS,
    KING_HITS,
    LINES,
    PAWN_HITS,
    PIECE_ATTACKS,
    WHITE,
    WORDS,
    ZERO,
    bit,
    is_in,
)
from tablebase.solve.kernels.lists import list_plane
from tablebase.solve.kernels.rows import legal_of, write_answer

# A side that is checkmated has the value -MATE. A stalemate differs from other draws, since an
# en passant capture may lift it; one move back it is a draw like any other. Whatever lies outside
# of -MATE and MATE is no value; one move back ILLEGAL is about NO_MOVE, worse than all losses.
MATE = 30_000
STALEMATE, DRAW = 1, 0
ILLEGAL, NO_MOVE = 32_767, -32_768
# What distances count besides plies: each pawn's worth of material that the winning side gives up,
# and a win by a piece too many, from where no distance leads on. Plies are always fewer.
PAWN, CROWD = 2_800, 1_400
WORTHS = np.array([WORTH[kind] for kind in KINDS])
# Positions of a plane.
POSITIONS = 64 * WORDS


class DistanceFields(NamedTuple):
    """Values, and what one thread needs besides the region and its work space."""

    # [2 sides to move * planes * POSITIONS], see `values_at`; a plane has 64 rows by white king
    values: NDArray[np.int16]
    after: NDArray[np.int16]  # [POSITIONS] values after a move out
    prey: NDArray[np.int8]  # [POSITIONS] worth in pawns of the best man that can be captured there
    # [2, planes] next value that falls due, 0 for none: attacker's wins, defender's losses
    due: NDArray[np.int16]
    row_due: NDArray[np.int16]  # [2 * planes, 64] likewise by row


def make_distances(values: NDArray[np.int16], planes: int) -> KernelRecord:
    """Return the record for a structure with a number of planes."""

    def zeros(*shape: int) -> NDArray[np.int16]:
        return np.zeros(shape, dtype=np.int16)

    prey = np.zeros(POSITIONS, dtype=np.int8)
    fields = DistanceFields(values, zeros(POSITIONS), prey, zeros(2, planes), zeros(2 * planes, 64))
    return KernelRecord(fields)


@hot_kernel
def write_exits(region, work, distances, structure, rows):
    """Write the best of the moves out, and what LEGAL, STALE and CLAIM say."""
    values, sets, planes = distances.values, work.sets, planes_of(region, structure)
    for side in range(2):
        for plane in range(planes):
            start = values_at(planes, side, plane)
            for k in range(start, start + POSITIONS, 64):
                _fill(values[k : k + 64])
            if work.valid[plane]:
                _enter_moves(region, work, distances, structure, rows, plane, side)
            legal = set_of(planes, Sets.LEGAL, side, plane)
            stale = set_of(planes, Sets.STALE, side, plane)
            claim = set_of(planes, Sets.CLAIM, side, plane)  # empty unless there are few promotions
            for k in range(64):
                row = values[start + 64 * k : start + 64 * k + 64]
                _settle(row, sets[legal + k], sets[stale + k], sets[claim + k])


@kernel
def values_at(planes, turn, plane):
    """Return the index of a plane's first position within its structure."""
    return (turn * planes + plane) * POSITIONS


@hot_kernel
def _fill(row):
    for j in range(64):
        row[j] = NO_MOVE


@hot_kernel
def _enter_moves(region, work, distances, structure, rows, plane, side):
    """Write the best of the moves out of a plane for a side."""
    start = values_at(planes_of(region, structure), side, plane)
    for i in range(list_plane(region, work, structure, rows, plane, side)):
        _write_proven(region, work, distances, i, side)
        _enter_move(distances.values, start, distances.after, work.here.out, i)


@hot_kernel
def _write_proven(region, work, distances, i, mover):
    """Write the value of a move out by the bounds of the region, and by what it gives up."""
    answer, after, prey = work.answer, distances.after, distances.prey
    row, plane = work.here.out[i, Out.ROW], work.here.out[i, Out.PLANE]
    child, promoted = work.moves[row, Move.CHILD], work.moves[row, Move.PROMOTED]
    write_answer(region, work, i, mover)
    legal_of(region, work.there, child, plane, 1 - mover, answer, SCRATCH)
    write_prey(region, work.there, child, 1 - mover, prey)
    taken = _worth_captured(work, row)
    gain = taken
    if promoted >= 0:
        gain += np.int64(WORTHS[promoted & 3]) - 1
    en_passant = np.int64(work.moves[row, Move.EN_PASSANT] >= 0)
    crowd = CROWD if np.int64(region.pieces[child]) > MEASURED_PIECES else 0
    for k in range(64):
        for j in range(64):
            value = np.int16(MATE - PAWN * taken)
            if not is_in(answer[SCRATCH + k], j):
                value = np.int16(ILLEGAL)
            elif is_in(answer[WIN + k], j):
                lost = max(np.int64(prey[64 * k + j]), en_passant)
                value = np.int16(PAWN * max(lost - gain, 0) + crowd - MATE)
            elif is_in(answer[HOLD + k], j):
                value = np.int16(DRAW)
            after[64 * k + j] = value


@kernel
def write_prey(region, men, structure, side, prey):
    """Write to `prey`, int8 [POSITIONS], the best man that a side can capture at once, in pawns."""
    for k in range(POSITIONS):
        prey[k] = 0
    own, other = region.keys[structure, side], region.keys[structure, 1 - side]
    occupied = own | other
    for i in range(men.size[0]):
        occupied |= bit(men.squares[i])
    left = other
    while left != ZERO:
        target = lowest_bit(left)
        left &= left - np.uint64(1)
        _hunt(men, target, np.int8(1), own, other, occupied, side, prey)
    for i in range(men.size[0]):
        if men.codes[i] // 4 != side:
            worth = np.int8(WORTHS[men.codes[i] & 3])
            _hunt(men, men.squares[i], worth, own, other, occupied, side, prey)


@hot_kernel
def _hunt(men, target, worth, own, other, occupied, side, prey):
    """Note a man of the enemy wherever a side can capture it, pins and checks left out."""
    if PAWN_HITS[1 - side, target] & own != ZERO:
        _note(prey, worth, ZERO, ZERO)
        return
    for i in range(men.size[0]):
        reaches, line = _reaches(men, i, target, occupied)
        if reaches and men.codes[i] // 4 == side:
            _note(prey, worth, line, line)
    far = ~KING_HITS[target]
    safe = ~_unguarded(men, target, other, occupied, 1 - side)
    if side == WHITE:
        _note(prey, worth, far, safe)
    else:
        _note(prey, worth, safe, far)


@hot_kernel
def _note(prey, worth, no_white, no_black):
    """Raise the prey to a man's worth, but where a king stands on some squares."""
    for k in range(64):
        if not is_in(no_white, k):
            for j in range(64):
                if not is_in(no_black, j):
                    prey[64 * k + j] = max(prey[64 * k + j], worth)


@kernel
def _reaches(men, i, target, occupied):
    """Return whether a piece attacks a square, kings out of the way; and the line between."""
    kind, square = men.codes[i] & 3, men.squares[i]
    line = LINES[square, target]
    return is_in(PIECE_ATTACKS[kind, square], target) and line & occupied == ZERO, line


@kernel
def _unguarded(men, target, pawns, occupied, side):
    """Return the squares of a side's king from which no man of his guards a square."""
    if PAWN_HITS[1 - side, target] & pawns != ZERO:
        return ZERO
    found = ~KING_HITS[target]
    for i in range(men.size[0]):
        reaches, line = _reaches(men, i, target, occupied)
        if reaches and men.codes[i] // 4 == side:
            found &= line  # he is in the way
    return found


@kernel
def _worth_captured(work, row):
    """Return the worth of the man that a row of a structure's list captures, 0 if none."""
    captured, start = work.moves[row, Move.CAPTURED], work.moves[row, Move.FROM]
    if captured >= 0:
        return np.int64(WORTHS[work.here.codes[captured] & 3])
    is_push = start >= 0 and (start ^ work.moves[row, Move.TO]) & 7 == 0
    return np.int64(0) if is_push else np.int64(1)


@hot_kernel
def _enter_move(values, start, after, out, i):
    """Improve the values of a plane by a move out, given the values after it."""
    how, square = out[i, Out.HOW], out[i, Out.SQUARE]
    if how == How.KINGS_STAY:
        mask = np.uint64(out[i, Out.MASK])
        for k in range(64):
            if is_in(mask, k):
                continue
            here, there = start + 64 * k, 64 * k
            if mask == ZERO:
                _improve(values[here : here + 64], after[there : there + 64])
                continue
            for j in range(64):
                value = _before(after[there + j])
                if value > values[here + j] and not is_in(mask, j):
                    values[here + j] = value
    elif how == How.WHITE_KING:
        there = 64 * square
        for k in range(64):
            if is_in(KING_HITS[square], k):
                here = start + 64 * k
                _improve(values[here : here + 64], after[there : there + 64])
    else:
        for k in range(64):
            value = _before(after[64 * k + square])
            for j in range(64):
                if is_in(KING_HITS[square], j) and value > values[start + 64 * k + j]:
                    values[start + 64 * k + j] = value


@hot_kernel
def _improve(row, after):
    """Raise each position of a row to the value that it gets by a move."""
    for j in range(64):
        value = _before(after[j])
        row[j] = max(row[j], value)


@kernel
def _before(value):
    """Return the value for the side that has just moved."""
    return np.int16((value > 0) - (value < 0) - value)


@hot_kernel
def _settle(row, legal, stale, claim):
    """Write what is not legal, where there is no move, and where a draw may be claimed."""
    if claim != ZERO:
        for j in range(64):
            if is_in(claim, j):
                row[j] = max(row[j], np.int16(DRAW))
    if stale != ZERO:
        for j in range(64):
            if is_in(stale, j):
                row[j] = STALEMATE
    for j in range(64):
        is_legal = (legal >> np.uint64(j)) & np.uint64(1) != ZERO
        row[j] = row[j] if is_legal else np.int16(ILLEGAL)
