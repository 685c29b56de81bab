"""What results are worth, and what a move makes of them.

A *worth* orders outcomes (see `tablebase.board.metrics`) as the side to move prefers them: a win in
n plies is worth ``FAR - n``, a draw 0, a loss in n plies ``n - FAR``.

A quiet move makes every distance one ply longer. What a *zeroing* move, a capture or the move of a
pawn, makes of them is all that tells the metrics apart here. A metric that counts otherwise is
another entry of `_BEFORE_ZEROING`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tablebase.board import DRAW, DTM, DTZ, FIFTY_MOVES, Metric

if TYPE_CHECKING:
    from numpy.typing import NDArray

FAR = 1 << 16  # above all distances
MATED_WORTH, DRAW_WORTH = -FAR, 0
NO_MOVE = -FAR - 1  # below all worths


def worths_of(outcomes: NDArray[np.int16]) -> NDArray[np.int64]:
    """Return what outcomes are worth, of any shape.

    >>> worths_of(np.array([1, 0, ~2])).tolist() == [FAR - 1, 0, 2 - FAR]
    True
    """
    wide = outcomes.astype(np.int64)
    return np.where(wide > 0, FAR - wide, np.where(wide < 0, ~wide - FAR, DRAW_WORTH))


def is_meant(outcomes: NDArray[np.int16]) -> NDArray[np.bool_]:
    """Return which codes of a table mean something, from outcomes by code, shape [..., codes]."""
    meant: NDArray[np.bool_] = (outcomes != 0) | (np.arange(outcomes.shape[-1]) == DRAW)
    return meant


def outcome_of(worth: int) -> int:
    """Return the outcome that is worth so much.

    >>> outcome_of(FAR - 1), outcome_of(DRAW_WORTH), outcome_of(MATED_WORTH) == ~0
    (1, 0, True)
    """
    if worth == DRAW_WORTH:
        return 0
    return FAR - worth if worth > 0 else ~(FAR + worth)


def before_quiet_move(worths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the worths before a move by those for the opponent after it, one ply longer."""
    return np.sign(worths) - worths


def _counting_anew(worths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the worths before a move that sets the count of the 50-move rule to zero.

    Nothing is left of the distance after it but whether the result comes in time.
    """
    in_time = FAR - np.abs(worths) <= FIFTY_MOVES
    return before_quiet_move(np.sign(worths) * (FAR - np.where(in_time, 0, FIFTY_MOVES)))


_BEFORE_ZEROING = {DTM: before_quiet_move, DTZ: _counting_anew}


def before_zeroing_move(metric: Metric, worths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the worths before a capture or the move of a pawn by those for the opponent after it.

    Parameters
    ----------
    metric
        Which distance the worths are of.
    worths
        Of any shape.

    Examples
    --------
    >>> after = worths_of(np.array([~30, ~101, 0, 101, 30]))
    >>> [int(outcome_of(worth)) for worth in before_zeroing_move(DTZ, after)]
    [1, 101, 0, -102, -2]
    """
    return _BEFORE_ZEROING[metric](worths)
