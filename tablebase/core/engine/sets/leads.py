"""Set-wise operations on pairs of leads, which stand for kings where none is royal, see `bits`.

Kings keep their own way, which is faster: they move one square, and nobody is between.
"""

from __future__ import annotations

import numpy as np

from tablebase.core.engine.sets.bits import ALL, ONE, WHITE
from tablebase.core.jit.instructions import work_space
from tablebase.core.jit.kernels import hot_kernel
from tablebase.core.jit.vectors import load_line


@hot_kernel
def lead_preimage(law, color, words, plane, k, occupied):
    """Return line `k` of the preimage of the set `words` of a plane under the moves of a lead.

    `occupied` has the squares of the other men.
    """
    base = np.int64(plane) * 64
    found = work_space(8, np.uint64)
    for f in range(8):
        white = k * 8 + f
        if color == WHITE:
            found[f] = _white_preimage(law, words, base, white, occupied)
        else:
            blocked = occupied
            if not law.nobody[0]:
                blocked |= ONE << np.uint64(white)
            found[f] = _black_preimage(law, words[base + white], blocked)
    return load_line(found, 0)


@hot_kernel
def _white_preimage(law, words, base, white, occupied):
    """Return the word of the preimage of `words` with White's lead, which moves, on a square."""
    found = np.uint64(0)
    for ray in law.movement.walks[WHITE, law.types[len(law.types) - 2], white]:
        open_ = ALL
        for target in ray:
            if target < 0 or (occupied >> np.uint64(target)) & ONE:
                break
            if not law.nobody[1]:
                open_ &= ~(ONE << np.uint64(target))
            found |= open_ & words[base + target]
    return found


@hot_kernel
def _black_preimage(law, word, blocked):
    """Return the squares from which Black's lead moves into `word` over squares not `blocked`."""
    found = np.uint64(0)
    if not word:
        return found
    for i in range(len(law.lead_reach)):
        origins = word
        for _ in range(law.lead_reach[i]):
            shift = law.lead_shift[i]
            origins &= law.lead_files[i]
            origins = origins << np.uint64(shift) if shift > 0 else origins >> np.uint64(-shift)
            origins &= ~blocked
            if not origins:
                break
            found |= origins
    return found


@hot_kernel
def lead_plane(nobody, occupied, plane):
    """Write the placements of leads on free squares to `plane`, where no king is royal.

    A side with `nobody` has its lead on a1, whatever stands there.
    """
    for white in range(64):
        bit = ONE << np.uint64(white)
        plane[white] = ONE if nobody[1] else ~(occupied | (np.uint64(0) if nobody[0] else bit))
        if (white if nobody[0] else occupied & bit) != 0:
            plane[white] = 0
