"""Goals: who reaches one with the king has won, but for an answer where the rules allow it."""

from __future__ import annotations

import numpy as np

from tablebase.core.jit.kernels import kernel
from tablebase.core.moves.forward import is_attacked
from tablebase.core.moves.move_lists import NO_MAN
from tablebase.core.moves.row_moves import ONE, WHITE


@kernel
def has_won(successors, row, side):
    """Return whether the king of a side is on a square that it wins by reaching."""
    return (np.uint64(successors.law.goal) >> np.uint64(row.squares[side])) & ONE


@kernel
def is_raced(successors, row, side, occupied):
    """Return whether a side that is to move has lost by the other king's reaching the goal.

    See `Rules.flag_move`: Black may have an answer.
    """
    law, by_man = successors.law, successors.by_man
    if not has_won(successors, row, 1 - side):
        return False
    if not law.flag_move or side == WHITE:
        return True
    king, other_king = np.int64(row.squares[side]), np.int64(row.squares[1 - side])
    near = by_man.attacks[1 - side, other_king] | ONE << np.uint64(other_king)
    open_ = np.uint64(law.goal) & by_man.attacks[side, king] & ~near
    for target in range(64):
        bit, captured = ONE << np.uint64(target), row.man_at[target]
        if not open_ & bit or (captured != NO_MAN and law.colors[captured] == side):
            continue
        removed = np.int64(0) if captured == NO_MAN else np.int64(1) << captured
        left = occupied & ~(ONE << np.uint64(king)) | bit
        if not is_attacked(successors, row, 1 - side, target, left, removed) and not is_attacked(
            successors, row, side, other_king, left, removed
        ):
            return False
    return True
