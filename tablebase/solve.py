"""The driver of the engine: a material and its sub-tables in, a solved table out.

Pawns are fixed within a *slice*: only kings and pieces move there, so a slice is a retrograde
problem of its own whose other moves lead to solved tables, or to slices whose pawns stand further
on. Slices are solved in the order of the pawns' advance; those of equal advance do not depend on
each other and are given to different threads. A material without pawns is a single slice that all
threads solve together.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tablebase._jit import kernel
from tablebase._simd import (
    bytes_equal,
    fetch_add,
    lowest_bit,
    write_byte,
    write_selected,
    yield_thread,
)
from tablebase.bits import ONE, attack_plane, legal_plane
from tablebase.conversion import (
    CODE_OF_VALUE,
    Children,
    Men,
    best_moves_out,
    find_child,
    make_children,
    make_scratch,
)
from tablebase.errors import MissingTableError, UnsupportedPositionError
from tablebase.geometry import Color, PieceType
from tablebase.index import table_index
from tablebase.layout import Layout, make_layout
from tablebase.material import MAX_MEN
from tablebase.retrograde import (
    BEST_VALUE,
    DRAW_VALUE,
    Sets,
    choose_candidates,
    escape_lines,
    finish_losses,
    finish_wins,
    make_sets,
    push_lines,
)
from tablebase.table import Table
from tablebase.values import DRAW

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from tablebase.material import Material

    Codes = tuple[NDArray[np.uint8], NDArray[np.uint8]]

LEAD_LINES_PER_TASK = 16
PLANES_PER_TASK = 64
ILLEGAL = 256  # beside the stored codes, while they are written
SPINS_BEFORE_YIELD = 2000
CANCEL, PLY, SLICES_DONE = 0, 1, 2
NOTHING, FOUND, STOP = 0, 1, 2
MAX_PHASES = 4096


class Problem(NamedTuple):
    """A material to solve, as arrays for kernels."""

    layout: Layout
    children: Children
    colors: NDArray[np.int64]  # [men besides kings]
    types: NDArray[np.int64]  # [men besides kings]
    pawn_men: NDArray[np.int64]  # [pawns] which of these are pawns
    slice_pawns: NDArray[np.uint8]  # [slices, pawns] squares
    slice_order: NDArray[np.int64]  # [slices] in the order of solution
    level_bounds: NDArray[np.int64]  # [levels + 1] slices of one advance, in `slice_order`
    stalemates: NDArray[np.uint64]  # [2, slices * ranks * 64], empty without en passant


class Sync(NamedTuple):
    """What threads share to work together."""

    tasks: NDArray[np.int64]  # [phases] next task of each phase of the work
    arrivals: NDArray[np.int64]  # [1] how often threads reached a barrier
    outcomes: NDArray[np.int64]  # [4, threads] NOTHING, FOUND or STOP, by the ply modulo 4
    last_ply: NDArray[np.int64]  # [threads] last ply that a move out of the slice may bring
    state: NDArray[np.int64]  # [CANCEL, PLY, SLICES_DONE] for the thread that waits


class Team(NamedTuple):
    """One thread's place among those that solve a slice together, and its own counters."""

    thread: int
    threads: int
    phase: NDArray[np.int64]  # [1] phases begun
    barriers: NDArray[np.int64]  # [1] barriers passed


@kernel
def _barrier(sync, team):  # type: ignore[no-untyped-def]
    """Wait until every thread of the team is here."""
    team.barriers[0] += 1
    if team.threads == 1:
        return
    goal = team.barriers[0] * team.threads
    fetch_add(sync.arrivals, 0, 1)
    spins = 0
    while fetch_add(sync.arrivals, 0, 0) < goal:
        spins += 1
        if spins > SPINS_BEFORE_YIELD:
            yield_thread()


@kernel
def _begin(team):  # type: ignore[no-untyped-def]
    """Begin a phase of work; return its number."""
    team.phase[0] += 1
    return team.phase[0]


