"""Goals: who reaches one with the king has won, but for an answer where the rules allow it."""

from __future__ import annotations

import numpy as np

from tablebase.core.engine.sets.bits import ALL, KING, ONE, WHITE, attack_plane
from tablebase.core.jit.instructions import lowest_bit
from tablebase.core.jit.kernels import kernel
from tablebase.core.jit.vectors import write_selected


@kernel
def on_goal(law, side, white):
    """Return the squares of Black's king for which the king of a side is on its `goal`.

    White's is on `white`.
    """
    goal = np.uint64(law.goal)
    if side != WHITE:
        return goal
    return ALL if (goal >> np.uint64(white)) & ONE else np.uint64(0)


@kernel
def draw_answers(problem, worker, values, value_plane):
    """Make `values`, in `value_plane`, draws where Black's king can follow White's to the goal.

    A step there from the rank below uncovers no check on White's king: it would stand beside
    Black's. So it is legal where no man attacks the square, from which none sees through Black's.
    """
    law, men, attacked = problem.law, worker.men, worker.scratch.attacked
    colors, types, squares = men.colors, men.types, men.squares
    attack_plane(law.movement, law.shields, WHITE, colors, types, squares, attacked)
    goal, taken = np.uint64(law.goal), np.uint64(0)
    for i in range(len(squares)):
        if colors[i] != WHITE:
            taken |= ONE << np.uint64(squares[i])
    near = law.movement.attacks[WHITE, KING]
    for white in range(64):
        if not (goal >> np.uint64(white)) & ONE:
            continue
        open_ = goal & ~(attacked[white] | near[white] | ONE << np.uint64(white) | taken)
        drawn = np.uint64(0)
        while open_:
            drawn |= near[lowest_bit(open_)]
            open_ &= open_ - ONE
        drawn_value = np.uint8(problem.children.child_codes.drawn)
        write_selected(values, (value_plane * 64 + white) * 64, drawn, drawn_value)
