"""Values while solving: bytes in the order of preference of the side to move.

The better of two is the larger. A loss in n plies is n / 2, a draw 128, a win in n plies
255 - (n - 1) / 2. Before the first ply a value holds the best result of the moves that leave the
slice, 0 if there are none.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tablebase.board import DRAW
from tablebase.jit import kernel

DRAW_VALUE = 128
BEST_VALUE = 255


def _best_values() -> NDArray[np.uint8]:
    """Return, by stored code, the value for the side to move."""
    values = np.empty(256, dtype=np.uint8)
    for code in range(256):
        wins = code % 2 == 1
        values[code] = BEST_VALUE - (code - 1) // 2 if wins else code // 2
    values[DRAW] = DRAW_VALUE
    return values


def _negated(values: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the values for the side that moves there, one ply longer."""
    wide = values.astype(np.int64)
    return np.where(wide < DRAW_VALUE, 255 - wide, 256 - wide).astype(np.uint8)


VALUE_OF_CODE = _best_values()
VALUE_AFTER_MOVE = _negated(VALUE_OF_CODE)  # by stored code of the position moved to
NEGATED = _negated(np.arange(256, dtype=np.uint8))  # by value of the position moved to
for _constant in (VALUE_OF_CODE, VALUE_AFTER_MOVE, NEGATED):
    _constant.setflags(write=False)
del _constant


@kernel
def code_of_value(value):
    """Return the stored code of a value: the inverse of `VALUE_OF_CODE`, by arithmetic."""
    value = np.int64(value)
    return np.uint8((value << 1) ^ -(value >> 7))
