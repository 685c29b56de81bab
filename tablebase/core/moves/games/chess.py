"""Chess: kings that must not be lost, on any board, with any other men."""

from __future__ import annotations

import numpy as np

from tablebase.core.jit.kernels import kernel
from tablebase.core.moves.forward import NO_MEN, is_attacked
from tablebase.core.moves.games.points import OPEN, GameMoves
from tablebase.core.moves.row_moves import ONE


@kernel
def may_move(successors, row, side, occupied):
    """Return whether the other king is not in check."""
    king = np.int64(row.squares[1 - side])
    if not (row.danger[side] >> np.uint64(king)) & ONE:
        return True
    return not is_attacked(successors, row, side, king, occupied, NO_MEN)


@kernel
def verdict(successors, row, side, occupied):  # noqa: ARG001 (here and below: see `GameMoves`)
    """Return OPEN: moves decide every position."""
    return OPEN


@kernel
def loses_unmoved(successors, row, side, occupied):
    """Return whether the king of a side is in check."""
    return is_attacked(successors, row, 1 - side, np.int64(row.squares[side]), occupied, NO_MEN)


@kernel
def taken_off(successors, row, man, captured, target):  # noqa: ARG001
    """Return the bit of the `captured` man."""
    return np.int64(1) << captured


@kernel
def may_step(successors, row, side, target, left, removed, danger):
    """Return whether a king may go to `target`, where neither king nor man attacks it."""
    bit, other_king = ONE << np.uint64(target), np.int64(row.squares[1 - side])
    if (successors.by_man.attacks[1 - side, other_king] | ONE << np.uint64(other_king)) & bit:
        return False
    return not (danger & bit and is_attacked(successors, row, 1 - side, target, left, removed))


@kernel
def may_go(successors, row, man, target, removed, left, exposed):  # noqa: ARG001
    """Return whether a man's move does not leave its own king in check."""
    if not exposed:
        return True
    side = successors.law.colors[man]
    king = np.int64(row.squares[side])
    return not is_attacked(successors, row, 1 - side, king, left, removed)


@kernel
def check_given(successors, row, side, man, new, target, removed, left):  # noqa: ARG001
    """Return 0: whether a move gives check does not matter."""
    return np.int64(0)


@kernel
def shift(successors, row, kind, given):  # noqa: ARG001
    """Return 0: there is one layer."""
    return np.int64(0)


@kernel
def judged(successors, row, side, king, zeroing, preference):  # noqa: ARG001
    """Return the `preference` of what a move leads to."""
    return preference


CHESS_MOVES = GameMoves(
    may_move, verdict, loses_unmoved, taken_off, may_step, may_go, check_given, shift, judged
)
