"""Kernels that solve slices: set up, ply after ply, store.

A slice is all positions with the same pawns' squares; see `tablebase.solve`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tablebase._instructions import fetch_add, lowest_bit, write_byte
from tablebase._jit import KernelRecord, entry, kernel
from tablebase._vectors import bytes_equal, write_selected
from tablebase.bits import ALL, ONE, attack_plane, legal_plane
from tablebase.children import OWN, far_find_child
from tablebase.conversion import far_best_moves_out, make_scratch
from tablebase.engine_values import BEST_VALUE, DRAW_VALUE, code_of_value
from tablebase.far_kernels import FAR, NUMBER
from tablebase.line_images import far_escape_lines, far_push_lines
from tablebase.retrograde import (
    LOSS,
    WIN,
    far_choose_candidates,
    far_finish_losses,
    far_finish_wins,
    make_sets,
)
from tablebase.teamwork import (
    BEFORE_FIRST,
    CANCEL,
    ESCAPES,
    FOUND,
    LEAD_MOVES,
    MOVES_OUT,
    NOTHING,
    PIECES,
    PLY,
    RESULTS,
    SLICES_DONE,
    STORING,
    agree_on_outcome,
    barrier,
    begin_phase,
    claim_task,
    clock,
    make_team,
    note_time,
)
from tablebase.values import DRAW, MAX_PLIES

if TYPE_CHECKING:
    from numpy.typing import NDArray

LEAD_LINES_PER_TASK = 16
PLANES_PER_TASK = 64
NO_PAWNS = np.uint64(0)
LEAD = np.int64(0)  # the lead's number among the movers
ESCAPE = np.int64(2)  # beside WIN and LOSS
# No win of up to five men takes longer than KPPKP's losses; a win in 255 would have a draw's value.
LAST_PLY = MAX_PLIES


class Problem(NamedTuple):
    """A material to solve, as arrays for kernels."""

    layout: KernelRecord  # of `Layout`
    children: KernelRecord  # of `Children`
    colors: NDArray[np.int64]  # [men besides kings]
    types: NDArray[np.int64]  # [men besides kings]
    pawn_men: NDArray[np.int64]  # [pawns] which of these are pawns
    slice_pawns: NDArray[np.uint8]  # [slices, pawns] squares
    slice_order: NDArray[np.int64]  # [slices] in the order of solution
    level_bounds: NDArray[np.int64]  # [levels + 1] slices of one advance, in `slice_order`
    stalemates: NDArray[np.uint64]  # [2, slices * ranks * 64], empty without en passant


@kernel
def _place_men(problem, slice_number, plane, men):
    """Write the squares of a plane's men; return their word, or zero if two share a square."""
    layout = problem.layout
    occupied = np.uint64(0)
    clash = False
    for i in range(len(layout.piece_man)):
        square = layout.plane_squares[plane, i]
        men.squares[layout.piece_man[i] - 2] = square
        bit = ONE << np.uint64(square)
        clash |= (occupied & bit) != np.uint64(0)
        occupied |= bit
    for i in range(len(problem.pawn_men)):
        square = problem.slice_pawns[slice_number, i]
        men.squares[problem.pawn_men[i]] = square
        bit = ONE << np.uint64(square)
        clash |= (occupied & bit) != np.uint64(0)
        occupied |= bit
    return clash, occupied


@kernel
def _note_presence(values, plane, presence):
    """Note which values the lines of a plane have; return the longest distance among them."""
    lines = presence[np.int64(plane) >> 6]
    column = plane & 63
    for code in range(256):
        lines[code, column] = 0
    longest = np.int64(0)
    for row in range(64):
        place = (np.int64(plane) * 64 + row) * 64
        some = ~bytes_equal(values, place, np.uint8(0))
        while some:
            value = np.int64(values[place + lowest_bit(some)])
            some &= ~bytes_equal(values, place, np.uint8(value))
            lines[value, column] |= np.uint8(1 << (row >> 3))
            if value < DRAW_VALUE:
                longest = max(longest, 2 * value)
            elif value > DRAW_VALUE:
                longest = max(longest, 2 * (BEST_VALUE - value) + 1)
    return longest


