"""Which open positions the root can reach, and through which structures outside the region.

A position is open if its bounds differ. The flood passes through such positions only, by all legal
moves: what is proven need not be looked behind.
"""

from __future__ import annotations

import numpy as np

from tablebase.jit import count_bits, entry, hot_entry, hot_kernel
from tablebase.solving.attractor import FRESH, set_at
from tablebase.solving.lists import CHILD, LOOK, PASSING, PLANE, ROW, list_moves, list_plane
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
)
from tablebase.solving.region import CLOSED, EXACT, place_in
from tablebase.solving.rows import HOLD, WIN, push_forward, write_answer


@hot_kernel
def _touch(region, structure):
    """Empty what is reached of a structure when it is reached first."""
    if region.hits[structure] == 0:
        words = WORDS << (6 * np.int64(region.pieces[structure]))
        for i in range(2 * words):
            region.arena[region.reached[structure] + i] = ZERO


@hot_kernel
def _arrive(region, structure, plane, turn, rows, start):
    """Enter positions that are reached; return how many of them are new and open."""
    if region.state[structure] == CLOSED:
        found = 0
        for k in range(64):
            found += count_bits(rows[start + k])
        region.hits[structure] += found
        return found
    if region.state[structure] == EXACT:
        return 0
    _touch(region, structure)
    planes = 1 << (6 * np.int64(region.pieces[structure]))
    place = region.reached[structure] + (turn * planes + plane) * WORDS
    found = 0
    for attacker in range(2):
        lower = place_in(region, structure, 0, attacker, turn, plane)
        upper = place_in(region, structure, 1, attacker, turn, plane)
        for k in range(64):
            word = region.arena[upper + k] & ~region.arena[lower + k] & rows[start + k]
            found += count_bits(word & ~region.arena[place + k])
            region.arena[place + k] |= word
    region.hits[structure] += found
    return found


@hot_kernel
def _spread(region, work, structure, plane, turn, count):
    """Make the moves of a plane within its structure; return the new length of the queue."""
    pieces = np.int64(region.pieces[structure])
    planes = 1 << (6 * pieces)
    pawns = region.keys[structure, 0] | region.keys[structure, 1]
    sets, scratch = work.sets, work.scratch
    source = set_at(planes, FRESH + turn, plane)
    occupied = read_squares(plane, pieces, work.squares[0]) | pawns
    for i in range(-1, pieces):
        if i < 0:
            clear(scratch, 0)
            add_king_moved(scratch, 0, sets, source, turn)
            count = _keep(region, work, structure, planes, plane, 1 - turn, count)
            continue
        if work.codes[0, i] // 4 != turn:
            continue
        kind, start = work.codes[0, i] & 3, work.squares[0, i]
        for ray in range(8):
            mask = ZERO
            for step in range(7):
                target = np.int64(PIECE_RAYS[kind, start, ray, step])
                if target < 0 or is_in(occupied, target):
                    break
                mask |= bit(target)
                clear(scratch, 0)
                add_moved(scratch, 0, sets, source, mask)
                there = plane + ((target - start) << (6 * i))
                count = _keep(region, work, structure, planes, there, 1 - turn, count)
    clear(sets, source)
    return count


@hot_kernel
def _keep(region, work, structure, planes, plane, turn, count):
    """Enter open positions that were reached within the structure; return the queue's length."""
    sets, scratch, arena = work.sets, work.scratch, region.arena
    place = region.reached[structure] + (turn * planes + plane) * WORDS
    fresh = set_at(planes, FRESH + turn, plane)
    clear(scratch, 64)
    for attacker in range(2):
        lower = place_in(region, structure, 0, attacker, turn, plane)
        upper = place_in(region, structure, 1, attacker, turn, plane)
        for k in range(64):
            scratch[64 + k] |= arena[upper + k] & ~arena[lower + k]
    found = ZERO
    for k in range(64):
        word = scratch[k] & scratch[64 + k] & ~arena[place + k]
        arena[place + k] |= word
        sets[fresh + k] |= word
        found |= word
    if found != ZERO and work.queued[1, plane] == 0:
        work.queued[1, plane] = 1
        work.queue[1, count] = plane
        return count + 1
    return count


@hot_kernel
def _flood_within(region, work, structure):
    """Complete what is reached of a structure by moves within it."""
    pieces = np.int64(region.pieces[structure])
    planes = 1 << (6 * pieces)
    count = 0
    for plane in range(planes):
        work.queued[1, plane] = 0
        some = False
        for turn in range(2):
            place = region.reached[structure] + (turn * planes + plane) * WORDS
            fresh = set_at(planes, FRESH + turn, plane)
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
                if not is_empty(work.sets, set_at(planes, FRESH + turn, queued)):
                    found = _spread(region, work, structure, queued, turn, found)
        for i in range(found):
            work.queue[0, i] = work.queue[1, i]
            work.queued[1, work.queue[1, i]] = 0
        count = found


@hot_kernel
def _flood_out(region, work, structure):
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
                row, there = work.out[i, ROW], work.out[i, PLANE]
                write_answer(
                    region, work.moves, work.out, i, side, work.codes[1], work.squares[1],
                    work.spare, answer,
                )  # fmt: skip
                push_forward(region.arena, place, work.out, i, scratch, 0)
                for k in range(64):
                    scratch[k] &= (answer[WIN + 64 + k] & ~answer[WIN + k]) | (
                        answer[HOLD + k] & ~answer[HOLD + 64 + k]
                    )
                if is_empty(scratch, 0):
                    continue
                _arrive(region, work.moves[row, CHILD], there, 1 - side, scratch, 0)
                for column in range(PASSING, PASSING + 2):
                    if work.moves[row, column] >= 0:
                        _arrive(region, work.moves[row, column], there, side, scratch, 0)


@hot_entry
def flood(region, work, structures, count):
    """Follow the flood through structures, those of higher rank first."""
    for i in range(count):
        structure = structures[i]
        if region.hits[structure] > 0 and region.state[structure] not in (CLOSED, EXACT):
            list_moves(region, structure, work.codes[0], LOOK, work.moves)
            _flood_within(region, work, structure)
            _flood_out(region, work, structure)


@entry
def begin_flood(region, work, structure, plane, turn, white_king, black_king):
    """Let the flood begin in a position."""
    clear(work.scratch, 0)
    work.scratch[white_king] = bit(black_king)
    _arrive(region, structure, plane, turn, work.scratch, 0)
