"""Kernels of one ply: positions won, positions that may be lost, and positions that are lost.

A side is won in n plies if some move leads to a position lost for the opponent in n - 1, and lost
in n if all moves lead to positions won for the opponent, the longest in n - 1. So both need
*preimages*: `preimages` has them under pieces' moves, in `Sets.reach`; king's moves and moves out
are added here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tablebase.core.board.symmetry import DIAGONAL
from tablebase.core.engine.plies.sets import PRESENCE_KEYS
from tablebase.core.engine.sets.bits import (
    ALL,
    ONE,
    load_image,
    transform_words,
)
from tablebase.core.engine.sets.values import LOSS, NO_SEED, WIN, claim_value
from tablebase.core.jit.instructions import lowest_bit, prefetch, work_space
from tablebase.core.jit.kernels import hot_kernel, kernel
from tablebase.core.jit.vectors import (
    any_word,
    bytes_equal,
    empty_line,
    load_line,
    store_line,
    write_selected,
)

if TYPE_CHECKING:
    pass


@hot_kernel
def finish_wins(problem, color, ply, first, last, pawns, sets):
    """Record the positions of planes ``first`` to ``last - 1`` won in `ply`; return if any.

    `reach` has the pieces' preimages of the opponent's `frontier`, and gets the king's, without
    what is `decided`, and what has a move out, by `presence` and `values`, that wins in `ply`. Only
    what is in `not_won` stays.
    """
    planes, metric = problem.planes, problem.metric
    seed, value = metric.seeds[WIN, ply], np.uint8(0)
    before = frontier_before(metric, ply)
    reach, reach_lines = sets.reach[color], sets.reach_lines[color]
    decided, not_won, values = sets.decided[color], sets.not_won[color], sets.values[color]
    lost, lost_lines = sets.frontier[before, 1 - color], sets.frontier_lines[before, 1 - color]
    won, won_lines = sets.frontier[WIN, color], sets.frontier_lines[WIN, color]
    presence, key = sets.presence[color], seed & (PRESENCE_KEYS - 1)
    seeds = work_space(8, np.uint64)
    # Values of a plane are written while those of the next one are on their way.
    found, used_before, plane_before = False, np.uint64(0), np.int64(first)
    for stack in range(first >> 6, (last + 63) >> 6):
        left = _planes_with(reach_lines, stack) | _planes_with(won_lines, stack)
        left |= _planes_with(lost_lines, stack)
        if seed != NO_SEED:
            left |= _planes_with(presence[stack, key], 0)
        left &= _planes_within(stack, first, last)
        while left:
            plane = stack * 64 + lowest_bit(left)
            left &= left - ONE
            by_king = problem.game.lines_back(problem.law, color, np.int64(lost_lines[plane]))
            occupied = problem.game.blocked(problem, plane, pawns)
            seeded = np.int64(0 if seed == NO_SEED else presence[stack, key, plane & 63])
            lines = np.int64(reach_lines[plane]) | by_king | seeded
            chosen, used = 0, np.uint64(0)
            while lines:
                k = lowest_bit(np.uint64(lines))
                lines &= lines - 1
                base = np.int64(plane) * 64 + k * 8
                line = load_line(reach, base)
                unknown = load_line(not_won, base)
                if any_word(unknown):
                    if (by_king >> k) & 1:
                        line |= problem.game.retreat(problem.law, color, lost, plane, k, occupied)
                    if len(decided):
                        line &= ~load_line(decided, base)
                    if (seeded >> k) & 1:
                        line |= _winning_seeds(planes, values, won, plane, k, np.uint8(seed), seeds)
                    line &= unknown
                    if any_word(line):
                        chosen |= 1 << k
                        used |= _record_line(planes, plane, k, line, not_won, values, won)
                store_line(reach, base, empty_line())
            reach_lines[plane] = 0
            _forget_lines(plane, np.int64(won_lines[plane]) & ~chosen, won)
            won_lines[plane] = chosen
            if chosen and not found:
                found = True
                value = np.uint8(claim_value(metric, problem.found, WIN, color, ply))
            _write_values(planes, values, won, plane_before, used_before, value)
            used_before, plane_before = used, plane
    _write_values(planes, values, won, plane_before, used_before, value)
    return found


@hot_kernel
def frontier_before(metric, ply):
    """Return the place of that `frontier` into which moves of the winner lead in `ply`.

    It has the losses of the ply before, or if both sides help its wins.
    """
    return LOSS + ((ply - 1) & 1) if metric.losses_at[ply - 1] else WIN


@hot_kernel
def _planes_with(flags, stack):
    """Return as bits which planes of a `stack` have any of the `flags`."""
    return ~bytes_equal(flags, stack * 64, np.uint8(0))


@hot_kernel
def _planes_within(stack, first, last):
    """Return as bits which planes of a `stack`, of 64, are from `first` to ``last - 1``."""
    bits = ALL
    if first > stack * 64:
        bits <<= np.uint64(first - stack * 64)
    if last < stack * 64 + 64:
        bits &= ALL >> np.uint64(stack * 64 + 64 - last)
    return bits


@hot_kernel
def _winning_seeds(planes, values, won, plane, k, value, seeds):
    """Return `seeds_of`, by `seeds` [8].

    Those of a copy are the `won` of its image, which was recorded before in the same task, so that
    its `values` are new already.
    """
    if planes.is_copy[plane]:
        return load_image(won, planes.mirrored[plane], k, DIAGONAL)
    return seeds_of(planes, values, plane, k, value, seeds)


@hot_kernel
def seeds_of(planes, values, plane, k, value, seeds):
    """Return line `k` of the positions whose `values` are `value`; `seeds` [8] is work space."""
    base = np.int64(planes.value_plane[plane]) * 64
    if planes.is_copy[plane]:  # the line is a file of the plane that has the values
        for f in range(8):
            seeds[f] = bytes_equal(values, (base + f * 8 + k) * 64, value)
        return transform_words(load_line(seeds, 0), DIAGONAL)
    for f in range(8):
        seeds[f] = bytes_equal(values, (base + k * 8 + f) * 64, value)
    return load_line(seeds, 0)


@hot_kernel
def _record_line(planes, plane, k, line, unknown, values, results):
    """Set the line of `results` to `line`, and take it out of `unknown`.

    Return as bits which words of the plane have new `values`.
    """
    base = np.int64(plane) * 64 + k * 8
    store_line(results, base, line)
    _take_out(unknown, base, line)
    if planes.is_copy[plane]:
        return np.uint64(0)
    return _words_in_use(values, results, base, _shift(planes, plane)) << np.uint64(k * 8)


@hot_kernel
def _take_out(words, base, line):
    """Take the positions of `line` out of the line of `words` that begins at `base`."""
    store_line(words, base, load_line(words, base) & ~line)


@hot_kernel
def _words_in_use(values, words, base, shift):
    """Return as bits which words of a line of `words` hold something; fetch their `values`.

    The 64 values of a word lie `shift` words behind it.
    """
    used = np.uint64(0)
    for f in range(8):
        if words[base + f]:
            used |= ONE << np.uint64(f)
            prefetch(values, (base + shift + f) * 64)
    return used


@hot_kernel
def _shift(planes, plane):
    """Return the distance from the words of a plane to its values, in words, by `value_plane`."""
    return (np.int64(planes.value_plane[plane]) - plane) * 64


@hot_kernel
def _forget_lines(plane, lines, words):
    """Zero the lines of a plane of `words` whose bit is set in `lines`."""
    while lines:
        k = lowest_bit(np.uint64(lines))
        lines &= lines - 1
        store_line(words, np.int64(plane) * 64 + k * 8, empty_line())


@hot_kernel
def _write_values(planes, values, words, plane, used, value):
    """Write `value` to the `values` of a plane's positions, which are in those `words` `used`."""
    if not used:
        return
    shift = _shift(planes, plane)
    while used:
        place = np.int64(plane) * 64 + lowest_bit(used)
        used &= used - ONE
        write_selected(values, (place + shift) * 64, words[place], value)


