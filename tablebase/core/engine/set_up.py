"""Kernels that set up an epoch of a slice: what is legal, what moves out of it give, and where.

See `slices`.
"""

from __future__ import annotations

import numpy as np

from tablebase.core.engine.bits import ALL, EITHER, KING, ONE, WHITE, attack_plane, legal_plane
from tablebase.core.engine.by_place import mirror_decided, moves_by_place
from tablebase.core.engine.child_places import OWN, find_child
from tablebase.core.engine.children import EPOCH, LATER, checks_given
from tablebase.core.engine.epochs import note_undecided
from tablebase.core.engine.leads import lead_plane
from tablebase.core.engine.moves_out import best_moves_out
from tablebase.core.engine.planes import place_men
from tablebase.core.engine.retrograde import PRESENCE_KEYS
from tablebase.core.engine.threads import (
    BEFORE_FIRST,
    PLANES_PER_TASK,
    begin_phase,
    claim_task,
)
from tablebase.core.jit.barriers import barrier
from tablebase.core.jit.instructions import byte_at, lowest_bit
from tablebase.core.jit.kernels import kernel
from tablebase.core.jit.vectors import bytes_equal, raise_selected, write_selected


@kernel
def set_up(problem, slice_number, epoch, worker):
    """Fill all sets before the first ply of an epoch; return the last in which a value enters.

    That is the latest of all threads, which tell one another by `last_ply`.
    """
    sync, team, scratch = worker.sync, worker.team, worker.scratch
    is_late = np.int64(0)
    for late in problem.children.codes.late:
        is_late |= late
    scratch.clock[EPOCH], scratch.clock[LATER] = epoch, 0
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
    if scratch.clock[LATER]:
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
    ended = scratch.clock[EPOCH] - 1
    if len(problem.undecided):
        note_undecided(problem, plane, ended, worker)
    own, best = np.int64(planes.value_plane[plane]), scratch.best
    if is_late:
        for color in range(2):
            for slot in range(4096):
                best[color, slot] = 0
        _move_out(problem, plane, worker, best, OWN)
    for color in range(2):
        for white in range(64):
            word = np.int64(plane) * 64 + white
            undecided = sets.not_won[color, word] & sets.not_lost[color, word]
            if len(worker.undecided):
                worker.undecided[ended, color, word] = undecided
            if is_late:
                place = (own * 64 + white) * 64
                write_selected(best[color], white * 64, ~undecided, np.uint8(0))
                write_selected(sets.values[color], place, undecided, np.uint8(0))
                raise_selected(sets.values[color], place, best[color], white * 64, undecided)
        if is_late and problem.law.flag_move and color != WHITE:
            _draw_answers(problem, worker, sets.values[color], own)
        first = OWN if is_late else np.int64(-1)
        presence = sets.presence[color]
        ply = _note_presence(problem.metric, planes, best[color], first, plane, presence)
        longest = max(longest, ply)
    return longest


@kernel
def _note_presence(metric, planes, values, own, plane, presence):
    """Note in `presence` which `values` the lines of a plane and of its copy have.

    They are in plane `own` of `values`; if that is negative, there are none. Returns the last ply
    in which one of them enters.
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
    if own < 0:
        return last_ply
    for white in range(64):
        place = (own * 64 + white) * 64
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
    Returns the last ply in which one enters. What is `checked` is imported.
    """
    planes, sets = problem.planes, worker.sets
    if planes.is_copy[plane]:
        return np.int64(0)
    if planes.mirrored[plane] >= 0:  # first, since moves out start from the men begun last
        _begin_plane(problem, slice_number, planes.mirrored[plane], worker)
    has_positions = _begin_plane(problem, slice_number, plane, worker)
    own = np.int64(planes.value_plane[plane])
    if own >= 0:
        for color in range(2):
            for white in range(64):
                write_selected(sets.values[color], (own * 64 + white) * 64, ALL, np.uint8(0))
    if has_positions:
        _move_out(problem, plane, worker, sets.values, own)
    longest = np.int64(0)
    for color in range(2):
        if own >= 0 and len(sets.checked[color]):
            _import_plane(problem, plane, color, worker)
        values, not_won = sets.values[color], sets.not_won[color]
        if own >= 0:
            for white in range(64):
                illegal = ~not_won[np.int64(plane) * 64 + white]
                illegal |= on_goal(problem.law, 1 - color, white)
                if problem.law.bared[color] > 1:  # no capture can save it
                    illegal = ALL
                write_selected(values, (own * 64 + white) * 64, illegal, np.uint8(0))
        if own >= 0 and problem.law.flag_move and color != WHITE:
            _draw_answers(problem, worker, values, own)
        ply = _note_presence(problem.metric, planes, values, own, plane, sets.presence[color])
        longest = max(longest, ply)
    return longest


