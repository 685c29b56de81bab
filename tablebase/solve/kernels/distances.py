"""Distances of positions of a structure to mate, or to the next move that leaves it.

Wins and losses are found as in `attractor`, but ply by ply: a move out counts from the ply on at
which it wins or loses. Where the structure has a lower bound, only what it proves counts, since who
follows distances must find each position proven. Sets are of the work space, see `DistanceSets`.
"""

from __future__ import annotations

import numpy as np

from tablebase.core.jit.instructions import lowest_bit
from tablebase.core.jit.kernels import hot_entry, hot_kernel
from tablebase.solve.kernels.attractor import find_lost, lose_before
from tablebase.solve.kernels.exits import DRAW, MATE, STALEMATE, values_at, write_exits
from tablebase.solve.kernels.fields import (
    LOWER,
    DistanceSets,
    Queue,
    Sets,
    State,
    planes_of,
    set_at,
    set_of,
)
from tablebase.solve.kernels.king_planes import ZERO, add, clear, is_in, keep, remove
from tablebase.solve.kernels.lists import LOOK, list_moves_out
from tablebase.solve.kernels.packing import read_bound
from tablebase.solve.kernels.spreading import make_spread, put_allowed
from tablebase.solve.kernels.structures import write_positions

# What falls due by a move out: wins of the attacker, losses of the defender.
WINS, LOSSES = 0, 1

_spread_wins = make_spread(put_allowed, Queue.WINS)


@hot_entry
def measure(region, work, distances, structure):
    """Write the values of the positions of a structure into `distances`."""
    rows = list_moves_out(region, work, structure, LOOK)
    planes = planes_of(region, structure)
    write_positions(region, work, structure, rows, (1, 1))
    write_exits(region, work, distances, structure, rows)
    for attacker in range(2):
        _attack(region, work, distances, structure, planes, attacker)


@hot_kernel
def _attack(region, work, distances, structure, planes, attacker):
    """Find the attacker's wins and the defender's losses, ply by ply."""
    defender = 1 - attacker
    _prepare(region, work, distances, structure, planes, attacker)
    ply = 0
    while ply >= 0:
        # A defender loses in n plies if he is lost in less after all his moves.
        _lose_at(region, work, distances, structure, planes, attacker, ply)
        _win_at(work, distances, planes, attacker, ply)
        for plane in range(planes):
            if work.queued[Queue.WINS, plane]:
                work.queued[Queue.WINS, plane] = 0
                lose_before(region, work, structure, plane, defender)
        for plane in range(planes):
            if work.queued[Queue.LOSSES, plane]:
                work.queued[Queue.LOSSES, plane] = 0
                _win_before(region, work, structure, plane, attacker)
        ply = _next_ply(work, distances, planes, ply)
    for plane in range(planes):
        _forget_others(work, distances, planes, plane, attacker)


@hot_kernel
def _prepare(region, work, distances, structure, planes, attacker):
    """Write all sets of an attack, given LEGAL: nothing is won, but illegal positions are WON.

    What has no moves out may be mate: it is among the CANDIDATES, in DOUBT.
    """
    defender = 1 - attacker
    sets, values = work.sets, distances.values
    for plane in range(planes):
        work.queued[Queue.DOUBTS, plane] = work.valid[plane]
        work.queued[Queue.WINS, plane] = 0
        work.queued[Queue.LOSSES, plane] = 0
        clear(sets, set_of(planes, Sets.FRESH, 0, plane))
        clear(sets, set_of(planes, Sets.FRESH, 1, plane))
        clear(sets, set_at(planes, DistanceSets.LOST, plane))
        for role, side in ((WINS, attacker), (LOSSES, defender)):
            start = values_at(planes, side, plane)
            most = np.int64(0)
            for k in range(64):
                due = _next_due(values[start + 64 * k : start + 64 * k + 64], role, MATE)
                distances.row_due[role * planes + plane, k] = due
                most = max(most, due)
            distances.due[role, plane] = most
        # The last `start` is that of the defender.
        for k in range(64):
            legal = sets[set_of(planes, Sets.LEGAL, attacker, plane) + k]
            sets[set_at(planes, DistanceSets.WON, plane) + k] = ~legal
            sets[set_at(planes, DistanceSets.NOT_WON, plane) + k] = legal
            losable = sets[set_of(planes, Sets.LEGAL, defender, plane) + k]
            sets[set_at(planes, DistanceSets.LOSABLE, plane) + k] = losable
            row = values[start + 64 * k : start + 64 * k + 64]
            word = ZERO
            for j in range(64):
                word |= np.uint64(row[j] < -MATE) << np.uint64(j)
            sets[set_at(planes, Sets.CANDIDATES, plane) + k] = word
            sets[set_at(planes, Sets.DOUBT, plane) + k] = word
        _keep_proven(region, work, structure, plane, attacker)


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
def _keep_proven(region, work, structure, plane, attacker):
    """Keep of NOT_WON, LOSABLE, CANDIDATES, DOUBT what the lower bound has, if there is one."""
    if region.state[structure, attacker] == State.CLOSED:
        return
    sets, planes, where = work.sets, planes_of(region, structure), (structure, LOWER, attacker)
    rows, first = read_bound(region, work, *where, attacker, plane)
    keep(sets, set_at(planes, DistanceSets.NOT_WON, plane), rows, first)
    rows, first = read_bound(region, work, *where, 1 - attacker, plane)
    keep(sets, set_at(planes, DistanceSets.LOSABLE, plane), rows, first)
    keep(sets, set_at(planes, Sets.CANDIDATES, plane), rows, first)
    keep(sets, set_at(planes, Sets.DOUBT, plane), rows, first)


