"""Its kernels for the solver, beside those of chess."""

import numpy as np
from support.sanctuary.rules import CORNERS

from tablebase.core.engine.games.chess import CHESS_GAME
from tablebase.core.engine.out.moves_out import play as play_in_chess
from tablebase.core.engine.out.moves_out import play_king as play_king_in_chess
from tablebase.core.engine.sets.values import LOST_AT_ONCE
from tablebase.core.jit.kernels import kernel
from tablebase.core.jit.vectors import write_selected

ONE, ALL, NOTHING = np.uint64(1), ~np.uint64(0), np.uint64(0)
WORD = np.uint64(sum(1 << square for square in CORNERS))


@kernel
def is_corner(square):
    return (WORD >> np.uint64(square)) & ONE != NOTHING


@kernel
def cornered(color, white):
    """Return the squares of Black's king for which the king of a side is in a corner."""
    return WORD if color else ALL if is_corner(white) else NOTHING


@kernel
def begin(problem, color, plane, worker):  # noqa: ARG001 (see `Game`)
    base = np.int64(plane) * 64
    for white in range(64):
        legal = worker.sets.not_won[color, base + white]
        worker.sets.decided[color, base + white] = legal & cornered(color, white)


@kernel
def settle(problem, color, plane, worker):
    own = np.int64(problem.planes.value_plane[plane])
    for white in range(64):
        place = (own * 64 + white) * 64
        write_selected(worker.sets.values[color], place, cornered(color, white), LOST_AT_ONCE)


@kernel
def play(children, men, scratch, values, plane, move):
    if not (move.removed and is_corner(move.target)):
        play_in_chess(children, men, scratch, values, plane, move)


@kernel
def play_king(children, men, captured, scratch, values, plane):
    if not is_corner(men.squares[captured]):
        play_king_in_chess(children, men, captured, scratch, values, plane)


GAME = CHESS_GAME._replace(begin=begin, settle=settle, play=play, play_king=play_king)