@kernel
def _claim(sync, team, phase, previous):  # type: ignore[no-untyped-def]
    """Return the number of the next task of a phase; `previous` is the last one or -1."""
    if team.threads == 1:
        return previous + 1
    return fetch_add(sync.tasks, phase, 1)


@kernel
def _place_men(problem, slice_number, plane, men):  # type: ignore[no-untyped-def]
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
def _note_presence(values, plane, presence):  # type: ignore[no-untyped-def]
    """Write which values a plane has."""
    presence[plane, :] = 0
    for row in range(64):
        place = (np.int64(plane) * 64 + row) * 64
        some = ~bytes_equal(values, place, np.uint8(0))
        while some:
            value = np.int64(values[place + lowest_bit(some)])
            some &= ~bytes_equal(values, place, np.uint8(value))
            presence[plane, value >> 6] |= ONE << np.uint64(value & 63)


@kernel
def _last_ply(presence, plane):  # type: ignore[no-untyped-def]
    """Return the longest distance among a plane's values."""
    longest = 0
    for part in range(4):
        word = presence[plane, part]
        while word:
            value = part * 64 + lowest_bit(word)
            word &= word - ONE
            if value < DRAW_VALUE:
                longest = max(longest, 2 * value)
            elif value > DRAW_VALUE:
                longest = max(longest, 2 * (BEST_VALUE - value) + 1)
    return longest


@kernel
def _set_up_plane(problem, slice_number, plane, sets, men, scratch):  # type: ignore[no-untyped-def]  # noqa: PLR0913
    """Fill a plane's sets before the first ply; return the last ply that its values ask for."""
    clash, occupied = _place_men(problem, slice_number, plane, men)
    base = np.int64(plane) * 64
    sets.values[:, base * 64 : (base + 64) * 64] = 0
    sets.frontier_lines[:, :, plane] = 0
    sets.frontier[:, :, base : base + 64] = 0
    if clash:
        sets.unresolved[:, base : base + 64] = 0
        sets.not_won[:, base : base + 64] = 0
        sets.presence[:, plane, :] = 0
        return 0
    best_moves_out(problem.children, men, problem.stalemates, scratch, sets.values, plane)
    longest = 0
    for color in range(2):
        attack_plane(color, men.colors, men.types, men.squares, scratch.attacked)
        unresolved = sets.unresolved[color, base : base + 64]
        legal_plane(occupied, scratch.attacked, unresolved)
        sets.not_won[color, base : base + 64] = unresolved
        for row in range(64):
            place = (base + row) * 64
            write_selected(sets.values[color], place, ~unresolved[row], np.uint8(0))
        _note_presence(sets.values[color], plane, sets.presence[color])
        longest = max(longest, _last_ply(sets.presence[color], plane))
    return longest


@kernel
def _set_up(problem, slice_number, sets, men, scratch, sync, team):  # type: ignore[no-untyped-def]  # noqa: PLR0913
    """Fill all sets before the first ply."""
    planes = len(problem.layout.plane_squares)
    longest = 0
    phase = _begin(team)
    task = _claim(sync, team, phase, -1)
    while task * PLANES_PER_TASK < planes:
        first = task * PLANES_PER_TASK
        for plane in range(first, min(first + PLANES_PER_TASK, planes)):
            ply = _set_up_plane(problem, slice_number, plane, sets, men, scratch)
            longest = max(longest, ply)
        task = _claim(sync, team, phase, task)
    sync.last_ply[team.thread] = longest
    _barrier(sync, team)
    for thread in range(team.threads):
        longest = max(longest, sync.last_ply[thread])
    return longest


@kernel
def _lead_task(layout, task):  # type: ignore[no-untyped-def]
    """Return the lines of the lead in a task, empty after the last one."""
    lines = layout.line_bounds[1] if layout.has_lead else 0
    first = task * LEAD_LINES_PER_TASK
    return first, min(first + LEAD_LINES_PER_TASK, lines)