@hot_kernel
def choose_candidates(problem, color, ply, first, last, pawns, sets):
    """Make `reach` the positions that may be lost in `ply`, as far as one plane tells.

    It holds the preimages of the opponent's `frontier`; added are the king's, and of `not_lost` but
    not `decided` what has a best move out, by `presence` and `values`, that loses in `ply`: this
    enters `may_lose`. Positions of `not_won` stay, unless the king escapes into `refuge`.
    """
    planes, seed = problem.planes, problem.metric.seeds[LOSS, ply]
    reach, reach_lines = sets.reach[color], sets.reach_lines[color]
    decided, not_lost, may_lose = sets.decided[color], sets.not_lost[color], sets.may_lose[color]
    not_won, refuge = sets.not_won[color], sets.refuge[1 - color]
    won, won_lines = sets.frontier[WIN, 1 - color], sets.frontier_lines[WIN, 1 - color]
    presence, key = sets.presence[color], seed & (PRESENCE_KEYS - 1)
    seeds = work_space(8, np.uint64)
    for stack in range(first >> 6, (last + 63) >> 6):
        left = _planes_with(reach_lines, stack) | _planes_with(won_lines, stack)
        if ply == 0:
            left = ALL
        elif seed != NO_SEED:
            left |= _planes_with(presence[stack, key], 0)
        left &= _planes_within(stack, first, last)
        while left:
            plane = stack * 64 + lowest_bit(left)
            left &= left - ONE
            by_king = problem.game.lines_back(problem.law, color, np.int64(won_lines[plane]))
            occupied = problem.game.blocked(problem, plane, pawns)
            seeded = np.int64(0)
            if ply == 0 and planes.value_plane[plane] >= 0:  # the seed is to have no move out
                seeded = np.int64(255)
            elif ply > 0 and seed != NO_SEED:
                seeded = np.int64(presence[stack, key, plane & 63])
            lines = np.int64(reach_lines[plane]) | by_king | seeded
            chosen = 0
            while lines:
                k = lowest_bit(np.uint64(lines))
                lines &= lines - 1
                base = np.int64(plane) * 64 + k * 8
                candidates = load_line(may_lose, base)
                line = load_line(reach, base)
                if (seeded >> k) & 1:
                    new = seeds_of(planes, sets.values[color], plane, k, np.uint8(seed), seeds)
                    new &= load_line(not_lost, base)
                    if len(decided):
                        new &= ~load_line(decided, base)
                    candidates |= new
                    store_line(may_lose, base, candidates)
                    line |= new
                candidates &= load_line(not_won, base)
                if (by_king >> k) & 1 and any_word(candidates):
                    line |= problem.game.retreat(problem.law, color, won, plane, k, occupied)
                line &= candidates
                if any_word(line):
                    line &= ~problem.game.retreat(problem.law, color, refuge, plane, k, occupied)
                store_line(reach, base, line)
                if any_word(line):
                    chosen |= 1 << k
            reach_lines[plane] = chosen


