"""Kernels that set up an epoch of a slice: what is legal, what moves out of it give, and where.

See `slices`.
"""

from __future__ import annotations

import numpy as np

from tablebase.core.engine.out.child_places import ONLY_PLANE
from tablebase.core.engine.out.children import EPOCH, LATER
from tablebase.core.engine.plies.epochs import note_undecided
from tablebase.core.engine.plies.sets import PRESENCE_KEYS
from tablebase.core.engine.plies.threads import (
    BEFORE_FIRST,
    PLANES_PER_TASK,
    begin_phase,
    claim_task,
)
from tablebase.core.engine.sets.bits import ALL
from tablebase.core.engine.sets.planes import place_men
from tablebase.core.jit.barriers import barrier
from tablebase.core.jit.instructions import lowest_bit
from tablebase.core.jit.kernels import kernel
from tablebase.core.jit.vectors import bytes_equal, raise_selected, write_selected


@kernel
def set_up(problem, slice_number, epoch, worker):
    """Fill all sets before the first ply of an epoch; return the last in which a value enters.

    That is the latest of all threads, which tell one another by `last_ply`.
    """
    sync, team, scratch = worker.sync, worker.team, worker.scratch
    is_late = np.int64(0)
    for late in problem.children.child_codes.late:
        is_late |= late
    scratch.moment[EPOCH], scratch.moment[LATER] = epoch, 0
    plane_count = len(problem.planes.plane_squares)
    longest = problem.last_import[0]
    phase = begin_phase(team)
    task = claim_task(sync, team, phase, BEFORE_FIRST)
    while task * PLANES_PER_TASK < plane_count:
        first = task * PLANES_PER_TASK
        for plane in range(first, min(first + PLANES_PER_TASK, plane_count)):
            if epoch:
                ply = _set_up_again(problem, slice_number, plane, is_late, worker)
            else:
                ply = _set_up_plane(problem, slice_number, plane, worker)
            longest = max(longest, ply)
        task = claim_task(sync, team, phase, task)
    if scratch.moment[LATER]:
        longest = problem.metric.last_ply + 1
    sync.last_ply[team.thread] = longest
    barrier(sync, team)
    for thread in range(team.threads):
        longest = max(longest, sync.last_ply[thread])
    return longest


@kernel
def _set_up_again(problem, slice_number, plane, is_late, worker):
    """Fill what a plane needs for another epoch; return the last ply in which a value enters.

    What is still in `not_won` and `not_lost` is noted in `undecided`. If moves out enter late, such
    positions get new `values`; `presence` notes them.
    """
    planes, sets, men, scratch = problem.planes, worker.sets, worker.men, worker.scratch
    longest = np.int64(0)
    clash, _ = place_men(problem, slice_number, plane, men)
    if clash or planes.is_copy[plane]:
        return longest
    ended = scratch.moment[EPOCH] - 1
    if len(problem.undecided):
        note_undecided(problem, plane, ended, worker)
    value_plane, best = np.int64(planes.value_plane[plane]), scratch.best
    if is_late:
        for color in range(2):
            for slot in range(4096):
                best[color, slot] = 0
        problem.game.move_out(problem, plane, worker, best, ONLY_PLANE)
    for color in range(2):
        for white in range(64):
            word = np.int64(plane) * 64 + white
            undecided = sets.not_won[color, word] & sets.not_lost[color, word]
            if len(worker.undecided):
                worker.undecided[ended, color, word] = undecided
            if is_late:
                place = (value_plane * 64 + white) * 64
                write_selected(best[color], white * 64, ~undecided, np.uint8(0))
                write_selected(sets.values[color], place, undecided, np.uint8(0))
                raise_selected(sets.values[color], place, best[color], white * 64, undecided)
        if is_late:
            problem.game.answer(problem, color, plane, worker)
        first = ONLY_PLANE if is_late else np.int64(-1)
        presence = sets.presence[color]
        ply = _note_presence(problem.metric, planes, best[color], first, plane, presence)
        longest = max(longest, ply)
    return longest