@kernel
def _block_lines(layout, mover, block):  # type: ignore[no-untyped-def]
    """Return the lines of a mover in a block."""
    first, last = layout.line_bounds[mover], layout.line_bounds[mover + 1]
    size = (last - first) // layout.block_count
    return first + block * size, first + (block + 1) * size


@kernel
def _block_planes(layout, block):  # type: ignore[no-untyped-def]
    """Return the first plane of a block and of the next one."""
    size = len(layout.plane_squares) // layout.block_count
    return block * size, (block + 1) * size


@kernel
def _push_lead(problem, kind, sets, sync, team):  # type: ignore[no-untyped-def]
    """Push the frontier of the lead's opponent through the lead's moves."""
    layout = problem.layout
    if not layout.has_lead:
        return
    color = layout.mover_color[0]
    phase = _begin(team)
    task = _claim(sync, team, phase, -1)
    first, last = _lead_task(layout, task)
    while first < last:
        push_lines(
            layout, 0, first, last, np.uint64(0), sets.frontier[kind, 1 - color],
            sets.frontier_lines[kind, 1 - color], sets.reach[color], sets.reach_lines[color],
        )  # fmt: skip
        task = _claim(sync, team, phase, task)
        first, last = _lead_task(layout, task)
    _barrier(sync, team)


@kernel
def _escape_lead(problem, sets, sync, team):  # type: ignore[no-untyped-def]
    """Let the lead save its side's candidates."""
    layout = problem.layout
    if not layout.has_lead:
        return
    color = layout.mover_color[0]
    phase = _begin(team)
    task = _claim(sync, team, phase, -1)
    first, last = _lead_task(layout, task)
    while first < last:
        escape_lines(
            layout, 0, first, last, np.uint64(0), sets.not_won[1 - color], sets.reach[color],
            sets.reach_lines[color],
        )  # fmt: skip
        task = _claim(sync, team, phase, task)
        first, last = _lead_task(layout, task)
    _barrier(sync, team)


@kernel
def _push_block(problem, color, block, kind, pawns, sets):  # type: ignore[no-untyped-def]  # noqa: PLR0913
    """Push a frontier through the moves of a side's pieces within a block."""
    layout = problem.layout
    for mover in range(1 if layout.has_lead else 0, len(layout.mover_type)):
        if layout.mover_color[mover] == color:
            first, last = _block_lines(layout, mover, block)
            push_lines(
                layout, mover, first, last, pawns, sets.frontier[kind, 1 - color],
                sets.frontier_lines[kind, 1 - color], sets.reach[color], sets.reach_lines[color],
            )  # fmt: skip


@kernel
def _escape_block(problem, color, block, pawns, sets):  # type: ignore[no-untyped-def]
    """Let a side's pieces save its candidates within a block."""
    layout = problem.layout
    for mover in range(1 if layout.has_lead else 0, len(layout.mover_type)):
        if layout.mover_color[mover] == color:
            first, last = _block_lines(layout, mover, block)
            escape_lines(
                layout, mover, first, last, pawns, sets.not_won[1 - color], sets.reach[color],
                sets.reach_lines[color],
            )  # fmt: skip


@kernel
def _wins(problem, ply, pawns, sets, sync, team):  # type: ignore[no-untyped-def]  # noqa: PLR0913
    """Find all positions won in `ply`; return whether this thread found any."""
    layout = problem.layout
    _push_lead(problem, 1, sets, sync, team)
    found = False
    phase = _begin(team)
    task = _claim(sync, team, phase, -1)
    while task < 2 * layout.block_count:
        color, block = task & 1, task >> 1
        _push_block(problem, color, block, 1, pawns, sets)
        first, last = _block_planes(layout, block)
        found |= finish_wins(color, ply, first, last, sets)
        task = _claim(sync, team, phase, task)
    return found


