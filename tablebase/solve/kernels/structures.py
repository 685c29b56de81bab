"""The kernels that solve the structures of a batch, each after those that its moves lead to.

Rooks and bishops are better than a queen only where a queen would stalemate. A region of *few*
promotions leaves them out, and two rules keep its bounds sound: in the upper bound a side with a
queen wins where it stalemates; in the lower bound a defender with a queen may claim a draw where he
is not in check and no other man of his can move.
"""

from __future__ import annotations

import numpy as np

from tablebase.core.jit.instructions import count_bits, prefetch
from tablebase.core.jit.kernels import hot_entry, hot_kernel, kernel
from tablebase.core.jit.vectors import any_word, load_line, store_line
from tablebase.solve.kernels.attractor import attract, has_queen
from tablebase.solve.kernels.fields import (
    HOLD,
    LOWER,
    UPPER,
    WIN,
    How,
    Move,
    Number,
    Out,
    Sets,
    State,
    answer_at,
    bound_at,
    planes_of,
    saved_at,
    set_of,
)
from tablebase.solve.kernels.king_planes import (
    WORDS,
    clear,
    copy,
    is_empty,
    king_line,
    moved_line,
    read_squares,
    remove,
    stand_apart,
    write_legal,
)
from tablebase.solve.kernels.lists import LOOK, list_moves_out, list_plane, list_ways
from tablebase.solve.kernels.packing import packed_attackers, read_bound
from tablebase.solve.kernels.rows import add_answer, add_answer_complement, legal_of, write_answer
from tablebase.solve.kernels.teams import NO_SIDE, add_up, next_plane


@hot_entry
def solve_batch(region, work, structures, start, end):
    """Solve structures none of which leads to another, for the attackers in ``todo``.

    The threads of a team call it with the same structures at the same time.
    """
    for i in range(start, end):
        solve_one(region, work, structures[i])


@hot_kernel
def solve_one(region, work, structure):
    """Find bounds of a structure, for the attackers in ``todo``, from those after its moves."""
    found = _bounds(region, structure, 0), _bounds(region, structure, 1)
    _set_up(region, work, structure, found)
    changed = 0
    for attacker in range(2):
        bounds, gap = found[attacker], np.int64(0)
        for bound in range(bounds):
            attract(region, work, structure, bound, attacker)
        if bounds > 1:
            gap = _gap(region, work, structure, attacker)
        if bounds == 0 or work.team.thread > 0:
            continue
        new = region.state[structure, attacker] == State.CLOSED
        if new or gap != region.gap[structure, attacker]:
            changed |= 1 << attacker
        region.gap[structure, attacker] = gap
        region.state[structure, attacker] = State.OPEN if gap else State.EXACT
    if work.team.thread == 0:
        region.changed[structure] = changed


@kernel
def _bounds(region, structure, attacker):
    """Return the number of an attacker's bounds that are found: none, the lower bound, or both."""
    if not (region.todo[structure] >> attacker) & 1:
        return 0
    return 1 if region.upper[structure, attacker] == region.lower[structure, attacker] else 2


@hot_kernel
def _set_up(region, work, structure, found):
    """Write LEGAL, STALE, CLAIM and SAVED, and the bounds that moves out give.

    `found` is as in `write_positions`.
    """
    rows = list_moves_out(region, work, structure, LOOK)
    write_positions(region, work, structure, rows, found)
    plane = next_plane(work, NO_SIDE)
    while plane >= 0:
        for side in range(2):
            _leave(region, work, structure, rows, plane, side, found)
            if region.stale[structure] >= 0:
                _keep_stalemates(region, work, structure, plane, side)
        plane = next_plane(work, NO_SIDE)


