"""Open positions that the root can reach, and the structures outside the region on the way.

A position is open if the bounds of an attacker differ. A flood passes through positions that are
open for one attacker only, by all legal moves: what is proven need not be looked behind.
"""

from __future__ import annotations

import numpy as np

from tablebase.core.jit.instructions import count_bits
from tablebase.core.jit.kernels import entry, hot_entry, hot_kernel, inlined_kernel, kernel
from tablebase.core.jit.vectors import any_word, empty_line, load_line, store_line
from tablebase.solve.kernels.fields import (
    HOLD,
    LOWER,
    NONE,
    TURNS,
    UPPER,
    WIN,
    FloodSets,
    Move,
    Out,
    Queue,
    Sets,
    State,
    answer_at,
    planes_of,
    set_of,
)
from tablebase.solve.kernels.keys import give, take
from tablebase.solve.kernels.king_planes import WORDS, bit, clear, is_empty, keep, remove
from tablebase.solve.kernels.lists import LOOK, list_moves_out, list_plane
from tablebase.solve.kernels.packing import read_gap
from tablebase.solve.kernels.rows import push_forward, write_answer
from tablebase.solve.kernels.spreading import make_spread


@inlined_kernel
def _put_reached(sets, into, at, words):
    """Move positions of a line from UNREACHED to FRESH; return whether there are any."""
    unreached, fresh = into
    words = words & load_line(sets, unreached + at)
    if not any_word(words):
        return False
    store_line(sets, unreached + at, load_line(sets, unreached + at) & ~words)
    store_line(sets, fresh + at, load_line(sets, fresh + at) | words)
    return True


_spread_reached = make_spread(_put_reached, Queue.FLOODED)


@hot_entry
def follow_flood(region, work, structures, count, attacker):
    """Follow the flood through structures, from higher levels to lower ones.

    It leaves hits of the attacker in closed structures that it comes to, and open ones on its way.
    """
    for i in range(count):
        structure = structures[i]
        if region.reached[structure] >= 0:
            list_moves_out(region, work, structure, LOOK)
            if region.hits[structure, attacker] > 0:
                _flood_within(region, work, structure, attacker)
                _flood_out(region, work, structure, attacker)
            give(region, np.int64(region.pieces[structure]), region.reached[structure])
            region.reached[structure] = NONE


@hot_kernel
def _flood_within(region, work, structure, attacker):
    """Complete what is reached of a structure by moves within it: open positions, not UNREACHED."""
    sets, arena, planes = work.sets, region.arena, planes_of(region, structure)
    for plane in range(planes):
        _begin_within(region, work, structure, attacker, plane)
    more, forward = True, False
    while more:
        # It comes farther in one round if the direction changes, and if a plane's kings move twice.
        more, forward = False, not forward
        for i in range(planes):
            plane = i if forward else planes - 1 - i
            if work.queued[Queue.FLOODED, plane]:
                work.queued[Queue.FLOODED, plane] = 0
                more = True
                for ply in range(4):
                    if not is_empty(sets, set_of(planes, Sets.FRESH, ply & 1, plane)):
                        _spread(region, work, structure, plane, ply & 1)
    reached = _reached_at(region, structure, 0, 0)
    unreached = set_of(planes, FloodSets.UNREACHED, 0, 0)
    for line in range(0, TURNS * planes * WORDS, 8):
        words = load_line(arena, reached + line) & ~load_line(sets, unreached + line)
        store_line(arena, reached + line, words)


@hot_kernel
def _begin_within(region, work, structure, attacker, plane):
    """Write what is reached of a plane to FRESH, and what else is open to UNREACHED.

    In the arena, all that is open takes the place of what is reached till the end. Queue the plane
    if anything is reached.
    """
    sets, arena, planes = work.sets, region.arena, planes_of(region, structure)
    some = False
    for turn in range(2):
        reached = _reached_at(region, structure, turn, plane)
        fresh = set_of(planes, Sets.FRESH, turn, plane)
        unreached = set_of(planes, FloodSets.UNREACHED, turn, plane)
        gap, first = read_gap(region, work, structure, attacker, turn, plane)
        for line in range(0, WORDS, 8):
            now = load_line(arena, reached + line)
            some |= any_word(now)
            words = load_line(gap, first + line)
            store_line(sets, fresh + line, now)
            store_line(sets, unreached + line, words & ~now)
            store_line(arena, reached + line, words)
    work.queued[Queue.FLOODED, plane] = some