@kernel
def settle_decided(problem, color, ply, first, last, sets):
    """Add to `reach` what is `decided` and `not_lost`, and by its `values` lost in `ply`."""
    planes, seed = problem.planes, problem.metric.seeds[LOSS, ply]
    decided, not_lost, values = sets.decided[color], sets.not_lost[color], sets.values[color]
    reach, reach_lines = sets.reach[color], sets.reach_lines[color]
    if not len(decided) or seed == NO_SEED:
        return
    seeds = work_space(8, np.uint64)
    for plane in range(first, last):
        if planes.value_plane[plane] < 0:
            continue
        for k in range(8):
            base = np.int64(plane) * 64 + k * 8
            line = load_line(decided, base) & load_line(not_lost, base)
            if any_word(line):
                line &= seeds_of(planes, values, plane, k, np.uint8(seed), seeds)
            if any_word(line):
                store_line(reach, base, load_line(reach, base) | line)
                reach_lines[plane] |= np.uint8(1 << k)


@hot_kernel
def finish_losses(problem, color, ply, first, last, sets):
    """Record what is left in `reach` as lost in `ply`, and return if any is.

    It becomes the `frontier`, enters `values`, and leaves `not_lost` and `may_lose`.
    """
    planes, values, value = problem.planes, sets.values[color], np.uint8(0)
    which = LOSS + (ply & 1)
    reach, reach_lines = sets.reach[color], sets.reach_lines[color]
    not_lost, may_lose = sets.not_lost[color], sets.may_lose[color]
    lost, lost_lines = sets.frontier[which, color], sets.frontier_lines[which, color]
    found, used_before, plane_before = False, np.uint64(0), np.int64(first)
    for stack in range(first >> 6, (last + 63) >> 6):
        left = _planes_with(reach_lines, stack) | _planes_with(lost_lines, stack)
        left &= _planes_within(stack, first, last)
        while left:
            plane = stack * 64 + lowest_bit(left)
            left &= left - ONE
            lines, chosen, used = np.int64(reach_lines[plane]), 0, np.uint64(0)
            while lines:
                k = lowest_bit(np.uint64(lines))
                lines &= lines - 1
                base = np.int64(plane) * 64 + k * 8
                line = load_line(reach, base)
                store_line(reach, base, empty_line())
                if any_word(line):
                    chosen |= 1 << k
                    _take_out(may_lose, base, line)
                    used |= _record_line(planes, plane, k, line, not_lost, values, lost)
            reach_lines[plane] = 0
            _forget_lines(plane, np.int64(lost_lines[plane]) & ~chosen, lost)
            lost_lines[plane] = chosen
            if chosen and not found:
                found = True
                value = np.uint8(claim_value(problem.metric, problem.found, LOSS, color, ply))
            _write_values(planes, values, lost, plane_before, used_before, value)
            used_before, plane_before = used, plane
    _write_values(planes, values, lost, plane_before, used_before, value)
    return found
