"""Explosions: a capture takes off more men than one, and a king beside it is lost."""

from __future__ import annotations

import numpy as np

from tablebase.core.jit.kernels import kernel
from tablebase.core.moves.row_moves import ONE, PAWN


@kernel
def blown_up(successors, row, man, captured, target):
    """Return as bits the men that a capture takes off: both, and all beside it but pawns."""
    removed = np.int64(1) << captured | np.int64(1) << man
    for other in range(len(successors.law.colors)):
        square = np.int64(row.squares[other + 2])
        across, up = abs((square & 7) - (target & 7)), abs((square >> 3) - (target >> 3))
        if max(across, up) <= 1 and successors.law.types[other] != PAWN:
            removed |= np.int64(1) << other
    return removed


@kernel
def explodes(successors, row, target, side):
    """Return whether the king of a side stands beside a capture."""
    near = successors.by_man.attacks[0, target]
    return (near >> np.uint64(row.squares[side])) & ONE != np.uint64(0)


@kernel
def left_by(row, left, removed, target):
    """Return `left` without the squares that a capture clears, on `target` and of `removed` men."""
    man = np.int64(2)
    while removed:
        if removed & 1:
            left &= ~(ONE << np.uint64(row.squares[man]))
        removed >>= 1
        man += 1
    return left & ~(ONE << np.uint64(target))