@kernel
def _reached_at(region, structure, turn, plane):
    """Return the first word of a plane of reached positions in the arena."""
    return region.reached[structure] + (turn * planes_of(region, structure) + plane) * WORDS


@hot_kernel
def _spread(region, work, structure, plane, turn):
    """Move positions that moves from a plane of FRESH lead to from UNREACHED to FRESH.

    The plane is empty then, and those that the moves lead to are queued.
    """
    planes = planes_of(region, structure)
    source = set_of(planes, Sets.FRESH, turn, plane)
    into = (
        set_of(planes, FloodSets.UNREACHED, 1 - turn, 0),
        set_of(planes, Sets.FRESH, 1 - turn, 0),
    )
    _spread_reached(region, work, structure, plane, source, turn, into)
    clear(work.sets, source)


@hot_kernel
def _flood_out(region, work, structure, attacker):
    """Follow the moves out of a structure from all that is reached of it."""
    rows = list_moves_out(region, work, structure, LOOK)
    answer, scratch, out = work.answer, work.scratch, work.here.out
    for plane in range(planes_of(region, structure)):
        for side in range(2):
            base = _reached_at(region, structure, side, plane)
            if is_empty(region.arena, base):
                continue
            for i in range(list_plane(region, work, structure, rows, plane, side)):
                row, there = out[i, Out.ROW], out[i, Out.PLANE]
                child = work.moves[row, Move.CHILD]
                state = region.state[child, attacker]
                if work.moves[row, Move.EN_PASSANT] < 0 and (
                    state != State.CLOSED or region.hits[child, attacker] > 0
                ):
                    # It is enough to know that there is a way to what is outside.
                    if state == State.OPEN:
                        push_forward(region.arena, base, out, i, scratch, 0)
                        _arrive(region, work, child, attacker, there, 1 - side, scratch, 0)
                    continue
                write_answer(region, work, i, side)
                push_forward(region.arena, base, out, i, scratch, 0)
                most, least = answer_at(WIN, UPPER), answer_at(WIN, LOWER)
                if side != attacker:
                    most, least = answer_at(HOLD, LOWER), answer_at(HOLD, UPPER)
                keep(scratch, 0, answer, most)
                remove(scratch, 0, answer, least)
                if is_empty(scratch, 0):
                    continue
                _arrive(region, work, child, attacker, there, 1 - side, scratch, 0)
                for column in (Move.EN_PASSANT, Move.EN_PASSANT_TOO):
                    if work.moves[row, column] >= 0:
                        taken = work.moves[row, column]
                        _arrive(region, work, taken, attacker, there, side, scratch, 0)


@hot_kernel
def _arrive(region, work, structure, attacker, plane, turn, rows, start):
    """Enter positions that are reached."""
    if region.state[structure, attacker] == State.CLOSED:
        for k in range(64):
            region.hits[structure, attacker] += count_bits(rows[start + k])
        return
    if region.state[structure, attacker] == State.EXACT or is_empty(rows, start):
        return
    if not _touch(region, structure):
        return
    base = _reached_at(region, structure, turn, plane)
    gap, first = read_gap(region, work, structure, attacker, turn, plane)
    for line in range(0, WORDS, 8):
        reached = load_line(region.arena, base + line)
        words = load_line(rows, start + line) & load_line(gap, first + line) & ~reached
        if any_word(words):
            region.hits[structure, attacker] += 1
            store_line(region.arena, base + line, words | reached)


@hot_kernel
def _touch(region, structure):
    """Make room for what is reached of a structure; return whether there was enough."""
    if region.reached[structure] >= 0:
        return True
    pieces = np.int64(region.pieces[structure])
    base = take(region, pieces)
    if base < 0:
        return False
    region.reached[structure] = base
    for i in range(base, base + TURNS * planes_of(region, structure) * WORDS, 8):
        store_line(region.arena, i, empty_line())
    return True


@entry
def begin_flood(region, work, structure, attacker, plane, turn, white_king, black_king):
    """Let the flood begin in a position."""
    clear(work.scratch, 0)
    work.scratch[white_king] = bit(black_king)
    _arrive(region, work, structure, attacker, plane, turn, work.scratch, 0)