@kernel
def _settle_stalemates(problem, slice_number, color, first, last, sets, men, scratch):  # type: ignore[no-untyped-def]  # noqa: PLR0913
    """Of the positions without a move in `sets.reach`, leave only checkmates."""
    reach, values = sets.reach[color], sets.values[color]
    for plane in range(first, last):
        if not sets.reach_lines[color, plane]:
            continue
        _place_men(problem, slice_number, plane, men)
        attack_plane(1 - color, men.colors, men.types, men.squares, scratch.attacked)
        base = np.int64(plane) * 64
        place = np.int64(-1)
        if problem.stalemates.size:
            find_child(problem.children, 0, men.squares, scratch.bases)
            place = scratch.bases[0] // len(problem.children.pawn_slots[0, 0]) * 64
        for row in range(64):
            stalemate = reach[base + row] & ~scratch.attacked[row]
            if stalemate:
                write_selected(values, (base + row) * 64, stalemate, np.uint8(DRAW_VALUE))
                reach[base + row] &= ~stalemate
            if place >= 0:
                problem.stalemates[color, place + row] = stalemate


@kernel
def _losses(problem, slice_number, ply, pawns, sets, men, scratch, sync, team):  # type: ignore[no-untyped-def]  # noqa: PLR0913
    """Find all positions lost in `ply`; return whether this thread found any."""
    layout = problem.layout
    if ply > 0:
        _push_lead(problem, 0, sets, sync, team)
    phase = _begin(team)
    task = _claim(sync, team, phase, -1)
    while task < 2 * layout.block_count:
        color, block = task & 1, task >> 1
        if ply > 0:
            _push_block(problem, color, block, 0, pawns, sets)
        first, last = _block_planes(layout, block)
        choose_candidates(color, ply, first, last, sets)
        _escape_block(problem, color, block, pawns, sets)
        task = _claim(sync, team, phase, task)
    _barrier(sync, team)
    _escape_lead(problem, sets, sync, team)
    found = False
    phase = _begin(team)
    task = _claim(sync, team, phase, -1)
    while task < 2 * layout.block_count:
        color, block = task & 1, task >> 1
        first, last = _block_planes(layout, block)
        if ply == 0:
            _settle_stalemates(problem, slice_number, color, first, last, sets, men, scratch)
        found |= finish_losses(color, ply, first, last, sets)
        task = _claim(sync, team, phase, task)
    return found


@kernel
def _outcome(sync, team, ply, found):  # type: ignore[no-untyped-def]
    """Return, the same to all threads of the team, whether a ply had results or all must stop."""
    outcome = FOUND if found else NOTHING
    if team.thread == 0 and sync.state[CANCEL]:
        outcome = STOP
    sync.outcomes[ply & 3, team.thread] = outcome
    _barrier(sync, team)
    for thread in range(team.threads):
        outcome = max(outcome, sync.outcomes[ply & 3, thread])
    return outcome


@kernel
def _stored_plane(color, plane, sets, occupied, attacked, codes):  # type: ignore[no-untyped-def]  # noqa: PLR0913
    """Write the stored codes of a solved plane to `codes` uint16 [4096]."""
    values = sets.values[color]
    legal = sets.reach[color, plane * 64 : plane * 64 + 64]
    legal_plane(occupied, attacked, legal)
    for row in range(64):
        place = np.int64(plane) * 64 + row
        unresolved = sets.unresolved[color, place]
        if unresolved:
            write_selected(values, place * 64, unresolved, np.uint8(DRAW_VALUE))
        word = legal[row]
        for bit in range(64):
            code = np.uint16(CODE_OF_VALUE[values[place * 64 + bit]])
            codes[row * 64 + bit] = code if (word >> np.uint64(bit)) & ONE else ILLEGAL
        legal[row] = 0


