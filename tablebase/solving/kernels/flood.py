"""Which open positions the root can reach, and through which structures outside the region.

A position is open if the bounds of an attacker differ. A flood passes through positions that are
open for one attacker only, by all legal moves: what is proven need not be looked behind.
"""

from __future__ import annotations

import numpy as np

from tablebase.jit import (
    any_word,
    count_bits,
    empty_line,
    entry,
    hot_entry,
    hot_kernel,
    load_line,
    store_line,
)
from tablebase.solving.kernels.fields import (
    HOLD,
    LOOK,
    NONE,
    TURNS,
    WIN,
    Move,
    Out,
    Sets,
    State,
    place_in,
    set_at,
)
from tablebase.solving.kernels.keys import give, take
from tablebase.solving.kernels.lists import list_moves, list_plane
from tablebase.solving.kernels.planes import (
    WORDS,
    bit,
    clear,
    is_empty,
    king_line,
    list_targets,
    lost_line,
    read_squares,
)
from tablebase.solving.kernels.rows import push_forward, write_answer


@hot_kernel
def _open_line(region, structure, attacker, turn, plane, line):
    """Return the positions of a line that are open."""
    lower = place_in(region, structure, 0, attacker, turn, plane) + line
    upper = place_in(region, structure, 1, attacker, turn, plane) + line
    return load_line(region.arena, upper) & ~load_line(region.arena, lower)


@hot_kernel
def _touch(region, structure):
    """Make room for what is reached of a structure; return whether there was enough."""
    if region.reached[structure] >= 0:
        return True
    pieces = np.int64(region.pieces[structure])
    place = take(region, pieces)
    if place < 0:
        return False
    region.reached[structure] = place
    for i in range(place, place + (TURNS * WORDS << (6 * pieces)), 8):
        store_line(region.arena, i, empty_line())
    return True


@hot_kernel
def _arrive(region, structure, attacker, plane, turn, rows, start):
    """Enter positions that are reached."""
    if region.state[structure, attacker] == State.CLOSED:
        for k in range(64):
            region.hits[structure, attacker] += count_bits(rows[start + k])
        return
    if region.state[structure, attacker] == State.EXACT or not _touch(region, structure):
        return
    planes = 1 << (6 * np.int64(region.pieces[structure]))
    place = region.reached[structure] + (turn * planes + plane) * WORDS
    for line in range(0, WORDS, 8):
        words = load_line(rows, start + line) & ~load_line(region.arena, place + line)
        if any_word(words):
            words = words & _open_line(region, structure, attacker, turn, plane, line)
            if any_word(words):
                region.hits[structure, attacker] += 1
                words = words | load_line(region.arena, place + line)
                store_line(region.arena, place + line, words)


@hot_kernel
def _keep(region, work, structure, attacker, there, turn, line, words, count):
    """Enter open positions that were reached within the structure; return the queue's length."""
    sets, arena = work.sets, region.arena
    planes = 1 << (6 * np.int64(region.pieces[structure]))
    place = region.reached[structure] + (turn * planes + there) * WORDS + line
    words = words & ~load_line(arena, place)
    if not any_word(words):
        return count
    words = words & _open_line(region, structure, attacker, turn, there, line)
    if not any_word(words):
        return count
    fresh = set_at(planes, Sets.FRESH + turn, there) + line
    store_line(arena, place, load_line(arena, place) | words)
    store_line(sets, fresh, load_line(sets, fresh) | words)
    if work.queued[1, there] == 0:
        work.queued[1, there] = 1
        work.queue[1, count] = there
        count += 1
    return count


@hot_kernel
def _spread(region, work, structure, attacker, plane, turn, count):
    """Make the moves of a plane within its structure; return the new length of the queue."""
    pieces = np.int64(region.pieces[structure])
    planes = 1 << (6 * pieces)
    pawns = region.keys[structure, 0] | region.keys[structure, 1]
    sets, ways = work.sets, work.ways
    source = set_at(planes, Sets.FRESH + turn, plane)
    occupied = read_squares(plane, pieces, work.squares[0]) | pawns
    listed = list_targets(plane, pieces, work.codes[0], work.squares[0], occupied, turn, ways)
    for line in range(0, WORDS, 8):
        words = king_line(sets, source, line, turn)
        count = _keep(region, work, structure, attacker, plane, 1 - turn, line, words, count)
        words = load_line(sets, source + line)
        if not any_word(words):
            continue
        for i in range(listed):
            there = np.int64(ways[0, i]) // WORDS
            moved = words & ~lost_line(ways[1, i], line)
            count = _keep(region, work, structure, attacker, there, 1 - turn, line, moved, count)
    clear(sets, source)
    return count