@hot_kernel
def _lose_at(region, work, distances, structure, planes, attacker, ply):
    """Add the positions that the defender loses in a number of plies to LOST, and to FRESH.

    Those LOSABLE that fall due become CANDIDATES in DOUBT.
    """
    defender = 1 - attacker
    sets, values, due = work.sets, distances.values, distances.due
    won, lost = set_at(planes, DistanceSets.WON, 0), set_at(planes, DistanceSets.LOST, 0)
    for plane in range(planes):
        start = values_at(planes, defender, plane)
        if due[LOSSES, plane] == MATE - ply:
            losable = set_at(planes, DistanceSets.LOSABLE, plane)
            doubt = set_at(planes, Sets.DOUBT, plane)
            candidates = set_at(planes, Sets.CANDIDATES, plane)
            _take_due(distances, start, LOSSES, plane, planes, sets, losable, doubt)
            add(sets, candidates, sets, doubt)
            work.queued[Queue.DOUBTS, plane] = 1
        if work.queued[Queue.DOUBTS, plane] == 0:
            continue
        work.queued[Queue.DOUBTS, plane] = 0
        if find_lost(region, work, structure, plane, defender, sets, won, lost):
            work.queued[Queue.LOSSES, plane] = 1
            fresh = set_of(planes, Sets.FRESH, defender, plane)
            _record(sets, fresh, values, start, np.int16(ply - MATE))


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
def _record(sets, base, values, start, value):
    """Write the value of the positions of a set."""
    for k in range(64):
        word = sets[base + k]
        while word != ZERO:
            values[start + 64 * k + lowest_bit(word)] = value
            word &= word - np.uint64(1)


@hot_kernel
def _win_at(work, distances, planes, attacker, ply):
    """Move the attacker's FRESH and due positions from NOT_WON to WON."""
    sets, values, due = work.sets, distances.values, distances.due
    for plane in range(planes):
        fresh = set_of(planes, Sets.FRESH, attacker, plane)
        not_won = set_at(planes, DistanceSets.NOT_WON, plane)
        start = values_at(planes, attacker, plane)
        if due[WINS, plane] == MATE - ply and _take_due(
            distances, start, WINS, plane, planes, sets, not_won, fresh
        ):
            work.queued[Queue.WINS, plane] = 1
        if work.queued[Queue.WINS, plane]:
            _record(sets, fresh, values, start, np.int16(MATE - ply))
            add(sets, set_at(planes, DistanceSets.WON, plane), sets, fresh)
            remove(sets, not_won, sets, fresh)


@hot_kernel
def _win_before(region, work, structure, plane, attacker):
    """Add NOT_WON positions before the defender's FRESH to the attacker's; empty the former."""
    planes = planes_of(region, structure)
    lost = set_of(planes, Sets.FRESH, 1 - attacker, plane)
    into = set_at(planes, DistanceSets.NOT_WON, 0), set_of(planes, Sets.FRESH, attacker, 0)
    _spread_wins(region, work, structure, plane, lost, attacker, into)
    clear(work.sets, lost)


@hot_kernel
def _next_ply(work, distances, planes, ply):
    """Return the next ply at which anything may be found, -1 if there is none."""
    most = 0
    for plane in range(planes):
        if work.queued[Queue.DOUBTS, plane] or work.queued[Queue.WINS, plane]:
            return ply + 1
        most = max(most, distances.due[WINS, plane], distances.due[LOSSES, plane])
    return MATE - most if most > 0 else -1


@hot_kernel
def _forget_others(work, distances, planes, plane, attacker):
    """Make draws of positions with a winning or losing move out that are not in WON or LOST."""
    sets, values = work.sets, distances.values
    lost, won = set_at(planes, DistanceSets.LOST, plane), set_at(planes, DistanceSets.WON, plane)
    for k in range(64):
        at = values_at(planes, 1 - attacker, plane) + 64 * k
        row, word = values[at : at + 64], sets[lost + k]
        for j in range(64):
            row[j] = row[j] if is_in(word, j) or row[j] > 0 else DRAW
        at = values_at(planes, attacker, plane) + 64 * k
        row, word = values[at : at + 64], sets[won + k]
        for j in range(64):
            row[j] = row[j] if is_in(word, j) or row[j] <= STALEMATE else DRAW