@hot_kernel
def write_positions(region, work, structure, rows, found):
    """Write LEGAL, and STALE and CLAIM where they are needed.

    `found` is the number of bounds of White's attack, and of Black's, that are to be found.
    """
    _write_legality(region, work, structure)
    plane = next_plane(work, NO_SIDE)
    while plane >= 0:
        for side in range(2):
            if work.valid[plane]:
                if found[1 - side] > 0 or region.stale[structure] >= 0:
                    _find_stalemates(region, work, structure, rows, plane, side, Sets.STALE)
                queen = region.numbers[Number.FEW] != 0 and has_queen(
                    region.keys[structure, 2], side
                )
                if found[1 - side] > 0 and queen:
                    _find_stalemates(region, work, structure, rows, plane, side, Sets.CLAIM)
        plane = next_plane(work, NO_SIDE)


@hot_kernel
def _write_legality(region, work, structure):
    """Write which placements are valid, and LEGAL; empty STALE and CLAIM."""
    men, planes = work.here, planes_of(region, structure)
    white, black = region.keys[structure, 0], region.keys[structure, 1]
    plane = next_plane(work, NO_SIDE)
    while plane >= 0:
        work.valid[plane] = stand_apart(men, read_squares(men, plane), white | black)
        for turn in range(2):
            base = set_of(planes, Sets.LEGAL, turn, plane)
            clear(work.sets, set_of(planes, Sets.STALE, turn, plane))
            clear(work.sets, set_of(planes, Sets.CLAIM, turn, plane))
            if work.valid[plane]:
                write_legal(men, white, black, turn, work.sets, base)
            else:
                clear(work.sets, base)
        plane = next_plane(work, NO_SIDE)


@hot_kernel
def _find_stalemates(region, work, structure, rows, plane, side, given):
    """Write where a side to move has no move though it is not in check, given LEGAL.

    The set `given` is STALE, or CLAIM if queens do not count.
    """
    sets, scratch, ways, men = work.sets, work.scratch, work.ways, work.here
    enemy, planes = 1 - side, planes_of(region, structure)
    base = set_of(planes, given, side, plane)
    own = set_of(planes, Sets.LEGAL, side, plane)
    after = set_of(planes, Sets.LEGAL, enemy, 0)
    listed = list_ways(region, work, structure, plane, side + 2 * (given == Sets.CLAIM))
    some = False
    for line in range(0, WORDS, 8):
        # A side is in check where the other could not be to move.
        here = after + plane * WORDS
        words = load_line(sets, own + line) & load_line(sets, here + line)
        words = words & ~king_line(sets, here, line, side)
        if any_word(words):
            for i in range(listed):
                there = after + np.int64(ways[0, i])
                words = words & ~moved_line(sets, there, line, ways[1, i])
            some |= any_word(words)
        store_line(sets, base + line, words)
    if not some:
        return
    for i in range(list_plane(region, work, structure, rows, plane, side)):
        piece, there = men.out[i, Out.BY], men.out[i, Out.PLANE]
        if given == Sets.CLAIM and piece >= 0 and men.codes[piece] & 3 == 0:
            continue
        child = work.moves[men.out[i, Out.ROW], Move.CHILD]
        legal_of(region, work.there, child, there, enemy, work.answer, 0)
        clear(scratch, 0)
        add_answer(work.answer, 0, men.out, i, scratch, 0)
        remove(sets, base, scratch, 0)
        if is_empty(sets, base):
            return


