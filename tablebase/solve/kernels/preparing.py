"""Preparations before structures are solved: which to solve, their children, memory for bounds."""

from __future__ import annotations

import numpy as np

from tablebase.core.jit.kernels import entry, kernel
from tablebase.solve.kernels.attractor import has_queen
from tablebase.solve.kernels.fields import (
    BOTH_ATTACKERS,
    MOST_CHILDREN,
    NONE,
    TURNS,
    Move,
    Number,
    State,
    pawns_of,
    planes_of,
)
from tablebase.solve.kernels.keys import give, has_en_passant, take
from tablebase.solve.kernels.king_planes import WORDS, ZERO, copy
from tablebase.solve.kernels.lists import ADD, LOOK, list_moves_out
from tablebase.solve.kernels.packing import packed_attackers, read_bound


@entry
def expand(region, work, structures, start, end):
    """Add the structures that moves lead to; return how many were done before there was no room.

    Structures outside are asked for, in `led_to`, for the attackers that they are needed for.
    """
    for i in range(start, end):
        if region.numbers[Number.COUNT] + MOST_CHILDREN > len(region.state):
            return i
        rows = list_moves_out(region, work, structures[i], ADD)
        todo = region.todo[structures[i]]
        for row in range(rows):
            for column in (Move.CHILD, Move.EN_PASSANT, Move.EN_PASSANT_TOO):
                child = work.moves[row, column]
                if child >= 0 and todo != 0:
                    region.led_to[child] |= todo & _closed(region, child)
    return end


@kernel
def _closed(region, structure):
    """Return the attackers for whom a structure is outside, as bits."""
    white = region.state[structure, 0] == State.CLOSED
    black = region.state[structure, 1] == State.CLOSED
    return (1 if white else 0) + (2 if black else 0)


@entry
def release(region, structures, count):
    """Free the upper bounds of structures where they equal the lower bounds."""
    for i in range(count):
        structure = structures[i]
        for attacker in range(2):
            lower, upper = region.lower[structure, attacker], region.upper[structure, attacker]
            if region.state[structure, attacker] == State.EXACT and upper != lower:
                give(region, np.int64(region.pieces[structure]), upper)
                region.upper[structure, attacker] = lower


@entry
def prepare(region, work, structures, start, end, chosen):
    """Choose what must be solved of structures of one level, give it memory, and return its number.

    Only attackers stay in ``todo`` for whom a structure is new or may change. If memory runs out,
    the number is complemented (``~``). `chosen` int64 [n] is written.
    """
    count = 0
    for i in range(start, end):
        structure = structures[i]
        new = _closed(region, structure)
        rows = list_moves_out(region, work, structure, LOOK)
        changed, exact = new, 0 if _is_inexact(region, structure) else BOTH_ATTACKERS
        for row in range(rows):
            for column in (Move.CHILD, Move.EN_PASSANT, Move.EN_PASSANT_TOO):
                child = work.moves[row, column]
                if child >= 0:
                    changed |= region.changed[child]
                    for attacker in range(2):
                        if region.state[child, attacker] != State.EXACT:
                            exact &= ~(1 << attacker)
        region.todo[structure] &= changed
        if region.todo[structure] == 0:
            continue
        new = (new | packed_attackers(region, structure)) & region.todo[structure]
        if not _allocate(region, work, structure, new, exact):
            return ~count
        chosen[count] = structure
        count += 1
    return count


@kernel
def _is_inexact(region, structure):
    """Return whether bounds differ since there are few promotions."""
    pieces = region.keys[structure, 2]
    if region.numbers[Number.FEW] == 0:
        return False
    return pawns_of(region, structure) != ZERO or has_queen(pieces, 0) or has_queen(pieces, 1)


@kernel
def _allocate(region, work, structure, new, exact):
    """Give memory to a structure; return whether there was enough.

    `new` are the attackers, as bits, for whom there is none yet that can be written, `exact` those
    for whom the upper bound will equal the lower one.
    """
    pieces = np.int64(region.pieces[structure])
    en_passant = has_en_passant(region.keys[structure, 0], region.keys[structure, 1])
    if en_passant and region.stale[structure] == NONE:
        region.stale[structure] = take(region, pieces)
        if region.stale[structure] < 0:
            return False
    exact &= _closed(region, structure)  # other bounds differ until they are found again
    white = _take_bounds(region, pieces, new & 1, exact & 1)
    black = _take_bounds(region, pieces, new >> 1, exact >> 1)
    if white[1] < 0 or black[1] < 0:
        return False  # it keeps the bounds that it has
    if new & 1:
        _replace_bounds(region, work, structure, 0, white)
    if new >> 1:
        _replace_bounds(region, work, structure, 1, black)
    return True


@kernel
def _take_bounds(region, pieces, new, exact):
    """Take memory for the bounds of an attacker; return where they begin, if there is enough."""
    if not new:
        return np.int64(0), np.int64(0)
    lower = take(region, pieces)
    upper = lower
    if lower >= 0 and not exact:
        upper = take(region, pieces)
    return lower, upper


@kernel
def _replace_bounds(region, work, structure, attacker, starts):
    """Let the bounds of an attacker begin elsewhere, and copy the existing ones.

    They stay true if the structure is not solved because the time is used up.
    """
    if region.state[structure, attacker] != State.CLOSED:
        planes = planes_of(region, structure)
        for bound in range(2):
            for row in range(TURNS * planes):
                turn, plane = row // planes, row % planes
                rows, first = read_bound(region, work, structure, bound, attacker, turn, plane)
                copy(region.arena, starts[bound] + row * WORDS, rows, first)
    region.lower[structure, attacker], region.upper[structure, attacker] = starts
