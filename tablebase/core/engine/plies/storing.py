"""Kernels that write a solved slice to the codes of its table."""

from __future__ import annotations

import numpy as np

from tablebase.core.engine.out.child_places import OWN, find_child
from tablebase.core.engine.plies.threads import (
    BEFORE_FIRST,
    PLANES_PER_TASK,
    begin_phase,
    claim_task,
)
from tablebase.core.engine.sets.bits import ONE
from tablebase.core.engine.sets.planes import place_men
from tablebase.core.jit.barriers import barrier
from tablebase.core.jit.instructions import write_byte
from tablebase.core.jit.kernels import entry, hot_kernel, kernel
from tablebase.core.jit.vectors import write_selected


@entry
def translate_codes(codes, new):
    """Replace each of the `codes` by ``new[code]``."""
    for i in range(len(codes)):
        codes[i] = new[codes[i]]


@kernel
def store(problem, slice_number, epochs, worker):
    """Write a solved slice to the table's codes; `epochs` came to an end."""
    sync, team = worker.sync, worker.team
    plane_count = len(problem.planes.plane_squares)
    phase = begin_phase(team)
    task = claim_task(sync, team, phase, BEFORE_FIRST)
    while task * PLANES_PER_TASK < plane_count:
        first = task * PLANES_PER_TASK
        for plane in range(first, min(first + PLANES_PER_TASK, plane_count)):
            clash, _ = place_men(problem, slice_number, plane, worker.men)
            if not (clash or problem.planes.is_copy[plane]):
                _store_plane(problem, plane, epochs, worker)
        task = claim_task(sync, team, phase, task)
    barrier(sync, team)


@kernel
def _store_plane(problem, plane, epochs, worker):
    """Write a solved plane's `values`, with draws, to the table's codes, after some epochs."""
    sets, men, scratch = worker.sets, worker.men, worker.scratch
    children, codes = problem.children, problem.children.child_codes
    kings, pairs = children.places.kings, children.places.pairs[OWN]
    value_plane = np.int64(problem.planes.value_plane[plane])
    find_child(children, OWN, men.squares, scratch.bases)
    for color in range(2):
        _mark_draws(problem.metric, color, plane, value_plane, sets)
        for t in range(8):
            if scratch.bases[t] >= 0:
                slots = kings.slots[kings.variant[OWN], t, :pairs]
                address = codes.address[0, OWN, color] + scratch.bases[t]
                stored = problem.metric.stored
                _store_row(stored, sets.values[color], value_plane, slots, address)
                if epochs and len(worker.undecided):
                    above = codes.epoch_address[OWN, color] + scratch.bases[t]
                    _store_epochs(sets, worker.undecided, color, plane, epochs, slots, above)


@kernel
def _mark_draws(metric, color, plane, value_plane, sets):
    """Write the draws of a solved plane to plane `value_plane` of `values`.

    Positions in both `not_won` and `not_lost` are drawn. Positions in neither are illegal, and
    become draws as well.
    """
    values = sets.values[color]
    not_won, not_lost = sets.not_won[color], sets.not_lost[color]
    value = np.uint8(metric.draw_value)
    for white in range(64):
        place = np.int64(plane) * 64 + white
        write_selected(
            values, (value_plane * 64 + white) * 64, ~(not_won[place] ^ not_lost[place]), value
        )


@hot_kernel
def _store_row(stored, values, value_plane, slots, address):
    """Write the codes of a row from `address` on: `stored`, of the `values` in its `slots`."""
    # Unsigned numbers never count from an array's end.
    base = np.uint64(value_plane * 4096)
    for pair in range(np.uint64(len(slots))):
        value = values[base + np.uint64(slots[pair])]
        write_byte(address, pair, stored[np.uint64(value)])


@kernel
def _store_epochs(sets, undecided, color, plane, epochs, slots, address):
    """Write the upper bytes of codes from `address` on, but zeros: there memory is not touched.

    Positions in `slots` with a result, that is not in both `not_won` and `not_lost`, get the number
    of epochs in which they were `undecided`.
    """
    not_won, not_lost = sets.not_won[color], sets.not_lost[color]
    for pair in range(len(slots)):
        slot = np.int64(slots[pair])
        word, bit = np.int64(plane) * 64 + (slot >> 6), np.uint64(slot & 63)
        if ((not_won[word] & not_lost[word]) >> bit) & ONE:
            continue
        count = np.int64(0)
        for epoch in range(epochs):
            count += np.int64((undecided[epoch, color, word] >> bit) & ONE)
        if count:
            write_byte(address, pair, np.uint8(count))
