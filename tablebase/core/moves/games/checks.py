"""Moves that give check, where checks are counted or none may be given."""

from __future__ import annotations

import numpy as np

from tablebase.core.jit.kernels import kernel
from tablebase.core.moves.forward import is_attacked
from tablebase.core.moves.move_lists import NO_MAN
from tablebase.core.moves.row_moves import ONE


@kernel
def check_by(color, gives_check):
    """Return the check that a side gives, if it does, as `Destinations.shifts` has it, else 0."""
    return np.int64(gives_check) << np.int64(color)


@kernel
def gives_check(successors, row, side, man, new, target, removed, left):
    """Return whether a move to `target` gives check, by the arguments of `check_given`."""
    king = np.int64(row.squares[1 - side])
    if man == NO_MAN:
        return is_attacked(successors, row, side, king, left, removed)
    if new:
        movement = successors.law.movement
        hit = (movement.attacks[side, new, target] >> np.uint64(king)) & ONE != np.uint64(0)
        if hit and not movement.between[side, new, target, king] & left:
            return True
        removed |= np.int64(1) << man
    origin, row.squares[man + 2] = row.squares[man + 2], target
    found = is_attacked(successors, row, side, king, left, removed)
    row.squares[man + 2] = origin
    return found
