"""Moves within a structure, made from all positions of a plane at once.

A *visitor* is an `inlined_kernel` ``put(sets, into, at, words)``: it gets a line of positions that
a move leads to, or from, enters those that count at word `at` of the sets that begin at `into`, and
returns whether there are any.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tablebase.core.jit.kernels import inlined_kernel
from tablebase.core.jit.vectors import any_word, load_line, store_line
from tablebase.solve.kernels.king_planes import WORDS, king_line, lost_line
from tablebase.solve.kernels.lists import list_ways


def make_spread(put: Any, queue: int) -> Any:
    """Return the kernel ``spread(region, work, structure, plane, source, side, into)``.

    It lets a visitor, which becomes part of it, enter what the moves of a side from the plane at
    word `source` lead to, or from; planes with new entries go to the queue.
    """

    @inlined_kernel
    def spread(region, work, structure, plane, source, side, into):
        sets, ways, queued = work.sets, work.ways, work.queued
        listed = list_ways(region, work, structure, plane, side)
        for line in range(0, WORDS, 8):
            if put(sets, into, plane * WORDS + line, king_line(sets, source, line, side)):
                queued[queue, plane] = 1
            words = load_line(sets, source + line)
            if not any_word(words):
                continue
            for i in range(listed):
                there = np.int64(ways[0, i])
                if put(sets, into, there + line, words & ~lost_line(ways[1, i], line)):
                    queued[queue, there // WORDS] = 1

    return spread


@inlined_kernel
def put_allowed(sets, into, at, words):
    """Add the positions of a line that are in one set to another set; return if there are any."""
    allowed, target = into
    words = words & load_line(sets, allowed + at)
    if not any_word(words):
        return False
    store_line(sets, target + at, load_line(sets, target + at) | words)
    return True