@entry
def _set_up_plane(problem, slice_number, plane, sets, men, scratch):
    """Fill a plane's sets before the first ply; return the last ply that its values ask for."""
    clash, occupied = _place_men(problem, slice_number, plane, men)
    base = np.int64(plane) * 64
    longest = 0
    for color in range(2):
        for row in range(64):
            write_selected(sets.values[color], (base + row) * 64, ALL, np.uint8(0))
    if not clash:
        far_best_moves_out(problem.children, men, problem.stalemates, scratch, sets.values, plane)
    for color in range(2):
        values, may_lose = sets.values[color], sets.may_lose[color]
        not_won, not_lost = sets.not_won[color], sets.not_lost[color]
        _clear_frontier(sets, color, plane)
        attack_plane(color, men.colors, men.types, men.squares, scratch.attacked)
        legal_plane(occupied, scratch.attacked, scratch.legal)
        for row in range(64):
            legal = np.uint64(0) if clash else scratch.legal[row]
            not_won[base + row] = legal
            not_lost[base + row] = legal
            may_lose[base + row] = 0
            write_selected(values, (base + row) * 64, ~legal, np.uint8(0))
        longest = max(longest, _note_presence(values, plane, sets.presence[color]))
    return longest


_far_set_up_plane = FAR.entry(_set_up_plane, "problem", NUMBER, NUMBER, "sets", "men", "scratch")


@kernel
def _clear_frontier(sets, color, plane):
    """Forget what the slice before left in a plane."""
    for kind in range(2):
        sets.frontier_lines[kind, color, plane] = 0
        frontier = sets.frontier[kind, color]
        for row in range(64):
            frontier[np.int64(plane) * 64 + row] = 0


@kernel
def _set_up(problem, slice_number, sets, men, scratch, sync, team):
    """Fill all sets before the first ply."""
    planes = len(problem.layout.plane_squares)
    longest = 0
    since = clock(team)
    phase = begin_phase(team)
    task = claim_task(sync, team, phase, BEFORE_FIRST)
    while task * PLANES_PER_TASK < planes:
        first = task * PLANES_PER_TASK
        for plane in range(first, min(first + PLANES_PER_TASK, planes)):
            ply = _far_set_up_plane(problem, slice_number, plane, sets, men, scratch)
            longest = max(longest, ply)
        task = claim_task(sync, team, phase, task)
    note_time(team, MOVES_OUT, since)
    sync.last_ply[team.thread] = longest
    barrier(sync, team)
    for thread in range(team.threads):
        longest = max(longest, sync.last_ply[thread])
    return longest


@kernel
def _lead_task(layout, task):
    """Return the lines of the lead in a task, empty after the last one."""
    lines = layout.line_bounds[1] if layout.has_lead else 0
    first = task * LEAD_LINES_PER_TASK
    return first, min(first + LEAD_LINES_PER_TASK, lines)


@kernel
def _block_lines(layout, mover, block):
    """Return the lines of a mover in a block."""
    first, last = layout.line_bounds[mover], layout.line_bounds[mover + 1]
    size = (last - first) // layout.block_count
    return first + block * size, first + (block + 1) * size


@kernel
def _block_planes(layout, block):
    """Return the first plane of a block and of the next one."""
    size = len(layout.plane_squares) // layout.block_count
    return block * size, (block + 1) * size


@kernel
def _move_lines(problem, mover, first, last, kind, pawns, sets, team):
    """Push the opponent's frontier through some lines of a mover, or let it save candidates.

    `kind` is the frontier's, or ESCAPE.
    """
    layout = problem.layout
    color = layout.mover_color[mover]
    reach, reach_lines = sets.reach[color], sets.reach_lines[color]
    if kind == ESCAPE:
        safe = sets.not_won[1 - color]
        far_escape_lines(layout, mover, first, last, pawns, safe, reach, reach_lines, team)
        return
    source, lines = sets.frontier[kind, 1 - color], sets.frontier_lines[kind, 1 - color]
    far_push_lines(layout, mover, first, last, pawns, source, lines, reach, reach_lines, team)


@kernel
def _move_lead(problem, kind, sets, sync, team):
    """Do the work of `_move_lines` for the lead, all threads together."""
    layout = problem.layout
    if not layout.has_lead:
        return
    since = clock(team)
    phase = begin_phase(team)
    task = claim_task(sync, team, phase, BEFORE_FIRST)
    first, last = _lead_task(layout, task)
    while first < last:
        _move_lines(problem, LEAD, first, last, kind, NO_PAWNS, sets, team)
        task = claim_task(sync, team, phase, task)
        first, last = _lead_task(layout, task)
    note_time(team, LEAD_MOVES, since)
    barrier(sync, team)


