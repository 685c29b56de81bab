"""The kernels that solve the structures of a batch, each after those that its moves lead to.

Rooks and bishops are seldom better than a queen: only where a queen would stalemate. A region of
*few* promotions has none to them, and two rules in their place that keep the bounds sound. For the
upper bound a side with a queen wins where it stalemates: where a rook would not, it might win. For
the lower bound a defender with a queen may claim a draw where he is not in check and none of his
other men can move: with a rook he might be stalemated. All else that a rook or bishop does, a queen
on the same square can do as well.
"""

from __future__ import annotations

import numpy as np

from tablebase.jit import count_bits, entry, hot_entry, hot_kernel, kernel
from tablebase.solving.attractor import CLAIM, LEGAL, SAVED, STALE, attract, has_queen, set_at
from tablebase.solving.lists import (
    ADD,
    BY,
    CHILD,
    LOOK,
    PASSING,
    PLANE,
    ROW,
    list_moves,
    list_plane,
)
from tablebase.solving.planes import (
    PIECE_RAYS,
    WORDS,
    ZERO,
    add_king_moved,
    add_moved,
    bit,
    clear,
    is_empty,
    is_in,
    read_squares,
    write_legal,
)
from tablebase.solving.region import (
    CLOSED,
    EXACT,
    MOST_CHILDREN,
    OPEN,
    SETS,
    has_passing,
    place_in,
)
from tablebase.solving.rows import HOLD, WIN, add_answer, legal_of, write_answer


@entry
def expand(region, work, structures, start, end):
    """Add the structures that moves lead to; return how far it came before there was no room."""
    for i in range(start, end):
        if region.numbers[0] + MOST_CHILDREN > len(region.state):
            return i
        list_moves(region, structures[i], work.codes[0], ADD, work.moves)
    return end


@kernel
def _is_inexact(region, structure):
    """Return whether bounds differ since there are few promotions."""
    pieces = region.keys[structure, 2]
    if region.numbers[2] == 0:
        return False
    pawns = region.keys[structure, 0] | region.keys[structure, 1]
    return pawns != ZERO or has_queen(pieces, 0) or has_queen(pieces, 1)


@entry
def prepare(region, work, structures, start, end, chosen):
    """Choose what must be solved of structures of one rank, and give it memory.

    Parameters
    ----------
    region, work
        Records.
    structures
        int64 [n], of which those from `start` to `end` are looked at.
    chosen
        int64 [n], written.

    Returns
    -------
    int
        How many were chosen; if memory ran out, the complement (``~``) of that.
    """
    count = 0
    for i in range(start, end):
        structure = structures[i]
        new = region.state[structure] == CLOSED
        rows = list_moves(region, structure, work.codes[0], LOOK, work.moves)
        changed, exact = new, not _is_inexact(region, structure)
        for row in range(rows):
            for column in (CHILD, PASSING, PASSING + 1):
                child = work.moves[row, column]
                if child >= 0:
                    changed |= region.changed[child] != 0
                    exact &= region.state[child] == EXACT
        if not changed:
            continue
        if new:
            words = WORDS << (6 * np.int64(region.pieces[structure]))
            passing = has_passing(region.keys[structure, 0], region.keys[structure, 1])
            sets = SETS + (0 if exact else SETS + 2) + (2 if passing else 0)
            top = region.numbers[1]
            if top + sets * words > region.numbers[3]:
                return ~count
            region.numbers[1] = top + sets * words
            region.lower[structure] = top
            top += SETS * words
            region.upper[structure] = top - SETS * words if exact else top
            if not exact:
                top += SETS * words
                region.reached[structure] = top
                top += 2 * words
            if passing:
                region.stale[structure] = top
        chosen[count] = structure
        count += 1
    return count


@hot_kernel
def _find_stalemates(region, work, rows, plane, planes, pieces, pawns, side, given):
    """Write where a side to move has no move though it is not in check.

    The set is STALE, or CLAIM if queens do not count.
    """
    sets, scratch = work.sets, work.scratch
    enemy = 1 - side
    place = set_at(planes, given + side, plane)
    own = set_at(planes, LEGAL + side, plane)
    after = set_at(planes, LEGAL + enemy, 0)
    clear(scratch, 0)
    add_king_moved(scratch, 0, sets, after + plane * WORDS, side)
    occupied = read_squares(plane, pieces, work.squares[0]) | pawns
    for i in range(pieces):
        if work.codes[0, i] // 4 != side or (given == CLAIM and work.codes[0, i] & 3 == 0):
            continue
        kind, start = work.codes[0, i] & 3, work.squares[0, i]
        for ray in range(8):
            mask = ZERO
            for step in range(7):
                target = np.int64(PIECE_RAYS[kind, start, ray, step])
                if target < 0 or is_in(occupied, target):
                    break
                mask |= bit(target)
                there = plane + ((target - start) << (6 * i))
                add_moved(scratch, 0, sets, after + there * WORDS, mask)
    for k in range(64):
        # A side is in check where the other could not be to move.
        sets[place + k] = sets[own + k] & sets[after + plane * WORDS + k] & ~scratch[k]
    if is_empty(sets, place):
        return
    count = list_plane(
        work.moves, rows, work.codes[0], work.squares[0], pieces, pawns, side, work.out
    )
    for i in range(count):
        piece = work.out[i, BY]
        if given == CLAIM and piece >= 0 and work.codes[0, piece] & 3 == 0:
            continue
        child = work.moves[work.out[i, ROW], CHILD]
        legal_of(
            region, child, work.out[i, PLANE], enemy, work.codes[1], work.squares[1], work.answer, 0
        )
        clear(scratch, 64)
        add_answer(work.answer, 0, work.out, i, scratch, 64)
        for k in range(64):
            sets[place + k] &= ~scratch[64 + k]
        if is_empty(sets, place):
            return


