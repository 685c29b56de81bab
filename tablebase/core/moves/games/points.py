"""The points at which games differ for the walk; `core.engine.games` has the solver's."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

# What `verdict` returns: all moves count, or only zeroing ones, or the side has lost before it
# moves.
OPEN, BY_ZEROING, LOST = np.int64(0), np.int64(1), np.int64(2)
# What `check_given` returns for a move that ends the game by itself.
ENDS = np.int64(-1)


class GameMoves(NamedTuple):
    """Kernels, which are constants of the type of a record of them.

    The kings are on ``row.squares``, `occupied` are the squares of all men. After a move these are
    `left`, and `removed` has as bits the men that it takes off.
    """

    may_move: Any  # (successors, row, side, occupied): return whether a side may be to move
    verdict: Any  # (successors, row, side, occupied): return OPEN, BY_ZEROING or LOST
    loses_unmoved: Any  # (successors, row, side, occupied): return whether a side that has no move
    # has lost
    taken_off: Any  # (successors, row, man, captured, target): return as bits the men that a
    # capture takes off the board
    may_step: Any  # (successors, row, side, target, left, removed, danger): return whether a king's
    # move is legal; none is attacked outside `danger`
    may_go: Any  # (successors, row, man, target, removed, left, exposed): return whether a man's
    # move is; if not `exposed`, its king is not attacked without it
    check_given: Any  # (successors, row, side, man, new, target, removed, left): return the check
    # that a move gives, see `check_by`, or ENDS; `man` is NO_MAN for the king
    shift: Any  # (successors, row, kind, given): return the first slot of the layer that a move
    # leads to, negative if it ends the game
    judged: Any  # (successors, row, side, king, zeroing, preference): return the preference of a
    # move after which the king is on `king`, from that of what it leads to
