"""What to put where there is no position: that which compresses best.

Slots without a legal position may hold anything. Compression replaces a stretch of codes by a
reference to an equal one before it, and codes that may be anything are equal to all. So the
cheapest way to write all codes is looked for, see `tablebase.lz77`, and such slots get the codes
that its references copy.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tablebase.lz77 import BLOCK, START, cheapest, copy_free, empty_survey, examine, prices, search
from tablebase.values import DRAW

# Each round knows better than the one before what symbols cost and which distances are useful; a
# fourth takes 0.1 % off.
ROUNDS = 3


def fill(codes: NDArray[np.uint8], legal: NDArray[np.bool_]) -> None:
    """Fill the slots without a position, in place.

    Parameters
    ----------
    codes
        Stored codes that are compressed together, shape [n].
    legal
        Which of them are those of positions, shape [n].
    """
    if legal.all():
        return
    if not legal.any():
        codes[:] = DRAW
        return
    size, blocks = len(codes), 1 + -(-len(codes) // BLOCK)
    repeated = codes[_repeating(legal)]
    work = np.full(blocks * BLOCK, repeated[0])
    work[START : START + size] = repeated
    known = np.zeros(len(work), dtype=np.bool_)
    known[START : START + size] = legal
    sources = np.packbits(known, bitorder="little").view("<u8")
    free = ~sources
    parse = np.empty((2, len(work)), dtype=np.int32)
    search(work, parse)
    for _ in range(ROUNDS):
        survey = empty_survey(len(work))
        examine(work, parse, survey)
        cheapest(work, free, sources, survey, prices(survey), parse)
        copy_free(work, free, parse)
        # At first only codes of positions are copied, since the others are about to change.
        sources = np.full_like(free, np.iinfo(np.uint64).max)
    codes[:] = work[START : START + size]


def _repeating(legal: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return for each slot the last position up to there, or the first one if there is none."""
    last = np.where(legal, np.arange(len(legal)), np.argmax(legal))
    return np.maximum.accumulate(last)