@kernel
def _move_block(problem, color, block, kind, pawns, sets, team):
    """Do the work of `_move_lines` for a side's other pieces within a block."""
    layout = problem.layout
    for mover in range(1 if layout.has_lead else 0, len(layout.mover_type)):
        if layout.mover_color[mover] == color:
            first, last = _block_lines(layout, mover, block)
            _move_lines(problem, mover, first, last, kind, pawns, sets, team)


@kernel
def _wins(problem, ply, pawns, sets, sync, team):
    """Find all positions won in `ply`; return whether this thread found any."""
    layout = problem.layout
    _move_lead(problem, LOSS, sets, sync, team)
    found = False
    phase = begin_phase(team)
    task = claim_task(sync, team, phase, BEFORE_FIRST)
    while task < 2 * layout.block_count:
        color, block = task & 1, task >> 1
        since = clock(team)
        _move_block(problem, color, block, LOSS, pawns, sets, team)
        since = note_time(team, PIECES, since)
        first, last = _block_planes(layout, block)
        found |= far_finish_wins(layout, color, ply, first, last, sets)
        note_time(team, RESULTS, since)
        task = claim_task(sync, team, phase, task)
    return found


@kernel
def _settle_stalemates(problem, slice_number, color, first, last, sets, men, scratch):
    """Of the positions without a move in `sets.reach`, leave only checkmates."""
    reach, may_lose = sets.reach[color], sets.may_lose[color]
    for plane in range(first, last):
        if not sets.reach_lines[color, plane]:
            continue
        _place_men(problem, slice_number, plane, men)
        attack_plane(1 - color, men.colors, men.types, men.squares, scratch.attacked)
        base = np.int64(plane) * 64
        place = np.int64(-1)
        if problem.stalemates.size:
            far_find_child(problem.children, OWN, men.squares, scratch.bases)
            place = scratch.bases[0] // len(problem.children.pawn_slots[0, 0]) * 64
        for row in range(64):
            stalemate = reach[base + row] & ~scratch.attacked[row]
            reach[base + row] &= ~stalemate
            may_lose[base + row] &= ~stalemate
            if place >= 0:
                problem.stalemates[color, place + row] = stalemate


@kernel
def _losses(problem, slice_number, ply, pawns, sets, men, scratch, sync, team):
    """Find all positions lost in `ply`; return whether this thread found any."""
    layout = problem.layout
    if ply > 0:
        _move_lead(problem, WIN, sets, sync, team)
    phase = begin_phase(team)
    task = claim_task(sync, team, phase, BEFORE_FIRST)
    while task < 2 * layout.block_count:
        color, block = task & 1, task >> 1
        since = clock(team)
        if ply > 0:
            _move_block(problem, color, block, WIN, pawns, sets, team)
        since = note_time(team, PIECES, since)
        first, last = _block_planes(layout, block)
        far_choose_candidates(color, ply, first, last, sets)
        since = note_time(team, RESULTS, since)
        _move_block(problem, color, block, ESCAPE, pawns, sets, team)
        note_time(team, ESCAPES, since)
        task = claim_task(sync, team, phase, task)
    barrier(sync, team)
    _move_lead(problem, ESCAPE, sets, sync, team)
    found = False
    phase = begin_phase(team)
    task = claim_task(sync, team, phase, BEFORE_FIRST)
    while task < 2 * layout.block_count:
        since = clock(team)
        color, block = task & 1, task >> 1
        first, last = _block_planes(layout, block)
        if ply == 0:
            _settle_stalemates(problem, slice_number, color, first, last, sets, men, scratch)
        found |= far_finish_losses(layout, color, ply, first, last, sets)
        note_time(team, RESULTS, since)
        task = claim_task(sync, team, phase, task)
    return found


@kernel
def _mark_draws(color, plane, sets, legal):
    """Write the draws of a solved plane to its values, what is legal to `legal` uint64 [64]."""
    values = sets.values[color]
    not_won, not_lost = sets.not_won[color], sets.not_lost[color]
    for row in range(64):
        place = np.int64(plane) * 64 + row
        write_selected(values, place * 64, not_won[place] & not_lost[place], np.uint8(DRAW_VALUE))
        legal[row] = not_won[place] | not_lost[place]


