"""Positions in which a side can force a win within a structure, given the results of moves out.

The attacker to move wins where a move leads to a won position; the defender to move loses where
every move does, unless stalemated. The least such sets grow from the moves out and checkmates,
plane by plane: won and lost in the region's arena, all others in the work space, see `Sets`.
"""

from __future__ import annotations

import numpy as np

from tablebase.core.jit.kernels import hot_kernel, inlined_kernel, kernel
from tablebase.core.jit.vectors import any_word, empty_line, load_line, store_line
from tablebase.solve.kernels.fields import (
    LOWER,
    NONE,
    UPPER,
    Number,
    Queue,
    Sets,
    bound_at,
    planes_of,
    saved_at,
    set_at,
    set_of,
)
from tablebase.solve.kernels.king_planes import (
    WORDS,
    ZERO,
    add,
    clear,
    king_line_complement,
    lost_line,
)
from tablebase.solve.kernels.lists import list_ways
from tablebase.solve.kernels.spreading import make_spread, put_allowed
from tablebase.solve.kernels.teams import NO_SIDE, add_up, next_plane

# Where more than one plane in DENSE has new losses, all candidates are looked at again.
DENSE = 2
# In a queue of doubts: not only the positions in doubt.
ALL_CANDIDATES = 2


@inlined_kernel
def _put_new(sets, into, at, words):
    """Add positions of a line to the won positions, and to FRESH; return whether any are new."""
    arena, won, fresh = into
    words = words & ~load_line(arena, won + at)
    if not any_word(words):
        return False
    store_line(arena, won + at, load_line(arena, won + at) | words)
    store_line(sets, fresh + at, load_line(sets, fresh + at) | words)
    return True


_spread_wins = make_spread(_put_new, Queue.WINS)
_spread_doubts = make_spread(put_allowed, Queue.DOUBTS)


@kernel
def attract(region, work, structure, bound, attacker):
    """Find where a side wins in a structure by a `bound`, LOWER or UPPER.

    In the work space are LEGAL, STALE, CLAIM and SAVED; in the region the attacker's set has what
    wins by moves out, and what is not legal, and the defender's is empty.
    """
    defender = 1 - attacker
    planes = planes_of(region, structure)
    won = bound_at(region, structure, bound, attacker, attacker, 0)
    lost = bound_at(region, structure, bound, attacker, defender, 0)
    _begin(region, work, structure, bound, attacker, _drawn_set(region, structure, bound, attacker))
    losses = _lose(region, work, structure, attacker, won, lost)
    while losses > 0:
        if DENSE * losses > planes:
            # To look at all candidates again takes less time than to find those that matter.
            _doubt_all(region, work, structure, defender)
        else:
            _doubt(region, work, structure, defender)
        losses = _lose(region, work, structure, attacker, won, lost)


@hot_kernel
def _begin(region, work, structure, bound, attacker, draws):
    """Queue all planes; write CANDIDATES and DOUBT, and empty the attacker's FRESH.

    In doubt are all LEGAL positions of the defender but those that are lost, SAVED, or in the set
    `draws` (STALE or CLAIM), if there is one.
    """
    defender = 1 - attacker
    arena, sets, planes = region.arena, work.sets, planes_of(region, structure)
    won = bound_at(region, structure, bound, attacker, attacker, 0)
    lost = bound_at(region, structure, bound, attacker, defender, 0)
    sure_won = bound_at(region, structure, LOWER, attacker, attacker, 0)
    sure_lost = bound_at(region, structure, LOWER, attacker, defender, 0)
    plane = next_plane(work, NO_SIDE)
    while plane >= 0:
        work.queued[Queue.DOUBTS, plane] = work.valid[plane]
        work.queued[Queue.WINS, plane] = 0
        work.queued[Queue.LOSSES, plane] = 0
        legal = set_of(planes, Sets.LEGAL, defender, plane)
        saved = saved_at(planes, bound, attacker, plane)
        drawn = set_at(planes, max(draws, 0), plane)
        here = plane * WORDS
        if bound == UPPER:  # what is won for sure may be won
            add(arena, won + here, arena, sure_won + here)
            add(arena, lost + here, arena, sure_lost + here)
        for line in range(here, here + WORDS, 8):
            at = line - here
            words = load_line(sets, legal + at) & ~load_line(sets, saved + at)
            words = words & ~load_line(arena, lost + line)
            if draws >= 0:
                words = words & ~load_line(sets, drawn + at)
            store_line(sets, set_at(planes, Sets.CANDIDATES, 0) + line, words)
            store_line(sets, set_at(planes, Sets.DOUBT, 0) + line, words)
            store_line(sets, set_of(planes, Sets.FRESH, attacker, 0) + line, empty_line())
        plane = next_plane(work, NO_SIDE)