@kernel
def _store_row(codes, slots, address):  # type: ignore[no-untyped-def]
    """Write the codes of all king pairs from `address` on; an illegal one repeats the one before.

    Illegal positions have no value: repetition compresses best.
    """
    last = np.uint16(DRAW)
    for pair in range(len(slots)):
        if codes[slots[pair]] != ILLEGAL:
            last = codes[slots[pair]]
            break
    for pair in range(len(slots)):
        code = codes[slots[pair]]
        last = last if code == ILLEGAL else code
        write_byte(address, pair, np.uint8(last))


@kernel
def _store(problem, slice_number, sets, men, scratch, codes, sync, team):  # type: ignore[no-untyped-def]  # noqa: PLR0913
    """Write a solved slice to the table's codes."""
    children = problem.children
    table = children.table[0]
    with_pawns = len(problem.pawn_men) > 0
    planes = len(problem.layout.plane_squares)
    phase = _begin(team)
    task = _claim(sync, team, phase, -1)
    while task * PLANES_PER_TASK < planes:
        first = task * PLANES_PER_TASK
        for plane in range(first, min(first + PLANES_PER_TASK, planes)):
            clash, occupied = _place_men(problem, slice_number, plane, men)
            if clash:
                continue
            find_child(children, 0, men.squares, scratch.bases)
            for color in range(2):
                attack_plane(color, men.colors, men.types, men.squares, scratch.attacked)
                _stored_plane(color, plane, sets, occupied, scratch.attacked, codes)
                for t in range(8):
                    if scratch.bases[t] < 0:
                        continue
                    slots = children.pawn_slots[0, t] if with_pawns else children.slots[0, t]
                    _store_row(codes, slots, children.address[table, color] + scratch.bases[t])
        task = _claim(sync, team, phase, task)
    _barrier(sync, team)


@kernel
def _solve_slice(problem, slice_number, sets, men, scratch, codes, sync, team):  # type: ignore[no-untyped-def]  # noqa: PLR0913
    """Solve one slice and store it."""
    pawns = np.uint64(0)
    for square in problem.slice_pawns[slice_number]:
        pawns |= ONE << np.uint64(square)
    last_ply = _set_up(problem, slice_number, sets, men, scratch, sync, team)
    outcome = FOUND
    ply = 0
    while outcome == FOUND or (outcome == NOTHING and ply <= last_ply):
        if ply & 1:
            found = _wins(problem, ply, pawns, sets, sync, team)
        else:
            found = _losses(problem, slice_number, ply, pawns, sets, men, scratch, sync, team)
        outcome = _outcome(sync, team, ply, found)
        if team.thread == 0:
            sync.state[PLY] = ply
        ply += 1
    _store(problem, slice_number, sets, men, scratch, codes, sync, team)


@kernel
def _solve_slices(problem, sets, men, scratch, team_sync, team, own_sync, alone):  # type: ignore[no-untyped-def]  # noqa: PLR0913
    """Solve all slices as one thread of a team.

    Without pawns the team solves the slice together; with pawns each thread solves slices alone.
    """
    codes = np.empty(4096, np.uint16)
    for level in range(len(problem.level_bounds) - 1):
        first, last = problem.level_bounds[level], problem.level_bounds[level + 1]
        if len(problem.pawn_men) == 0:
            _solve_slice(problem, 0, sets, men, scratch, codes, team_sync, team)
            continue
        phase = _begin(team)
        task = _claim(team_sync, team, phase, -1)
        while first + task < last and not team_sync.state[CANCEL]:
            number = problem.slice_order[first + task]
            _solve_slice(problem, number, sets, men, scratch, codes, own_sync, alone)
            fetch_add(team_sync.state, SLICES_DONE, 1)
            task = _claim(team_sync, team, phase, task)
        _barrier(team_sync, team)


