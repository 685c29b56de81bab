"""Kernels that solve slices, all positions with the same pawns' squares: set up, then by plies.

A value is a byte, so plies are counted up to 254, an *epoch*, and then from 1 on again. Moves out
enter in the first epoch, or again in each if some lead to longer distances. How often a position
was undecided at the end of one is noted, without pawns in the order of the table's codes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tablebase.core.engine.out.child_places import OWN, find_child
from tablebase.core.engine.plies.retrograde import (
    choose_candidates,
    finish_losses,
    finish_wins,
    frontier_before,
    settle_decided,
)
from tablebase.core.engine.plies.set_up import set_up
from tablebase.core.engine.plies.storing import store
from tablebase.core.engine.plies.threads import (
    BEFORE_FIRST,
    CANCEL,
    EPOCHS,
    FOUND,
    NOTHING,
    PLY,
    SLICES_DONE,
    UNFINISHED,
    agree_on_report,
    begin_phase,
    claim_task,
)
from tablebase.core.engine.sets.bits import ONE, attack_plane
from tablebase.core.engine.sets.planes import place_men
from tablebase.core.engine.sets.preimages import escape_tracks, push_tracks
from tablebase.core.engine.sets.values import LOSS, WIN
from tablebase.core.jit.barriers import barrier
from tablebase.core.jit.instructions import fetch_add
from tablebase.core.jit.kernels import entry, kernel

if TYPE_CHECKING:
    pass

ANCHOR_TRACKS_PER_TASK = 16
ANCHOR = np.int64(0)  # the anchor's number among the movers
ESCAPE = np.int64(3)  # beside the frontiers: WIN, and LOSS by parity of the ply


@entry
def solve_slices(problem, worker, alone):
    """Solve all slices as one thread of a team; `state` counts them, and may tell to stop.

    A slice with an anchor is solved by the team together; of smaller ones each thread solves some
    as the worker `alone`, who has no team.
    """
    sync, team = worker.sync, worker.team
    for advance in range(len(problem.advance_bounds) - 1):
        first, last = problem.advance_bounds[advance], problem.advance_bounds[advance + 1]
        if problem.planes.has_anchor:
            for place in range(first, last):
                _solve_slice(problem, problem.slice_order[place], worker)
                if team.thread == 0:
                    fetch_add(sync.state, SLICES_DONE, 1)
            continue
        phase = begin_phase(team)
        task = claim_task(sync, team, phase, BEFORE_FIRST)
        while first + task < last and not sync.state[CANCEL]:
            _solve_slice(problem, problem.slice_order[first + task], alone)
            fetch_add(sync.state, SLICES_DONE, 1)
            task = claim_task(sync, team, phase, task)
        barrier(sync, team)


@kernel
def _solve_slice(problem, slice_number, worker):
    """Solve one slice and store it.

    The waiting thread reads the progress in `state`; `late` notes for later slices if this one has
    distances of a second epoch.
    """
    metric, sync, team = problem.metric, worker.sync, worker.team
    pawns = np.uint64(0)
    for square in problem.slice_pawns[slice_number]:
        pawns |= ONE << np.uint64(square)
    epoch = np.int64(0)
    last_ply = set_up(problem, slice_number, epoch, worker)
    report = FOUND
    ply = np.int64(0)
    longest = np.int64(0)  # ply with results
    quiet = np.int64(0)  # plies without any result since the last one with some
    # Without a frontier only moves out bring results, the last ones in `last_ply`.
    while report == FOUND or (report == NOTHING and ply <= last_ply):
        if ply > metric.last_ply * (epoch + 1):
            epoch += 1
            if epoch == problem.epochs:
                break
            last_ply = ply - 1 + set_up(problem, slice_number, epoch, worker)
        step = ply - metric.last_ply * epoch
        found = False
        if metric.losses_at[step]:
            found = _losses(problem, slice_number, step, pawns, worker)
            if metric.wins_at[step]:
                barrier(sync, team)
        if metric.wins_at[step]:
            found |= _wins(problem, step, pawns, worker)
        report = agree_on_report(sync, team, ply, found)
        if team.thread == 0:
            sync.state[PLY] = ply
        quiet += 1
        if report == FOUND:
            quiet = np.int64(0)
            longest = ply
            if team.thread == 0:
                sync.state[EPOCHS] = max(epoch, sync.state[EPOCHS])
        ply += 1
        if metric.skips and quiet > 1:  # all frontiers are empty
            ply = max(ply, last_ply)
    if epoch == problem.epochs:
        epoch -= 1
        if team.thread == 0:
            sync.state[UNFINISHED] = 1
    if problem.epochs > 1 and longest >= metric.last_ply:
        problem.children.child_codes.late[OWN] = 1
    store(problem, slice_number, epoch, worker)


@kernel
def _losses(problem, slice_number, ply, pawns, worker):
    """Push, `choose_candidates`, escape, `finish_losses`: find all positions lost in `ply`.

    Returns whether this thread found any.
    """
    planes, sets, sync, team = problem.planes, worker.sets, worker.sync, worker.team
    if ply > 0:
        _move_anchor(problem, WIN, pawns, worker)
    phase = begin_phase(team)
    task = claim_task(sync, team, phase, BEFORE_FIRST)
    while task < 2 * planes.block_count:
        color, block = task & 1, task >> 1
        if color != problem.metric.mating:  # who mates is not mated
            if ply > 0:
                _move_block(problem, color, block, WIN, pawns, worker)
            first, last = _block_planes(planes, block)
            choose_candidates(problem, color, ply, first, last, pawns, sets)
            _move_block(problem, color, block, ESCAPE, pawns, worker)
        task = claim_task(sync, team, phase, task)
    barrier(sync, team)
    _move_anchor(problem, ESCAPE, pawns, worker)
    found = False
    phase = begin_phase(team)
    task = claim_task(sync, team, phase, BEFORE_FIRST)
    while task < 2 * planes.block_count:
        color, block = task & 1, task >> 1
        first, last = _block_planes(planes, block)
        if ply == 0:
            _settle_stalemates(problem, slice_number, color, first, last, worker)
        if color != problem.metric.mating:
            settle_decided(problem, color, ply, first, last, sets)
        found |= finish_losses(problem, color, ply, first, last, sets)
        problem.game.after_ply(problem, LOSS, color, ply, first, last, sets)
        task = claim_task(sync, team, phase, task)
    return found


@kernel
def _move_anchor(problem, which, pawns, worker):
    """Do the work of `_move_along` for the anchor, all threads together."""
    planes, sync, team = problem.planes, worker.sync, worker.team
    if not planes.has_anchor:
        return
    phase = begin_phase(team)
    task = claim_task(sync, team, phase, BEFORE_FIRST)
    first, last = _anchor_task(planes, task)
    while first < last:
        _move_along(problem, ANCHOR, first, last, which, pawns, worker)
        task = claim_task(sync, team, phase, task)
        first, last = _anchor_task(planes, task)
    barrier(sync, team)


@kernel
def _anchor_task(planes, task):
    """Return the tracks of the anchor in a `task`, none after the last task."""
    tracks = planes.track_bounds[1] if planes.has_anchor else 0
    first = task * ANCHOR_TRACKS_PER_TASK
    return first, min(first + ANCHOR_TRACKS_PER_TASK, tracks)


@kernel
def _move_along(problem, mover, first, last, which, pawns, worker):
    """Do `push_tracks` for the frontier `which`, or `escape_tracks` if that is ESCAPE."""
    sets = worker.sets
    if which == ESCAPE:
        escape_tracks(problem, mover, first, last, pawns, sets)
    else:
        push_tracks(problem, mover, first, last, pawns, which, sets)


@kernel
def _move_block(problem, color, block, which, pawns, worker):
    """Do the work of `_move_along` for a side's other pieces within a block."""
    planes = problem.planes
    for mover in range(1 if planes.has_anchor else 0, len(planes.mover_type)):
        if planes.mover_color[mover] == color:
            first, last = _block_tracks(planes, mover, block)
            _move_along(problem, mover, first, last, which, pawns, worker)