@kernel
def _note_presence(metric, planes, values, value_plane, plane, presence):
    """Note in `presence` which `values` the lines of a plane and of its copy have.

    They are in plane `value_plane` of `values`; if that is negative, there are none. Returns the
    last ply in which one of them enters.
    """
    copy = np.int64(planes.mirrored[plane])
    lines, column = presence[np.int64(plane) >> 6], plane & 63
    # Without a copy its lines are some others, left alone.
    lines_of_copy, column_of_copy = presence[copy >> 6], copy & 63
    for each in range(PRESENCE_KEYS):
        lines[each, column] = 0
        if copy >= 0:
            lines_of_copy[each, column_of_copy] = 0
    last_ply = np.int64(0)
    if value_plane < 0:
        return last_ply
    for white in range(64):
        place = (value_plane * 64 + white) * 64
        some = ~bytes_equal(values, place, np.uint8(0))
        while some:
            value = np.int64(values[place + lowest_bit(some)])
            some &= ~bytes_equal(values, place, np.uint8(value))
            key = value & (PRESENCE_KEYS - 1)
            lines[key, column] |= np.uint8(1 << (white >> 3))
            if copy >= 0:  # there White's king stands on the mirrored square
                lines_of_copy[key, column_of_copy] |= np.uint8(1 << (white & 7))
            last_ply = max(last_ply, metric.seed_ply[value])
    return last_ply


@kernel
def _set_up_plane(problem, slice_number, plane, worker):
    """Fill the sets of a plane and of its copy before the first ply.

    `values` are those of the best moves out of positions in `not_won`; `presence` notes them.
    Returns the last ply in which one enters.
    """
    planes, sets = problem.planes, worker.sets
    if planes.is_copy[plane]:
        return np.int64(0)
    if planes.mirrored[plane] >= 0:  # first, since moves out start from the men begun last
        _begin_plane(problem, slice_number, planes.mirrored[plane], worker)
    has_positions = _begin_plane(problem, slice_number, plane, worker)
    value_plane = np.int64(planes.value_plane[plane])
    if value_plane >= 0:
        for color in range(2):
            for white in range(64):
                write_selected(
                    sets.values[color], (value_plane * 64 + white) * 64, ALL, np.uint8(0)
                )
    if has_positions:
        problem.game.move_out(problem, plane, worker, sets.values, value_plane)
    longest = np.int64(0)
    for color in range(2):
        values, not_won = sets.values[color], sets.not_won[color]
        if value_plane >= 0:
            for white in range(64):
                illegal = ~not_won[np.int64(plane) * 64 + white]
                write_selected(values, (value_plane * 64 + white) * 64, illegal, np.uint8(0))
            problem.game.settle(problem, color, plane, worker)
            problem.game.answer(problem, color, plane, worker)
        ply = _note_presence(
            problem.metric, planes, values, value_plane, plane, sets.presence[color]
        )
        longest = max(longest, ply)
    return longest


@kernel
def _begin_plane(problem, slice_number, plane, worker):
    """Make `not_won` and `not_lost` the legal positions of a plane; return if men stand apart.

    `may_lose` and `frontier` become empty.
    """
    sets, men, legal = worker.sets, worker.men, worker.scratch.legal
    clash, occupied = place_men(problem, slice_number, plane, men)
    base = np.int64(plane) * 64
    for color in range(2):
        not_won, not_lost = sets.not_won[color], sets.not_lost[color]
        may_lose = sets.may_lose[color]
        _clear_frontier(sets, color, plane)
        problem.game.stand(problem.law, men, color, occupied, worker.scratch)
        for white in range(64):
            word = np.uint64(0) if clash else legal[white]
            not_won[base + white] = not_lost[base + white] = word
            may_lose[base + white] = 0
        problem.game.begin(problem, color, plane, worker)
    return not clash


@kernel
def _clear_frontier(sets, color, plane):
    """Empty the `frontier` of a plane of what the slice before left."""
    for which in range(len(sets.frontier)):
        sets.frontier_lines[which, color, plane] = 0
        frontier = sets.frontier[which, color]
        for white in range(64):
            frontier[np.int64(plane) * 64 + white] = 0
