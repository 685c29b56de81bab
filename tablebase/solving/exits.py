"""Moves out of a structure as values of the positions before them.

A *value* is one number for each position, for the side to move: the more, the better. Wins are
`MATE` less the plies, losses the negative of that.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.jit import KernelRecord, entry, hot_kernel, kernel
from tablebase.solving.attractor import CLAIM, LEGAL, STALE, set_at
from tablebase.solving.lists import (
    ADD,
    CHILD,
    HOW,
    KINGS_STAY,
    MASK,
    PASSING,
    PLANE,
    ROW,
    SQUARE,
    WHITE_KING,
    list_moves,
    list_plane,
)
from tablebase.solving.places import Place
from tablebase.solving.planes import KING_HITS, WORDS, ZERO, is_in, read_squares
from tablebase.solving.rows import HOLD, SCRATCH, WIN, legal_of, write_answer

# A side that is checkmated has the value -MATE. A stalemate is told from other draws, since a
# capture en passant may lift it; one move back it is a draw like any other. Whatever lies outside
# of -MATE and MATE is no value; one move back ILLEGAL is about NO_MOVE, worse than all losses.
MATE = 30_000
STALEMATE, DRAW = 1, 0
ILLEGAL, NO_MOVE = 32_767, -32_768
# What moves out are worth: the values of what they lead to, or one ply if they win or lose for sure
# by the bounds of the region.
TO_MATE, TO_CONVERSION = 0, 1
# Positions of a plane.
POSITIONS = 64 * WORDS


def plies_of(value: int) -> int:
    """Return a value in plies, with the sign of the result."""
    if abs(value) <= STALEMATE:
        return 0
    return MATE - value if value > 0 else -MATE - value


def value_before(value: int) -> int:
    """Return what a value is worth for who moved there."""
    return (value > 0) - (value < 0) - value


def index_of(place: Place, planes: int) -> int:
    """Return where the value of a position lies among those of its structure."""
    row = (place.turn * planes + place.plane) * 64 + place.white_king
    return row * 64 + place.black_king


class DistanceFields(NamedTuple):
    """Values, and what one thread needs besides the region and its work space."""

    values: NDArray[np.int16]  # by structure: [2 sides to move, planes, 64 white, 64 black kings]
    places: NDArray[np.int64]  # [structures] where the values of a structure begin
    after: NDArray[np.int16]  # [POSITIONS] values of what a move out leads to
    due: NDArray[np.int16]  # [2, planes] the next that falls due, as a win's value; 0 for none
    row_due: NDArray[np.int16]  # [2 * planes, 64] the same of each row


def make_distances(
    values: NDArray[np.int16], places: NDArray[np.int64], planes: int
) -> KernelRecord:
    """Return a thread's record for structures of so many planes."""

    def zeros(*shape: int) -> NDArray[np.int16]:
        return np.zeros(shape, dtype=np.int16)

    after, due, row_due = zeros(POSITIONS), zeros(2, planes), zeros(2 * planes, 64)
    return KernelRecord(DistanceFields(values, places, after, due, row_due))


@kernel
def _before(value):
    """Return what a value is worth for who moved there."""
    return np.int16((value > 0) - (value < 0) - value)


@hot_kernel
def _improve(row, after):
    """Let each position of a row have at least what it gets by a move."""
    for j in range(64):
        value = _before(after[j])
        row[j] = max(row[j], value)


@hot_kernel
def _enter_move(values, start, after, first, out, i):
    """Improve the values of a plane by a move out, given the values of what it leads to."""
    how, square = out[i, HOW], out[i, SQUARE]
    if how == KINGS_STAY:
        mask = np.uint64(out[i, MASK])
        for k in range(64):
            if is_in(mask, k):
                continue
            here, there = start + 64 * k, first + 64 * k
            if mask == ZERO:
                _improve(values[here : here + 64], after[there : there + 64])
                continue
            for j in range(64):
                value = _before(after[there + j])
                if value > values[here + j] and not is_in(mask, j):
                    values[here + j] = value
    elif how == WHITE_KING:
        there = first + 64 * square
        for k in range(64):
            if is_in(KING_HITS[square], k):
                here = start + 64 * k
                _improve(values[here : here + 64], after[there : there + 64])
    else:
        for k in range(64):
            value = _before(after[first + 64 * k + square])
            for j in range(64):
                if is_in(KING_HITS[square], j) and value > values[start + 64 * k + j]:
                    values[start + 64 * k + j] = value


