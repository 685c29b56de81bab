"""How much a slot weighs by the symmetries that turn its position into itself."""

from __future__ import annotations

from types import MappingProxyType

import numpy as np

from tablebase.core.board.symmetry import D4
from tablebase.core.index.numbering import MAX_MEN_OF_INDEX
from tablebase.core.jit.instructions import work_space
from tablebase.core.jit.kernels import kernel

# How much a slot weighs: as much as the group has symmetries, half of that, or nothing. Only where
# all men have twins, an image may look like the position itself in more than two ways.
WHOLE, HALF, BROKEN, QUARTER, EIGHTH = range(5)
# Each weight, by its number, stands for one image of this many.
PARTS = MappingProxyType({WHOLE: 1, HALF: 2, QUARTER: 4, EIGHTH: 8})


@kernel
def weight_of(legality, squares):
    """Return the weight of a position by how many symmetries turn it into itself."""
    words = work_space(MAX_MEN_OF_INDEX, np.uint64)
    for i in range(len(squares)):
        words[i] = 0
    for i in range(len(squares)):
        if legality.classes[i] >= 0:
            words[legality.classes[i]] |= np.uint64(1) << np.uint64(squares[i])
    own = 0
    for symmetry in range(8):
        is_kept = (legality.symmetries >> symmetry) & 1
        for i in range(len(squares)):
            if legality.classes[i] >= 0:
                word = words[legality.classes[i]] >> np.uint64(D4[symmetry, squares[i]])
                is_kept &= np.int64(word & np.uint64(1))
        own += is_kept
    weight = np.int64(WHOLE)
    if own == 2:
        weight = np.int64(HALF)
    elif own == 4:
        weight = np.int64(QUARTER)
    elif own == 8:
        weight = np.int64(EIGHTH)
    return weight
