"""How far positions of a structure are from mate, or from the next move that leaves it.

Their values are found as in `attractor`, but ply by ply: the attacker's wins and the defender's
losses, given the best of the moves out of each position. A move out counts from the ply on at which
it wins, or loses.
"""

from __future__ import annotations

import numpy as np

from tablebase.jit import (
    any_word,
    empty_line,
    hot_entry,
    hot_kernel,
    load_line,
    lowest_bit,
    store_line,
)
from tablebase.solving.kernels.exits import DRAW, MATE, POSITIONS, STALEMATE, write_exits
from tablebase.solving.kernels.fields import LOOK, Sets, set_at
from tablebase.solving.kernels.lists import list_moves
from tablebase.solving.kernels.planes import (
    WORDS,
    ZERO,
    clear,
    king_line,
    king_line_complement,
    list_targets,
    lost_line,
    read_squares,
)
from tablebase.solving.kernels.structures import write_positions

# Sets of the work space beside those of `attractor`: the attacker's positions that are won, and
# those that are not yet; the defender's that are lost.
# What falls due by a move out: wins of the attacker, losses of the defender.
WINS, LOSSES = 0, 1


@hot_kernel
def _next_due(row, role, most):
    """Return the greatest that falls due of a row, no more than `most`; 0 if nothing does."""
    sign = -1 if role == LOSSES else 1
    found = np.int64(0)
    for j in range(64):
        value = sign * np.int64(row[j])
        found = max(found, value if STALEMATE < value <= most else np.int64(0))
    return found


@hot_kernel
def _take_due(distances, start, role, plane, planes, sets, filtering, target):
    """Add the positions of a plane that fall due, if they are in a set; return whether any are."""
    due, next_due = np.int64(distances.due[role, plane]), np.int64(0)
    wanted = np.int16(-due if role == LOSSES else due)
    some = False
    for k in range(64):
        at = role * planes + plane
        if distances.row_due[at, k] == due:
            row = distances.values[start + 64 * k : start + 64 * k + 64]
            word = ZERO
            for j in range(64):
                word |= np.uint64(row[j] == wanted) << np.uint64(j)
            word &= sets[filtering + k]
            some |= word != ZERO
            sets[target + k] |= word
            distances.row_due[at, k] = _next_due(row, role, due - 1)
        next_due = max(next_due, np.int64(distances.row_due[at, k]))
    distances.due[role, plane] = next_due
    return some


@hot_kernel
def _record(sets, place, values, start, value):
    """Write the value of the positions of a set."""
    for k in range(64):
        word = sets[place + k]
        while word != ZERO:
            values[start + 64 * k + lowest_bit(word)] = value
            word &= word - np.uint64(1)


@hot_kernel
def _spread(work, planes, plane, pieces, pawns, side, source, filtering, target, queued):
    """Add the positions before those of a set, if they are in another; queue their planes."""
    sets, ways = work.sets, work.ways
    place = set_at(planes, source, plane)
    keep, there = set_at(planes, filtering, 0), set_at(planes, target, 0)
    occupied = read_squares(plane, pieces, work.squares[0]) | pawns
    count = list_targets(plane, pieces, work.codes[0], work.squares[0], occupied, side, ways)
    for line in range(0, WORDS, 8):
        words = king_line(sets, place, line, side)
        _put(work, sets, keep, there, plane * WORDS + line, words, queued)
        words = load_line(sets, place + line)
        if any_word(words):
            for i in range(count):
                moved = words & ~lost_line(ways[1, i], line)
                _put(work, sets, keep, there, np.int64(ways[0, i]) + line, moved, queued)
    clear(sets, place)