@kernel
def _store_row(values, plane, legal, slots, address):
    """Write the codes of all king pairs from `address` on; an illegal one repeats the one before.

    Illegal positions have no value: repetition costs nothing here and compresses well. What
    compresses better takes as long as the rest of the storing (`tablebase.filling` does it for
    small tables).
    """
    base = np.int64(plane) * 4096
    last = np.uint8(DRAW)
    for pair in range(len(slots)):
        slot = np.int64(slots[pair])
        if (legal[slot >> 6] >> np.uint64(slot & 63)) & ONE:
            last = code_of_value(values[base + slot])
            break
    for pair in range(len(slots)):
        slot = np.int64(slots[pair])
        is_legal = (legal[slot >> 6] >> np.uint64(slot & 63)) & ONE
        code = code_of_value(values[base + slot])
        last = code if is_legal else last
        write_byte(address, pair, last)


@kernel
def _store_plane(problem, plane, sets, scratch, men):
    """Write a solved plane to the table's codes."""
    children = problem.children
    table = children.table[0]
    with_pawns = len(problem.pawn_men) > 0
    far_find_child(children, OWN, men.squares, scratch.bases)
    for color in range(2):
        _mark_draws(color, plane, sets, scratch.legal)
        for t in range(8):
            if scratch.bases[t] >= 0:
                slots = children.pawn_slots[0, t] if with_pawns else children.slots[0, t]
                address = children.address[table, color] + scratch.bases[t]
                _store_row(sets.values[color], plane, scratch.legal, slots, address)


@kernel
def _store(problem, slice_number, sets, men, scratch, sync, team):
    """Write a solved slice to the table's codes."""
    planes = len(problem.layout.plane_squares)
    since = clock(team)
    phase = begin_phase(team)
    task = claim_task(sync, team, phase, BEFORE_FIRST)
    while task * PLANES_PER_TASK < planes:
        first = task * PLANES_PER_TASK
        for plane in range(first, min(first + PLANES_PER_TASK, planes)):
            clash, _ = _place_men(problem, slice_number, plane, men)
            if not (clash or problem.layout.is_copy[plane]):
                _store_plane(problem, plane, sets, scratch, men)
        task = claim_task(sync, team, phase, task)
    note_time(team, STORING, since)
    barrier(sync, team)


@kernel
def _solve_slice(problem, slice_number, sets, men, scratch, sync, team):
    """Solve one slice and store it."""
    pawns = np.uint64(0)
    for square in problem.slice_pawns[slice_number]:
        pawns |= ONE << np.uint64(square)
    last_ply = _set_up(problem, slice_number, sets, men, scratch, sync, team)
    outcome = FOUND
    ply = np.int64(0)
    while ply <= LAST_PLY and (outcome == FOUND or (outcome == NOTHING and ply <= last_ply)):
        if ply & 1:
            found = _wins(problem, ply, pawns, sets, sync, team)
        else:
            found = _losses(problem, slice_number, ply, pawns, sets, men, scratch, sync, team)
        outcome = agree_on_outcome(sync, team, ply, found)
        if team.thread == 0:
            sync.state[PLY] = ply
        ply += 1
    _store(problem, slice_number, sets, men, scratch, sync, team)


@entry
def solve_slices(problem, sets, men, scratch, team_sync, team, own_sync, alone):
    """Solve all slices as one thread of a team.

    Without pawns the team solves the slice together; with pawns each thread solves slices alone.
    """
    for level in range(len(problem.level_bounds) - 1):
        first, last = problem.level_bounds[level], problem.level_bounds[level + 1]
        if len(problem.pawn_men) == 0:
            _solve_slice(problem, problem.slice_order[first], sets, men, scratch, team_sync, team)
            if team.thread == 0:
                fetch_add(team_sync.state, SLICES_DONE, 1)
            continue
        phase = begin_phase(team)
        task = claim_task(team_sync, team, phase, BEFORE_FIRST)
        while first + task < last and not team_sync.state[CANCEL]:
            number = problem.slice_order[first + task]
            _solve_slice(problem, number, sets, men, scratch, own_sync, alone)
            fetch_add(team_sync.state, SLICES_DONE, 1)
            task = claim_task(team_sync, team, phase, task)
        barrier(team_sync, team)


def link_kernels(problem: KernelRecord) -> None:
    """Compile the kernels that are called far."""
    fields = problem.fields
    scratch = make_scratch(1)
    FAR.link(
        problem=problem.kind,
        layout=fields.layout.kind,
        children=fields.children.kind,
        sets=KernelRecord(make_sets(1)).kind,
        men=scratch.fields.child.kind,
        scratch=scratch.kind,
        team=make_team(0, 1, None).kind,
    )