def _advance(material: Material, slice_pawns: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return how many ranks the pawns of each slice have advanced together."""
    ranks = slice_pawns.astype(np.int64) // 8
    is_white = [color is Color.WHITE for color, man in material.men if man is PieceType.PAWN]
    return np.where(is_white, ranks - 1, 6 - ranks).sum(axis=1, dtype=np.int64)


def _make_problem(material: Material, codes: Mapping[Material, Codes]) -> Problem:
    index = table_index(material)
    men = material.men[2:]
    advance = _advance(material, index.tables.slice_pawns)
    order = np.argsort(-advance, kind="stable")
    bounds = np.flatnonzero(np.diff(advance[order], prepend=-1, append=-1))
    both_have_pawns = all(PieceType.PAWN in material.of(color) for color in Color)
    rows = index.slices * index.ranks * 64 if both_have_pawns else 0
    return Problem(
        layout=make_layout(material),
        children=make_children(material, codes),
        colors=np.array([color for color, _ in men], dtype=np.int64),
        types=np.array([man for _, man in men], dtype=np.int64),
        pawn_men=index.tables.pawn_men - 2,
        slice_pawns=index.tables.slice_pawns,
        slice_order=order.astype(np.int64),
        level_bounds=bounds.astype(np.int64),
        stalemates=np.zeros((2, rows), dtype=np.uint64),
    )


def _make_sync(threads: int, state: NDArray[np.int64]) -> Sync:
    return Sync(
        tasks=np.zeros(MAX_PHASES, dtype=np.int64),
        arrivals=np.zeros(1, dtype=np.int64),
        outcomes=np.zeros((4, threads), dtype=np.int64),
        last_ply=np.zeros(threads, dtype=np.int64),
        state=state,
    )


def _make_team(thread: int, threads: int) -> Team:
    return Team(thread, threads, np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64))


def _run_threads(problem: Problem, threads: int, state: NDArray[np.int64]) -> None:
    """Run the kernels on threads; on an exception here, stop them before it leaves."""
    planes, men = len(problem.layout.plane_squares), len(problem.colors)
    together = len(problem.pawn_men) == 0
    sync = _make_sync(threads, state)
    shared = make_sets(planes) if together else None

    def work(thread: int) -> None:
        _solve_slices(
            problem,
            shared or make_sets(planes),
            Men(problem.colors, problem.types, np.zeros(men, dtype=np.uint8)),
            make_scratch(men),
            sync,
            _make_team(thread, threads),
            _make_sync(1, state),
            _make_team(0, 1),
        )

    with ThreadPoolExecutor(threads) as pool:
        futures = [pool.submit(work, thread) for thread in range(threads)]
        try:
            for future in futures:
                future.result()
        except BaseException:
            state[CANCEL] = 1
            raise


def solve(
    material: Material,
    subtables: Mapping[Material, Table],
    *,
    threads: int | None = None,
) -> Table:
    """Solve a material.

    Parameters
    ----------
    material
        A normalized material of up to five men.
    subtables
        The tables of `Material.dependencies`.
    threads
        How many threads to use; by default one for each processor.

    Returns
    -------
    Table
        The distances to mate of all positions, in memory.

    Raises
    ------
    UnsupportedPositionError
        If the material has too many men, or its stronger side is black.
    MissingTableError
        If a sub-table is missing.
    """
    if material.piece_count > MAX_MEN:
        message = f"{material} has {material.piece_count} men: tables have up to {MAX_MEN}"
        raise UnsupportedPositionError(message)
    if not material.is_normalized:
        message = f"{material}: the stronger side is white, ask for {material.normalized()}"
        raise UnsupportedPositionError(message)
    missing = [needed.name for needed in material.dependencies() if needed not in subtables]
    if missing:
        message = f"{material} needs the sub-tables {' '.join(missing)}: build them first"
        raise MissingTableError(message)
    size = table_index(material).size
    own = tuple(np.full(size, DRAW, dtype=np.uint8) for _ in Color)
    codes = {needed: subtables[needed].codes for needed in material.dependencies()}
    codes[material] = own
    problem = _make_problem(material, codes)
    state = np.zeros(3, dtype=np.int64)
    _run_threads(problem, threads or os.cpu_count() or 1, state)
    return Table(material, *own)
