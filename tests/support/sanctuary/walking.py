"""Its kernels for the walk, beside those of chess."""

import numpy as np
from support.sanctuary.rules import CORNERS

from tablebase.core.jit.kernels import kernel
from tablebase.core.moves.games.chess import CHESS_MOVES
from tablebase.core.moves.games.chess import may_go as may_go_in_chess
from tablebase.core.moves.games.chess import may_step as may_step_in_chess
from tablebase.core.moves.games.points import LOST, OPEN

WORD = np.uint64(sum(1 << square for square in CORNERS))


@kernel
def is_corner(square):
    return (WORD >> np.uint64(square)) & np.uint64(1) != np.uint64(0)


@kernel
def verdict(successors, row, side, occupied):  # noqa: ARG001 (see `GameMoves`)
    return LOST if is_corner(row.squares[side]) else OPEN


@kernel
def may_step(successors, row, side, target, left, removed, danger):
    if removed and is_corner(target):
        return False
    return may_step_in_chess(successors, row, side, target, left, removed, danger)


@kernel
def may_go(successors, row, man, target, removed, left, exposed):
    if removed and is_corner(target):
        return False
    return may_go_in_chess(successors, row, man, target, removed, left, exposed)


MOVES = CHESS_MOVES._replace(verdict=verdict, may_step=may_step, may_go=may_go)