@kernel
def _drawn_set(region, structure, bound, attacker):
    """Return the number of a defender's set that is drawn at once, STALE, CLAIM or NONE."""
    defender = 1 - attacker
    if region.numbers[Number.FEW]:
        # The attacker's queens may be rooks or bishops, which stalemate less often.
        if bound == UPPER and has_queen(region.keys[structure, 2], attacker):
            return np.int64(NONE)
        if bound == LOWER and has_queen(region.keys[structure, 2], defender):
            return Sets.CLAIM + defender
    return Sets.STALE + defender


@kernel
def has_queen(pieces, side):
    """Return whether a side has a queen among the pieces of a structure."""
    return (pieces >> np.uint64(16 * side)) & np.uint64(15) != ZERO


@hot_kernel
def _lose(region, work, structure, attacker, won, lost):
    """Look at all doubts, and win at once before what is lost; return the planes with losses."""
    count, defender = np.int64(0), 1 - attacker
    plane = next_plane(work, defender)
    while plane >= 0:
        if work.queued[Queue.DOUBTS, plane] and find_lost(
            region, work, structure, plane, defender, region.arena, won, lost
        ):
            count += 1
            _win_before(region, work, structure, plane, attacker, won)
        plane = next_plane(work, defender)
    return add_up(work, count)


@hot_kernel
def find_lost(region, work, structure, plane, defender, rows, won, lost):
    """Add the defender's positions in DOUBT that are lost to `lost`; return whether there are any.

    It looks at DOUBT, or at all CANDIDATES, and empties DOUBT; what is lost leaves CANDIDATES for
    FRESH. In `rows`, from `won` and `lost` on, are the attacker's wins after the defender's move,
    and the lost.
    """
    sets, ways, planes = work.sets, work.ways, planes_of(region, structure)
    doubt = set_at(planes, Sets.DOUBT, plane)
    candidates = set_at(planes, Sets.CANDIDATES, plane)
    looked_at = candidates if work.queued[Queue.DOUBTS, plane] == ALL_CANDIDATES else doubt
    work.queued[Queue.DOUBTS, plane] = 0
    fresh = set_of(planes, Sets.FRESH, defender, plane)
    here = plane * WORDS
    found = False
    count = np.int64(-1)
    for line in range(0, WORDS, 8):
        rest = load_line(sets, looked_at + line)
        if any_word(rest):
            store_line(sets, doubt + line, empty_line())
            rest = rest & ~king_line_complement(rows, won + here, line, defender)
            if any_word(rest):
                if count < 0:
                    count = list_ways(region, work, structure, plane, defender)
                for i in range(count):
                    there = won + np.int64(ways[0, i]) + line
                    rest = rest & (load_line(rows, there) | lost_line(ways[1, i], line))
                    if not any_word(rest):
                        break
            if any_word(rest):
                found = True
                now = load_line(rows, lost + here + line) | rest
                store_line(rows, lost + here + line, now)
                now = load_line(sets, candidates + line) & ~rest
                store_line(sets, candidates + line, now)
        store_line(sets, fresh + line, rest)
    return found


@hot_kernel
def _win_before(region, work, structure, plane, attacker, won):
    """Add the attacker's positions before the defender's FRESH to the won, and to FRESH."""
    planes = planes_of(region, structure)
    lost = set_of(planes, Sets.FRESH, 1 - attacker, plane)
    into = region.arena, won, set_of(planes, Sets.FRESH, attacker, 0)
    _spread_wins(region, work, structure, plane, lost, attacker, into)


@hot_kernel
def _doubt_all(region, work, structure, defender):
    """Queue all planes, to look at all CANDIDATES; empty the attacker's FRESH."""
    planes = planes_of(region, structure)
    plane = next_plane(work, NO_SIDE)
    while plane >= 0:
        work.queued[Queue.DOUBTS, plane] = work.valid[plane] * ALL_CANDIDATES
        work.queued[Queue.WINS, plane] = 0
        clear(work.sets, set_of(planes, Sets.FRESH, 1 - defender, plane))
        plane = next_plane(work, NO_SIDE)


@hot_kernel
def _doubt(region, work, structure, defender):
    """Put into DOUBT what may be lost now that more is won; empty the attacker's FRESH."""
    attacker = 1 - defender
    plane = next_plane(work, attacker)
    while plane >= 0:
        if work.queued[Queue.WINS, plane]:
            work.queued[Queue.WINS, plane] = 0
            lose_before(region, work, structure, plane, defender)
        plane = next_plane(work, attacker)


@hot_kernel
def lose_before(region, work, structure, plane, defender):
    """Put the CANDIDATES before the attacker's FRESH into DOUBT; empty the latter."""
    planes = planes_of(region, structure)
    won = set_of(planes, Sets.FRESH, 1 - defender, plane)
    into = set_at(planes, Sets.CANDIDATES, 0), set_at(planes, Sets.DOUBT, 0)
    _spread_doubts(region, work, structure, plane, won, defender, into)
    clear(work.sets, won)