@hot_kernel
def _leave(region, work, structure, rows, plane, planes, pieces, pawns, side, bounds):
    """Write what moves out of a plane are worth for a side."""
    enemy = 1 - side
    legal = set_at(planes, LEGAL + side, plane)
    sets, arena = work.sets, region.arena
    for bound in range(bounds):
        place = place_in(region, structure, bound, side, side, plane)
        for k in range(64):
            arena[place + k] = ~sets[legal + k]
        clear(arena, place_in(region, structure, bound, enemy, side, plane))
        clear(sets, set_at(planes, SAVED + 2 * bound + enemy, plane))
    if work.valid[plane] == 0:
        return
    read_squares(plane, pieces, work.squares[0])
    count = list_plane(
        work.moves, rows, work.codes[0], work.squares[0], pieces, pawns, side, work.out
    )
    for i in range(count):
        write_answer(
            region, work.moves, work.out, i, side, work.codes[1], work.squares[1], work.spare,
            work.answer,
        )  # fmt: skip
        for bound in range(bounds):
            place = place_in(region, structure, bound, side, side, plane)
            add_answer(work.answer, WIN + 64 * bound, work.out, i, arena, place)
            place = set_at(planes, SAVED + 2 * bound + enemy, plane)
            add_answer(work.answer, HOLD + 64 * bound, work.out, i, sets, place)


@hot_kernel
def _set_up(region, work, structure, bounds):
    """Write what is legal, where there is no move, and what moves out are worth."""
    rows = list_moves(region, structure, work.codes[0], LOOK, work.moves)
    pieces = np.int64(region.pieces[structure])
    planes = 1 << (6 * pieces)
    white, black = region.keys[structure, 0], region.keys[structure, 1]
    pawns = white | black
    for plane in range(planes):
        stand = read_squares(plane, pieces, work.squares[0])
        work.valid[plane] = (stand != ZERO or pieces == 0) and stand & pawns == ZERO
        for turn in range(2):
            place = set_at(planes, LEGAL + turn, plane)
            clear(work.sets, set_at(planes, STALE + turn, plane))
            clear(work.sets, set_at(planes, CLAIM + turn, plane))
            if work.valid[plane]:
                write_legal(
                    white, black, work.codes[0], work.squares[0], pieces, turn, work.sets, place
                )
            else:
                clear(work.sets, place)
    for plane in range(planes):
        for side in range(2):
            if work.valid[plane]:
                _find_stalemates(region, work, rows, plane, planes, pieces, pawns, side, STALE)
                if region.numbers[2] and has_queen(region.keys[structure, 2], side):
                    _find_stalemates(region, work, rows, plane, planes, pieces, pawns, side, CLAIM)
            _leave(region, work, structure, rows, plane, planes, pieces, pawns, side, bounds)


@hot_kernel
def solve_one(region, work, structure):
    """Find the bounds of a structure from those of the structures that its moves lead to."""
    pieces = np.int64(region.pieces[structure])
    planes = 1 << (6 * pieces)
    pawns = region.keys[structure, 0] | region.keys[structure, 1]
    exact = region.upper[structure] == region.lower[structure]
    bounds = 1 if exact else 2
    _set_up(region, work, structure, bounds)
    if region.stale[structure] >= 0:
        for i in range(2 * planes * WORDS):
            region.arena[region.stale[structure] + i] = work.sets[set_at(planes, STALE, 0) + i]
    for bound in range(bounds):
        for attacker in range(2):
            attract(region, structure, work, pieces, planes, pawns, bound, attacker)
    gap = 0
    if not exact:
        words = SETS * planes * WORDS
        lower, upper = region.lower[structure], region.upper[structure]
        for i in range(words):
            gap += count_bits(region.arena[upper + i] & ~region.arena[lower + i])
    new = region.state[structure] == CLOSED
    region.changed[structure] = 1 if new or gap != region.gap[structure] else 0
    region.gap[structure] = gap
    region.state[structure] = OPEN if gap else EXACT


@hot_entry
def solve_batch(region, work, structures, start, end):
    """Solve structures none of which leads to another."""
    for i in range(start, end):
        solve_one(region, work, structures[i])


@hot_entry
def rank_one(region, work, structure, attacker):
    """Write in which round of his attack a side is found to win, for sure, into ``work.ranks``.

    Positions that are won by a move out of the structure have rank 0. The bounds stay as they are.
    """
    pieces = np.int64(region.pieces[structure])
    planes = 1 << (6 * pieces)
    pawns = region.keys[structure, 0] | region.keys[structure, 1]
    _set_up(region, work, structure, 1)
    work.numbers[1] = 0
    attract(region, structure, work, pieces, planes, pawns, 0, 1 - attacker)
    work.numbers[1] = 1
    for i in range(len(work.ranks)):
        work.ranks[i] = 0
    attract(region, structure, work, pieces, planes, pawns, 0, attacker)