@kernel
def _block_tracks(planes, mover, block):
    """Return the tracks of a `mover` in a `block`."""
    first, last = planes.track_bounds[mover], planes.track_bounds[mover + 1]
    size = (last - first) // planes.block_count
    return first + block * size, first + (block + 1) * size


@kernel
def _block_planes(planes, block):
    """Return the first plane of a `block` and of the next one."""
    size = len(planes.plane_squares) // planes.block_count
    return block * size, (block + 1) * size


@kernel
def _settle_stalemates(problem, slice_number, color, first, last, worker):
    """Leave only the lost positions of the positions without a move in `reach`.

    The others go out of `may_lose`. Both go into `stalemates` if en passant asks for them.
    """
    sets, men, scratch = worker.sets, worker.men, worker.scratch
    reach, may_lose = sets.reach[color], sets.may_lose[color]
    law, attacked = problem.law, scratch.attacked
    if law.stalemate_loses and not problem.stalemates.size:
        return
    for plane in range(first, last):
        if not sets.reach_lines[color, plane]:
            continue
        place_men(problem, slice_number, plane, men)
        colors, types, squares = men.colors, men.types, men.squares
        attack_plane(law.movement, law.shields, 1 - color, colors, types, squares, attacked)
        base = np.int64(plane) * 64
        place = np.int64(-1)
        if problem.stalemates.size:
            find_child(problem.children, OWN, men.squares, scratch.bases)
            place = scratch.bases[0] // problem.children.places.pairs[OWN] * 64
        for white in range(64):
            left = reach[base + white]
            if place >= 0 and left:  # else that memory need not be there
                problem.stalemates[color, place + white] = left
            if not law.stalemate_loses:
                stalemate = left & ~attacked[white]
                reach[base + white] &= ~stalemate
                may_lose[base + white] &= ~stalemate


@kernel
def _wins(problem, ply, pawns, worker):
    """Push, then `finish_wins`, for all positions won in `ply`; return if this thread found any."""
    planes, sets, sync, team = problem.planes, worker.sets, worker.sync, worker.team
    before = frontier_before(problem.metric, ply)
    mating = problem.metric.mating
    _move_anchor(problem, before, pawns, worker)
    found = False
    phase = begin_phase(team)
    task = claim_task(sync, team, phase, BEFORE_FIRST)
    while task < 2 * planes.block_count:
        color, block = task & 1, task >> 1
        if mating < 0 or (color == mating) == (ply & 1):  # who mates moves in odd plies
            _move_block(problem, color, block, before, pawns, worker)
            first, last = _block_planes(planes, block)
            found |= finish_wins(problem, color, ply, first, last, pawns, sets)
            problem.game.after_ply(problem, WIN, color, ply, first, last, sets)
        task = claim_task(sync, team, phase, task)
    return found