@hot_kernel
def choose_passing(region, distances, taken, plane, mover):
    """Let the enemy capture en passant, which leads to the structure `taken`."""
    planes = 1 << (6 * np.int64(region.pieces[taken]))
    first = distances.places[taken] + (mover * planes + plane) * POSITIONS
    after = distances.after
    for k in range(POSITIONS):
        value = _before(distances.values[first + k])
        if after[k] == ILLEGAL or value < -MATE:
            continue
        # Stalemate is no choice if there is this move.
        if after[k] == STALEMATE or value > after[k]:
            after[k] = value


@hot_kernel
def _write_proven(region, work, distances, i, mover):
    """Write what a move out is worth by the bounds of the region."""
    answer, after, out = work.answer, distances.after, work.out
    codes, squares = work.codes[1], work.squares[1]
    write_answer(region, work.moves, out, i, mover, codes, squares, work.spare, answer)
    child = work.moves[out[i, ROW], CHILD]
    legal_of(region, child, out[i, PLANE], 1 - mover, codes, squares, answer, SCRATCH)
    for k in range(64):
        for j in range(64):
            value = np.int16(MATE)
            if not is_in(answer[SCRATCH + k], j):
                value = np.int16(ILLEGAL)
            elif is_in(answer[WIN + k], j):
                value = np.int16(-MATE)
            elif is_in(answer[HOLD + k], j):
                value = np.int16(DRAW)
            after[64 * k + j] = value


@hot_kernel
def _enter_moves(region, work, distances, rows, plane, pieces, pawns, side, start, ending):
    """Write the best of the moves out of a plane for a side."""
    values, places, after = distances.values, distances.places, distances.after
    moves, out = work.moves, work.out
    read_squares(plane, pieces, work.squares[0])
    count = list_plane(moves, rows, work.codes[0], work.squares[0], pieces, pawns, side, out)
    for i in range(count):
        row, there = out[i, ROW], out[i, PLANE]
        if ending == TO_CONVERSION:
            _write_proven(region, work, distances, i, side)
            _enter_move(values, start, after, 0, out, i)
            continue
        child = moves[row, CHILD]
        planes = 1 << (6 * np.int64(region.pieces[child]))
        first = places[child] + ((1 - side) * planes + there) * POSITIONS
        if moves[row, PASSING] < 0:
            _enter_move(values, start, values, first, out, i)
            continue
        for k in range(POSITIONS):
            after[k] = values[first + k]
        for column in range(PASSING, PASSING + 2):
            if moves[row, column] >= 0:
                choose_passing(region, distances, moves[row, column], there, side)
        _enter_move(values, start, after, 0, out, i)


@hot_kernel
def write_exits(region, work, distances, structure, rows, planes, ending):
    """Write what is legal, where there is no move, and the best of the moves out."""
    pieces = np.int64(region.pieces[structure])
    pawns = region.keys[structure, 0] | region.keys[structure, 1]
    values, sets = distances.values, work.sets
    for side in range(2):
        for plane in range(planes):
            start = distances.places[structure] + (side * planes + plane) * POSITIONS
            for k in range(start, start + POSITIONS, 64):
                _fill(values[k : k + 64])
            if work.valid[plane]:
                _enter_moves(
                    region, work, distances, rows, plane, pieces, pawns, side, start, ending
                )
            legal, stale = set_at(planes, LEGAL + side, plane), set_at(planes, STALE + side, plane)
            claim = set_at(planes, CLAIM + side, plane)  # empty unless there are few promotions
            for k in range(64):
                row = values[start + 64 * k : start + 64 * k + 64]
                _settle(row, sets[legal + k], sets[stale + k], sets[claim + k])


@hot_kernel
def _fill(row):
    for j in range(64):
        row[j] = NO_MOVE


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


@entry
def list_children(region, work, structure, children):
    """Write the structures that moves lead to, some more than once; return how many.

    They are added to the region, in which there must be room for them.
    """
    rows = list_moves(region, structure, work.codes[0], ADD, work.moves)
    count = 0
    for row in range(rows):
        for column in (CHILD, PASSING, PASSING + 1):
            if work.moves[row, column] >= 0:
                children[count] = work.moves[row, column]
                count += 1
    return count