@hot_kernel
def _put(work, sets, keep, there, at, words, queued):
    words = words & load_line(sets, keep + at)
    if any_word(words):
        store_line(sets, there + at, load_line(sets, there + at) | words)
        work.queued[queued, at // WORDS] = 1


@hot_kernel
def _find_lost(work, planes, plane, pieces, pawns, defender):
    """Find the defender's positions in doubt that are lost; return whether there are any."""
    sets, ways = work.sets, work.ways
    doubt, fresh = set_at(planes, Sets.DOUBT, plane), set_at(planes, Sets.FRESH + defender, plane)
    candidates, lost = set_at(planes, Sets.CANDIDATES, plane), set_at(planes, Sets.LOST, plane)
    won = set_at(planes, Sets.WON, 0)
    occupied = read_squares(plane, pieces, work.squares[0]) | pawns
    count = list_targets(plane, pieces, work.codes[0], work.squares[0], occupied, defender, ways)
    found = False
    for line in range(0, WORDS, 8):
        rest = load_line(sets, doubt + line)
        store_line(sets, doubt + line, empty_line())
        if any_word(rest):
            rest = rest & ~king_line_complement(sets, won + plane * WORDS, line, defender)
            for i in range(count):
                there = load_line(sets, won + np.int64(ways[0, i]) + line)
                rest = rest & (there | lost_line(ways[1, i], line))
                if not any_word(rest):
                    break
            found |= any_word(rest)
            store_line(sets, candidates + line, load_line(sets, candidates + line) & ~rest)
            store_line(sets, lost + line, load_line(sets, lost + line) | rest)
        store_line(sets, fresh + line, rest)
    return found


@hot_kernel
def _prepare(work, distances, planes, attacker):
    """Prepare the sets of an attack: nothing is won, and what has no moves out may be mate."""
    defender = 1 - attacker
    sets, values = work.sets, distances.values
    for plane in range(planes):
        for queued in range(3):
            work.queued[queued, plane] = 0
        work.queued[0, plane] = work.valid[plane]
        clear(sets, set_at(planes, Sets.FRESH, plane))
        clear(sets, set_at(planes, Sets.FRESH + 1, plane))
        clear(sets, set_at(planes, Sets.LOST, plane))
        for role, side in ((WINS, attacker), (LOSSES, defender)):
            start = (side * planes + plane) * POSITIONS
            most = np.int64(0)
            for k in range(64):
                due = _next_due(values[start + 64 * k : start + 64 * k + 64], role, MATE)
                distances.row_due[role * planes + plane, k] = due
                most = max(most, due)
            distances.due[role, plane] = most
        # The last `start` is that of the defender.
        for k in range(64):
            legal = sets[set_at(planes, Sets.LEGAL + attacker, plane) + k]
            sets[set_at(planes, Sets.WON, plane) + k] = ~legal
            sets[set_at(planes, Sets.LEFT, plane) + k] = legal
            row = values[start + 64 * k : start + 64 * k + 64]
            word = ZERO
            for j in range(64):
                word |= np.uint64(row[j] < -MATE) << np.uint64(j)
            sets[set_at(planes, Sets.CANDIDATES, plane) + k] = word
            sets[set_at(planes, Sets.DOUBT, plane) + k] = word


@hot_kernel
def _lose_at(region, work, distances, structure, planes, attacker, ply):
    """Find what the defender loses in so many plies."""
    defender = 1 - attacker
    sets, values, due = work.sets, distances.values, distances.due
    pieces = np.int64(region.pieces[structure])
    pawns = region.keys[structure, 0] | region.keys[structure, 1]
    for plane in range(planes):
        start = (defender * planes + plane) * POSITIONS
        if due[LOSSES, plane] == MATE - ply:
            legal, doubt = (
                set_at(planes, Sets.LEGAL + defender, plane),
                set_at(planes, Sets.DOUBT, plane),
            )
            candidates = set_at(planes, Sets.CANDIDATES, plane)
            _take_due(distances, start, LOSSES, plane, planes, sets, legal, doubt)
            for k in range(64):
                sets[candidates + k] |= sets[doubt + k]
            work.queued[0, plane] = 1
        if work.queued[0, plane] == 0:
            continue
        work.queued[0, plane] = 0
        if _find_lost(work, planes, plane, pieces, pawns, defender):
            work.queued[2, plane] = 1
            fresh = set_at(planes, Sets.FRESH + defender, plane)
            _record(sets, fresh, values, start, np.int16(ply - MATE))


@hot_kernel
def _win_at(work, distances, planes, attacker, ply):
    """Enter what the attacker wins in so many plies."""
    sets, values, due = work.sets, distances.values, distances.due
    for plane in range(planes):
        fresh, left = set_at(planes, Sets.FRESH + attacker, plane), set_at(planes, Sets.LEFT, plane)
        start = (attacker * planes + plane) * POSITIONS
        if due[WINS, plane] == MATE - ply and _take_due(
            distances, start, WINS, plane, planes, sets, left, fresh
        ):
            work.queued[1, plane] = 1
        if work.queued[1, plane]:
            _record(sets, fresh, values, start, np.int16(MATE - ply))
            won = set_at(planes, Sets.WON, plane)
            for k in range(64):
                sets[won + k] |= sets[fresh + k]
                sets[left + k] &= ~sets[fresh + k]


@hot_kernel
def _next_ply(work, distances, planes, ply):
    """Return the next ply at which anything may be found, -1 if there is none."""
    most = 0
    for plane in range(planes):
        if work.queued[0, plane] or work.queued[1, plane]:
            return ply + 1
        most = max(most, distances.due[WINS, plane], distances.due[LOSSES, plane])
    return MATE - most if most > 0 else -1


@hot_kernel
def _attack(region, work, distances, structure, planes, attacker):
    """Find the attacker's wins and the defender's losses, ply by ply."""
    defender = 1 - attacker
    pieces = np.int64(region.pieces[structure])
    pawns = region.keys[structure, 0] | region.keys[structure, 1]
    _prepare(work, distances, planes, attacker)
    ply = 0
    while ply >= 0:
        # A defender loses in n plies if he is lost in less after all his moves.
        _lose_at(region, work, distances, structure, planes, attacker, ply)
        _win_at(work, distances, planes, attacker, ply)
        for plane in range(planes):
            if work.queued[1, plane]:
                work.queued[1, plane] = 0
                _spread(
                    work, planes, plane, pieces, pawns, defender, Sets.FRESH + attacker,
                    Sets.CANDIDATES,
                    Sets.DOUBT, 0,
                )  # fmt: skip
        for plane in range(planes):
            if work.queued[2, plane]:
                work.queued[2, plane] = 0
                _spread(
                    work, planes, plane, pieces, pawns, attacker, Sets.FRESH + defender, Sets.LEFT,
                    Sets.FRESH + attacker, 1,
                )  # fmt: skip
        ply = _next_ply(work, distances, planes, ply)
    values, sets = distances.values, work.sets
    for plane in range(planes):
        start = (defender * planes + plane) * POSITIONS
        lost = set_at(planes, Sets.LOST, plane)
        for k in range(64):
            row = values[start + 64 * k : start + 64 * k + 64]
            word = sets[lost + k]
            for j in range(64):
                is_lost = (word >> np.uint64(j)) & np.uint64(1) != ZERO
                row[j] = row[j] if is_lost or row[j] > 0 else DRAW


@hot_entry
def measure(region, work, distances, structure):
    """Write the values of the positions of a structure.

    Parameters
    ----------
    region, work, distances
        Records of `RegionFields`, `WorkFields` and `DistanceFields`.
    structure
        Its number.
    """
    rows = list_moves(region, structure, work.codes[0], LOOK, work.moves)
    planes = 1 << (6 * np.int64(region.pieces[structure]))
    write_positions(region, work, structure, rows, 1, 1)
    write_exits(region, work, distances, structure, rows, planes)
    for attacker in range(2):
        _attack(region, work, distances, structure, planes, attacker)