@hot_kernel
def _leave(region, work, structure, rows, plane, side, found):
    """Write the bounds that moves out of a plane give a side, and what is SAVED, given LEGAL.

    `found` is as in `write_positions`: for the enemy's attack, the moves out save positions.
    """
    enemy, planes = 1 - side, planes_of(region, structure)
    bounds, saves = found[side], found[enemy]
    legal = set_of(planes, Sets.LEGAL, side, plane)
    sets, arena, out = work.sets, region.arena, work.here.out
    for bound in range(_first_new(region, structure, side), bounds):
        won = bound_at(region, structure, bound, side, side, plane)
        for line in range(0, WORDS, 8):
            store_line(arena, won + line, ~load_line(sets, legal + line))
    for bound in range(_first_new(region, structure, enemy), saves):
        clear(arena, bound_at(region, structure, bound, enemy, side, plane))
    for bound in range(saves):
        clear(sets, saved_at(planes, bound, enemy, plane))
    if work.valid[plane] == 0:
        return
    count = list_plane(region, work, structure, rows, plane, side)
    for i in range(count):
        _fetch(region, work, i, side, side, bounds)
        _fetch(region, work, i, side, enemy, saves)
    for i in range(count):
        row, there = out[i, Out.ROW], out[i, Out.PLANE]
        child = work.moves[row, Move.CHILD]
        plain = work.moves[row, Move.EN_PASSANT] < 0
        plain &= bounds == 0 or region.state[child, side] != State.CLOSED
        plain &= saves == 0 or region.state[child, enemy] != State.CLOSED
        if not plain:
            write_answer(region, work, i, side)
        rows, first = work.answer, np.int64(0)
        for bound in range(bounds):
            won = bound_at(region, structure, bound, side, side, plane)
            if not plain:
                first = answer_at(WIN, bound)
            elif bound == LOWER or region.lower[child, side] != region.upper[child, side]:
                rows, first = read_bound(region, work, child, bound, side, enemy, there)
            add_answer(rows, first, out, i, arena, won)
        for bound in range(saves):
            saved = saved_at(planes, bound, enemy, plane)
            if not plain:
                add_answer(work.answer, answer_at(HOLD, bound), out, i, sets, saved)
                continue
            if bound == LOWER or region.lower[child, enemy] != region.upper[child, enemy]:
                rows, first = read_bound(region, work, child, bound, enemy, enemy, there)
            add_answer_complement(rows, first, out, i, sets, saved)


@kernel
def _first_new(region, structure, attacker):
    """Return the first of the bounds that are found from nothing: what is surely won remains so."""
    return LOWER if region.state[structure, attacker] == State.CLOSED else UPPER


@hot_kernel
def _fetch(region, work, i, side, attacker, bounds):
    """Prefetch the memory of what a move leads to, which is far away."""
    out = work.here.out
    child = work.moves[out[i, Out.ROW], Move.CHILD]
    if (
        region.state[child, attacker] == State.CLOSED
        or (packed_attackers(region, child) >> attacker) & 1
    ):
        return
    first, last = np.int64(0), np.int64(WORDS)
    if out[i, Out.HOW] == How.WHITE_KING:
        first = out[i, Out.SQUARE]
        last = first + 1
    for bound in range(bounds):
        base = bound_at(region, child, bound, attacker, 1 - side, out[i, Out.PLANE])
        for k in range(first, last, 8):
            prefetch(region.arena, base + k)


@hot_kernel
def _keep_stalemates(region, work, structure, plane, side):
    """Copy a plane of STALE to the region."""
    planes = planes_of(region, structure)
    stale = set_of(planes, Sets.STALE, side, plane)
    kept = region.stale[structure] + (side * planes + plane) * WORDS
    copy(region.arena, kept, work.sets, stale)


@hot_kernel
def _gap(region, work, structure, attacker):
    """Return the number of positions in a structure's upper bound, but not in the lower one."""
    arena = region.arena
    gap = np.int64(0)
    plane = next_plane(work, NO_SIDE)
    while plane >= 0:
        for turn in range(2):
            lower = bound_at(region, structure, LOWER, attacker, turn, plane)
            upper = bound_at(region, structure, UPPER, attacker, turn, plane)
            for line in range(0, WORDS, 8):
                words = load_line(arena, upper + line) & ~load_line(arena, lower + line)
                if any_word(words):
                    for k in range(line, line + 8):
                        gap += count_bits(arena[upper + k] & ~arena[lower + k])
        plane = next_plane(work, NO_SIDE)
    return add_up(work, gap)