@kernel
def _move_out(problem, plane, worker, values, own):
    """Raise `values` of plane `own` to the best of the moves out of a plane, whose men stand there.

    Where no king is royal, also note in `decided` where captures are forced, or there is no move.
    """
    planes, law = problem.planes, problem.law
    sets, men, scratch = worker.sets, worker.men, worker.scratch
    if law.royal:
        best_moves_out(problem.children, men, problem.stalemates, scratch, values, own)
        return
    base, occupied = np.int64(plane) * 64, np.uint64(law.outside)
    for square in men.squares:
        occupied |= ONE << np.uint64(square)
    legal, decided = scratch.legal, scratch.decided
    lead_plane(law.nobody, occupied, legal)
    moves_by_place(problem.children, men, occupied, legal, scratch.clock, values, own, decided)
    for color in range(2):
        for white in range(64):
            sets.decided[color, base + white] = decided[color, white]
    if planes.mirrored[plane] >= 0:
        mirror_decided(decided, scratch.mirrored)
        copy = np.int64(planes.mirrored[plane]) * 64
        for color in range(2):
            for white in range(64):
                sets.decided[color, copy + white] = scratch.mirrored[color, white]


@kernel
def on_goal(law, side, white):
    """Return the squares of Black's king for which the king of a side is on its `goal`.

    White's is on `white`.
    """
    goal = np.uint64(law.goal)
    if side != WHITE:
        return goal
    return ALL if (goal >> np.uint64(white)) & ONE else np.uint64(0)


@kernel
def _draw_answers(problem, worker, values, own):
    """Make `values` of plane `own` draws where Black's king can follow White's to the goal.

    A step there from the rank below uncovers no check on White's king: it would stand beside
    Black's. So it is legal where no man attacks the square, from which none sees through Black's.
    """
    law, men, attacked = problem.law, worker.men, worker.scratch.attacked
    colors, types, squares = men.colors, men.types, men.squares
    attack_plane(law.movement, law.shields, WHITE, colors, types, squares, attacked)
    goal, taken = np.uint64(law.goal), np.uint64(0)
    for i in range(len(squares)):
        if colors[i] != WHITE:
            taken |= ONE << np.uint64(squares[i])
    near = law.movement.attacks[WHITE, KING]
    for white in range(64):
        if not (goal >> np.uint64(white)) & ONE:
            continue
        open_ = goal & ~(attacked[white] | near[white] | ONE << np.uint64(white) | taken)
        drawn = np.uint64(0)
        while open_:
            drawn |= near[lowest_bit(open_)]
            open_ &= open_ - ONE
        drawn_value = np.uint8(problem.children.codes.drawn)
        write_selected(values, (own * 64 + white) * 64, drawn, drawn_value)


@kernel
def _begin_plane(problem, slice_number, plane, worker):
    """Make `not_won` and `not_lost` the legal positions of a plane; return if men stand apart.

    `may_lose` and `frontier` become empty, `decided` what the rules decide; `checked` and `refuge`
    are made where checks are counted.
    """
    law, sets, men, scratch = problem.law, worker.sets, worker.men, worker.scratch
    movement, shields = law.movement, law.shields
    clash, occupied = place_men(problem, slice_number, plane, men)
    base = np.int64(plane) * 64
    for color in range(2):
        may_lose = sets.may_lose[color]
        not_won, not_lost = sets.not_won[color], sets.not_lost[color]
        decided = sets.decided[color]
        _clear_frontier(sets, color, plane)
        colors, types, squares = men.colors, men.types, men.squares
        by = color if law.checking else EITHER
        attack_plane(movement, shields, by, colors, types, squares, scratch.attacked)
        if law.royal:
            legal_plane(movement, shields, occupied, scratch.attacked, scratch.legal)
        else:
            lead_plane(law.nobody, occupied, scratch.legal)
        for white in range(64):
            legal = np.uint64(0) if clash else scratch.legal[white] & ~on_goal(law, color, white)
            not_won[base + white] = legal
            not_lost[base + white] = legal
            may_lose[base + white] = 0
            if len(decided):
                if not law.bared[color]:
                    legal &= on_goal(law, 1 - color, white)
                decided[base + white] = legal
        if len(sets.checked[color]):
            attack_plane(movement, shields, 1 - color, colors, types, squares, scratch.attacked)
            for white in range(64):
                legal = not_won[base + white]
                sets.refuge[color, base + white] = legal
                sets.checked[color, base + white] = legal & scratch.attacked[white]
    return not clash


@kernel
def _import_plane(problem, plane, color, worker):
    """Write to `imported` what a plane's positions are worth in the layer of one check fewer."""
    children, sets, bases = problem.children, worker.sets, worker.scratch.bases
    first = children.codes.address[checks_given(1 - color), OWN, color]
    if not first:
        return
    kings, own = children.places.kings, np.int64(problem.planes.value_plane[plane])
    find_child(children, OWN, worker.men.squares, bases)
    value_of = problem.value_of_code
    for t in range(8):
        if bases[t] >= 0:
            slots = kings.slots[kings.numbering[OWN], t]
            for pair in range(children.places.pairs[OWN]):
                value = value_of[byte_at(first + bases[t], pair)]
                sets.imported[color, own * 4096 + slots[pair]] = value


@kernel
def _clear_frontier(sets, color, plane):
    """Empty the `frontier` of a plane of what the slice before left."""
    for which in range(len(sets.frontier)):
        sets.frontier_lines[which, color, plane] = 0
        frontier = sets.frontier[which, color]
        for white in range(64):
            frontier[np.int64(plane) * 64 + white] = 0
