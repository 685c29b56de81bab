"""Checks that are counted: what a check leads to is worth what it is in the layer below."""

from __future__ import annotations

import numpy as np

from tablebase.core.engine.out.child_places import OWN, find_child
from tablebase.core.engine.out.children import checks_given
from tablebase.core.engine.out.moves_out import Move, raise_values
from tablebase.core.engine.plies.retrograde import seeds_of
from tablebase.core.engine.sets.bits import ONE, WHITE, attack_plane
from tablebase.core.engine.sets.values import LOSS, UNCLAIMED, WIN, claimed_value
from tablebase.core.jit.instructions import byte_at, work_space
from tablebase.core.jit.kernels import kernel
from tablebase.core.jit.vectors import any_word, load_line, store_line


@kernel
def with_check(move):
    """Return a `Move` as one after which its check counts as well."""
    color, removed, mover, target, new_type, path, given = move
    return Move(color, removed, mover, target, new_type, path, given | checks_given(color))


@kernel
def raise_checked(values, plane, path, check, scratch):
    """Raise `values` where a move gives check, by `checked`; if `check` is 0, where it does not."""
    for white in range(64):
        checked = scratch.checked[white]
        scratch.left_out[white] = scratch.attacked[white] | (~checked if check else checked)
    raise_values(values, plane, path, scratch.values, scratch.left_out)


@kernel
def checked_squares(children, target, owner, by, count, scratch):
    """Return the squares of the king of `owner` for which `by` gives check, the other on `target`.

    The men are the first `count` of ``scratch.child``; `attacked` is work space.
    """
    attacked = scratch.attacked
    children.game.attacked_after(children, by, scratch.child, count, attacked)
    if owner != WHITE:
        return attacked[target]
    checked = np.uint64(0)
    for white in range(64):
        checked |= ((attacked[white] >> np.uint64(target)) & ONE) << np.uint64(white)
    return checked


@kernel
def find_checked(problem, color, plane, worker):
    """Make `refuge` what is `not_won` in a plane, and `checked` the positions of this in check."""
    law, sets, men, attacked = problem.law, worker.sets, worker.men, worker.scratch.attacked
    colors, types, squares = men.colors, men.types, men.squares
    attack_plane(law.movement, law.shields, 1 - color, colors, types, squares, attacked)
    base = np.int64(plane) * 64
    for white in range(64):
        legal = sets.not_won[color, base + white]
        sets.refuge[color, base + white] = legal
        sets.checked[color, base + white] = legal & attacked[white]


@kernel
def import_plane(problem, color, plane, worker):
    """Write to `imported` what a plane's positions are worth in the layer of one check fewer."""
    children, sets, bases = problem.children, worker.sets, worker.scratch.bases
    first = children.child_codes.address[checks_given(1 - color), OWN, color]
    if not first:
        return
    kings, value_plane = children.places.kings, np.int64(problem.planes.value_plane[plane])
    find_child(children, OWN, worker.men.squares, bases)
    value_of = problem.value_of_code
    for t in range(8):
        if bases[t] >= 0:
            slots = kings.slots[kings.variant[OWN], t]
            for pair in range(children.places.pairs[OWN]):
                value = value_of[byte_at(first + bases[t], pair)]
                sets.imported[color, value_plane * 4096 + slots[pair]] = value


@kernel
def import_results(problem, result, color, ply, first, last, sets):
    """Put what is `checked` into the `frontier` of a `result` in a ply as it is `imported`.

    Its own results go out of the frontier: they are for the table, but a move that gives the check
    leads to the layer below. If that is none, it wins: all is lost in 0. What is won leaves
    `refuge`.
    """
    checked, refuge, imported = sets.checked[color], sets.refuge[color], sets.imported[color]
    planes, codes = problem.planes, problem.children.child_codes
    is_last = codes.address[checks_given(1 - color), OWN, color] == 0
    which = result if result == WIN else LOSS + (ply & 1)
    frontier, frontier_lines = sets.frontier[which, color], sets.frontier_lines[which, color]
    value = claimed_value(problem.found, result, color, ply)
    seeds = work_space(8, np.uint64)
    for plane in range(first, last):
        if planes.value_plane[plane] < 0:
            continue
        chosen = 0
        for k in range(8):
            base = np.int64(plane) * 64 + k * 8
            in_check = load_line(checked, base)
            line = load_line(frontier, base) & ~in_check
            if any_word(in_check):
                if is_last and result == LOSS and ply == 0:
                    line |= in_check
                elif not is_last and value != UNCLAIMED:
                    line |= in_check & seeds_of(planes, imported, plane, k, np.uint8(value), seeds)
            store_line(frontier, base, line)
            if any_word(line):
                chosen |= 1 << k
                if result == WIN:
                    store_line(refuge, base, load_line(refuge, base) & ~line)
        frontier_lines[plane] = chosen
