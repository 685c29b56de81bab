"""Kernels: a search for a helpmate, the most promising position first, that forgets no position."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from tablebase.arbiter.bitboards import (
    AROUND,
    BISHOP,
    BITS,
    KNIGHT,
    MOST_MOVES,
    NOTHING,
    ONE,
    PAWN,
    QUEEN,
    ROOK,
    WORDS,
    attacked_from,
    children,
    is_checked,
    is_hit,
    king_of,
    occupied_by,
    occupied_in,
    turn_of,
)
from tablebase.core.jit.instructions import count_bits, lowest_bit, work_space, work_table
from tablebase.core.jit.kernels import hot_entry, hot_kernel

BUCKETS = 1024
MATED, ASKED, ENDED, FULL = range(4)


class Link(IntEnum):
    """What is kept of a position beside its state."""

    PARENT = 0
    MOVE = 1
    DEPTH = 2
    NEXT = 3  # in the same bucket
    NEW = 4  # whether men or pawns have changed by the last move: worth a proof


class Number(IntEnum):
    """The numbers of a search."""

    COLOR = 0  # who mates, 1 for White
    STRIP = 1  # how much is thought of taking men of the other side
    SPARE = 2  # how much is thought of giving own men away
    KNOWN = 3  # positions
    LOWEST = 4  # bucket
    NODE = 5  # found or asked about
    ASKS = 6  # whether to stop at new men and pawns


@hot_kernel
def _distance(one, other):
    return max(abs(one // 8 - other // 8), abs(one % 8 - other % 8))


@hot_kernel
def _moves_to_check(state, color, king, occupied):
    """Return in how many moves a man may give check: 0 to 3."""
    own = occupied_by(state, color)
    left, best = own & ~state[PAWN] & ~BITS[king_of(state, color)], 3
    while left != NOTHING:
        square = lowest_bit(left)
        left &= left - ONE
        kind = KNIGHT
        while (state[kind] & BITS[square]) == NOTHING:
            kind += 1
        aims = attacked_from(kind, king, occupied)
        if (aims & BITS[square]) != NOTHING:
            return 0
        is_near = (attacked_from(kind, square, occupied) & ~own & aims) != NOTHING
        best = min(best, 1 if is_near else 2)
    return best


@hot_kernel
def _promotion(state, color, occupied):
    """Return the steps of the nearest pawn to its promotion."""
    best, left = 48, state[PAWN] & occupied_by(state, color)
    ahead = 8 if color else -8
    while left != NOTHING:
        square = lowest_bit(left)
        left &= left - ONE
        far = 0
        square += ahead
        while 0 <= square < 64:
            far += 4
            if (occupied & BITS[square]) != NOTHING:
                far += 6 if (state[PAWN] & BITS[square]) != NOTHING else 2
            square += ahead
        best = min(best, far)
    return best


@hot_kernel
def _estimate(state, counts):
    """Return the estimated distance of a position from a mate."""
    color = counts[Number.COLOR]
    own, other = occupied_by(state, color), occupied_by(state, 1 - color)
    mated, king = king_of(state, 1 - color), king_of(state, color)
    occupied = own | other
    far = 2 * (min(mated % 8, 7 - mated % 8) + min(mated // 8, 7 - mated // 8))
    left = AROUND[mated] & ~other
    while left != NOTHING:
        square = lowest_bit(left)
        left &= left - ONE
        if not is_hit(state, color, square, occupied & ~BITS[mated]):
            far += 6
    far += counts[Number.STRIP] * count_bits(other) + counts[Number.SPARE] * count_bits(own)
    far += 3 * _distance(mated, king)
    far += 6 * _moves_to_check(state, color, mated, occupied)
    if ((state[ROOK] | state[QUEEN]) & own) == NOTHING:
        light = count_bits((state[KNIGHT] | state[BISHOP]) & own)
        far += min(16 + 5 * _promotion(state, color, occupied) // 4, 48 - 8 * min(light, 4))
    return far


@hot_kernel
def _slot_of(states, table, state):
    """Return the place of a state in the table, or the free one for it."""
    word = NOTHING
    for i in range(WORDS):
        word = (word ^ state[i]) * np.uint64(0x9E3779B97F4A7C15)
        word ^= word >> np.uint64(29)
    last = len(table) - 1
    slot = np.int64(word & np.uint64(last))
    while table[slot] >= 0:
        node = table[slot]
        is_same = True
        for i in range(WORDS):
            if states[node, i] != state[i]:
                is_same = False
                break
        if is_same:
            break
        slot = (slot + 1) & last
    return slot


@hot_kernel
def _expand(states, links, heads, table, counts, node):
    """Keep the positions one move after another; return whether that is a mate."""
    rows = work_table(MOST_MOVES, WORDS, np.uint64)
    moves = work_space(MOST_MOVES, np.int64)
    color = counts[Number.COLOR]
    number = children(states[node], rows, moves)
    if number == 0:
        return turn_of(states[node]) != color and is_checked(states[node], 1 - color)
    before = count_bits(occupied_in(states[node]))
    for i in range(number):
        slot = _slot_of(states, table, rows[i])
        if table[slot] >= 0 or count_bits(occupied_by(rows[i], color)) == 1:
            continue
        new = counts[Number.KNOWN]
        counts[Number.KNOWN] += 1
        table[slot] = new
        for word in range(WORDS):
            states[new, word] = rows[i, word]
        depth = links[node, Link.DEPTH] + 1
        links[new, Link.PARENT], links[new, Link.MOVE] = node, moves[i]
        links[new, Link.DEPTH] = depth
        is_new = count_bits(occupied_in(rows[i])) != before
        links[new, Link.NEW] = 1 if is_new or rows[i, PAWN] != states[node, PAWN] else 0
        bucket = _estimate(rows[i], counts) + 5 * depth // 8
        bucket = min(bucket, BUCKETS - 1)
        links[new, Link.NEXT] = heads[bucket]
        heads[bucket] = new
        counts[Number.LOWEST] = min(counts[Number.LOWEST], bucket)
    return False


@hot_entry
def advance(states, links, heads, table, counts, node):
    """Search on, and first of all after a position, if one is given; return why it stops.

    `MATED`: the node is a mate. `ASKED`: are men and pawns as in this node worth a search? `ENDED`:
    there is nothing else. `FULL`: the memory is.
    """
    while True:
        if node >= 0 and _expand(states, links, heads, table, counts, node):
            counts[Number.NODE] = node
            return MATED
        if counts[Number.KNOWN] + MOST_MOVES > len(states):
            return FULL
        lowest = counts[Number.LOWEST]
        while lowest < BUCKETS and heads[lowest] < 0:
            lowest += 1
        counts[Number.LOWEST] = lowest
        if lowest == BUCKETS:
            return ENDED
        node = heads[lowest]
        heads[lowest] = links[node, Link.NEXT]
        if counts[Number.ASKS] and links[node, Link.NEW]:
            counts[Number.NODE] = node
            return ASKED
