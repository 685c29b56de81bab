"""Between the meaning of a value and the byte that stores it.

A distance to mate counts plies: single moves of either side. The side to move wins
in an odd number of plies and loses in an even one, 0 when it is checkmated, so the
parity of the distance gives the result, and the distance alone is stored. One more
code, 255, means a draw. The longest distance of any material up to five men is a
loss in 254 plies (KPPKP), so one byte is exactly enough.
"""

from enum import IntEnum
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

DRAW = 255
CHECKMATED = 0
MAX_PLIES = 254


class Wdl(IntEnum):
    """The result with best play, seen from the side to move."""

    LOSS = -1
    DRAW = 0
    WIN = 1


@overload
def encode_dtm(wdl: Wdl | int, plies: int) -> int: ...
@overload
def encode_dtm(wdl: NDArray[Any], plies: NDArray[Any]) -> NDArray[np.uint8]: ...
def encode_dtm(wdl: Any, plies: Any) -> Any:
    """Return the stored code of a result and a distance.

    Parameters
    ----------
    wdl
        Result for the side to move, a `Wdl` or an integer array of them.
    plies
        Distance to mate in plies, of the same shape; 0 for a draw.

    Returns
    -------
    int or NDArray[np.uint8]
        The stored code, an array if an array was given.

    Raises
    ------
    ValueError
        If a result is none of -1, 0 and 1, or a distance does not go with its result:
        wins are odd, losses even, draws 0, and none is above 254.

    Examples
    --------
    >>> encode_dtm(Wdl.WIN, 31), encode_dtm(Wdl.LOSS, 0), encode_dtm(Wdl.DRAW, 0)
    (31, 0, 255)
    """
    results, distances = np.broadcast_arrays(np.asarray(wdl), np.asarray(plies))
    valid = (
        ((results == Wdl.WIN) & (distances % 2 == 1))
        | ((results == Wdl.LOSS) & (distances % 2 == 0))
        | ((results == Wdl.DRAW) & (distances == 0))
    ) & ((distances >= 0) & (distances <= MAX_PLIES))
    if not valid.all():
        result, distance = results[~valid][0], distances[~valid][0]
        raise ValueError(
            f"no code for result {result} in {distance} plies: a win is odd, a loss even, "
            f"a draw 0, none above {MAX_PLIES}"
        )
    codes = np.where(results == Wdl.DRAW, DRAW, distances).astype(np.uint8)
    return codes if codes.ndim else int(codes)


@overload
def decode_dtm(code: int) -> tuple[Wdl, int]: ...
@overload
def decode_dtm(code: NDArray[np.uint8]) -> tuple[NDArray[np.int8], NDArray[np.uint8]]: ...
def decode_dtm(code: Any) -> Any:
    """Return the result and the distance that a stored code means.

    Parameters
    ----------
    code
        Stored code, 0 to 255, or an array of type uint8.

    Returns
    -------
    tuple
        The result for the side to move and the distance in plies, 0 for a draw.
        For a number, a `Wdl` and an int; for an array, two arrays (int8 and uint8).

    Raises
    ------
    ValueError
        If a code does not fit in a byte.

    Examples
    --------
    >>> decode_dtm(31), decode_dtm(255)
    ((<Wdl.WIN: 1>, 31), (<Wdl.DRAW: 0>, 0))
    """
    codes = np.asarray(code)
    if ((codes < 0) | (codes > DRAW)).any():
        raise ValueError(f"a stored code is a byte from 0 to {DRAW}, got {code}")
    decisive = np.where(codes % 2 == 1, Wdl.WIN, Wdl.LOSS)
    results = np.where(codes == DRAW, Wdl.DRAW, decisive).astype(np.int8)
    plies = np.where(codes == DRAW, 0, codes).astype(np.uint8)
    return (results, plies) if codes.ndim else (Wdl(int(results)), int(plies))


def signed_plies(code: int) -> int:
    """Return the distance to mate in plies, negative for a loss, 0 for a draw or checkmate.

    >>> signed_plies(31), signed_plies(32), signed_plies(DRAW)
    (31, -32, 0)
    """
    if code == DRAW:
        return 0
    return code if code % 2 else -code


# By stored code: the result, and the distance of `signed_plies`.
WDL_OF_CODE, _PLIES_OF_CODE = decode_dtm(np.arange(256, dtype=np.uint8))
SIGNED_PLIES: NDArray[np.int16] = np.multiply(WDL_OF_CODE, _PLIES_OF_CODE, dtype=np.int16)
for _constant in (WDL_OF_CODE, SIGNED_PLIES):
    _constant.setflags(write=False)
del _constant, _PLIES_OF_CODE
