"""Between the meaning of a value and the byte that stores it.

A win takes an odd number of plies, a loss an even one, 0 at checkmate, so the distance to mate
tells the result, and only it is stored; 255 is a draw. Up to five men the longest is 254 plies
(KPPKP). Longer ones take a second byte, the *epoch*: how often 254 plies are to be added.
"""

from enum import IntEnum
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

DRAW = 255
CHECKMATED = 0
MAX_PLIES = 254
# An even number, so that parity still gives the result.
EPOCH_PLIES = MAX_PLIES
MAX_EPOCHS = 4
CODES = 256 * MAX_EPOCHS  # of one byte or two


class Wdl(IntEnum):
    """The result with best play, seen from the side to move."""

    LOSS = -1
    DRAW = 0
    WIN = 1


@overload
def decode_dtm(code: int) -> tuple[Wdl, int]: ...
@overload
def decode_dtm(code: NDArray[np.uint8]) -> tuple[NDArray[np.int8], NDArray[np.uint8]]: ...
def decode_dtm(code: Any) -> Any:
    """Return the result and the distance in plies, 0 for a draw, of a code or of an array.

    An array gives two arrays, int8 and its own type. Raises `ValueError` if there is no such code.

    >>> decode_dtm(31), decode_dtm(255)
    ((<Wdl.WIN: 1>, 31), (<Wdl.DRAW: 0>, 0))
    """
    codes = np.asarray(code)
    if ((codes < 0) | (codes >= CODES)).any():
        raise ValueError(f"a stored code is a number from 0 to {CODES - 1}, got {code}")
    wide = codes.astype(np.int64)
    is_draw = wide & 255 == DRAW
    results = np.where(is_draw, Wdl.DRAW, np.where(wide % 2 == 1, Wdl.WIN, Wdl.LOSS))
    plies = np.where(is_draw, 0, (wide & 255) + EPOCH_PLIES * (wide >> 8))
    if not codes.ndim:
        return Wdl(int(results)), int(plies)
    return results.astype(np.int8), plies.astype(codes.dtype)


def signed_plies(code: int) -> int:
    """Return the distance to mate in plies, negative for a loss, 0 for a draw or checkmate.

    >>> signed_plies(31), signed_plies(32), signed_plies(DRAW)
    (31, -32, 0)
    """
    result, plies = decode_dtm(code)
    return int(result) * plies


# By stored code, of one byte or two: the result, and the distance of `signed_plies`.
WDL_OF_CODE, _PLIES_OF_CODE = decode_dtm(np.arange(CODES, dtype=np.uint16))
SIGNED_PLIES: NDArray[np.int16] = np.multiply(WDL_OF_CODE, _PLIES_OF_CODE, dtype=np.int16)
for _constant in (WDL_OF_CODE, SIGNED_PLIES):
    _constant.setflags(write=False)
del _constant, _PLIES_OF_CODE