@hot_kernel
def _flood_within(region, work, structure, attacker):
    """Complete what is reached of a structure by moves within it."""
    pieces = np.int64(region.pieces[structure])
    planes = 1 << (6 * pieces)
    count = 0
    for plane in range(planes):
        work.queued[1, plane] = 0
        some = False
        for turn in range(2):
            place = region.reached[structure] + (turn * planes + plane) * WORDS
            fresh = set_at(planes, Sets.FRESH + turn, plane)
            for k in range(64):
                work.sets[fresh + k] = region.arena[place + k]
            some |= not is_empty(work.sets, fresh)
        if some:
            work.queue[0, count] = plane
            count += 1
    while count > 0:
        found = 0
        for i in range(count):
            queued = np.int64(work.queue[0, i])
            for turn in range(2):
                if not is_empty(work.sets, set_at(planes, Sets.FRESH + turn, queued)):
                    found = _spread(region, work, structure, attacker, queued, turn, found)
        for i in range(found):
            work.queue[0, i] = work.queue[1, i]
            work.queued[1, work.queue[1, i]] = 0
        count = found


@hot_kernel
def _flood_out(region, work, structure, attacker):
    """Follow the moves out of a structure from all that is reached of it."""
    pieces = np.int64(region.pieces[structure])
    planes = 1 << (6 * pieces)
    pawns = region.keys[structure, 0] | region.keys[structure, 1]
    rows = list_moves(region, structure, work.codes[0], LOOK, work.moves)
    answer, scratch = work.answer, work.scratch
    for plane in range(planes):
        read_squares(plane, pieces, work.squares[0])
        for side in range(2):
            place = region.reached[structure] + (side * planes + plane) * WORDS
            if is_empty(region.arena, place):
                continue
            count = list_plane(
                work.moves, rows, work.codes[0], work.squares[0], pieces, pawns, side, work.out
            )
            for i in range(count):
                row, there = work.out[i, Out.ROW], work.out[i, Out.PLANE]
                child = work.moves[row, Move.CHILD]
                state = region.state[child, attacker]
                if work.moves[row, Move.PASSING] < 0 and (
                    state != State.CLOSED or region.hits[child, attacker] > 0
                ):
                    # It is enough to know that there is a way to what is outside.
                    if state == State.OPEN:
                        push_forward(region.arena, place, work.out, i, scratch, 0)
                        _arrive(region, child, attacker, there, 1 - side, scratch, 0)
                    continue
                write_answer(
                    region, work.moves, work.out, i, side, work.codes[1], work.squares[1],
                    work.spare, answer,
                )  # fmt: skip
                push_forward(region.arena, place, work.out, i, scratch, 0)
                most, least = WIN + 64, WIN
                if side != attacker:
                    most, least = HOLD, HOLD + 64
                for k in range(64):
                    scratch[k] &= answer[most + k] & ~answer[least + k]
                if is_empty(scratch, 0):
                    continue
                _arrive(region, child, attacker, there, 1 - side, scratch, 0)
                for column in (Move.PASSING, Move.PASSING_TOO):
                    if work.moves[row, column] >= 0:
                        _arrive(region, work.moves[row, column], attacker, there, side, scratch, 0)


@hot_entry
def follow_flood(region, work, structures, count, attacker):
    """Follow the flood through structures, those of higher rank first.

    Closed structures that it comes to have hits of the attacker then, and open ones through which
    it passes.
    """
    for i in range(count):
        structure = structures[i]
        if region.reached[structure] >= 0:
            list_moves(region, structure, work.codes[0], LOOK, work.moves)
            if region.hits[structure, attacker] > 0:
                _flood_within(region, work, structure, attacker)
                _flood_out(region, work, structure, attacker)
            give(region, np.int64(region.pieces[structure]), region.reached[structure])
            region.reached[structure] = NONE


@entry
def begin_flood(region, work, structure, attacker, plane, turn, white_king, black_king):
    """Let the flood begin in a position."""
    clear(work.scratch, 0)
    work.scratch[white_king] = bit(black_king)
    _arrive(region, structure, attacker, plane, turn, work.scratch, 0)
