"""What the rules of a game say of a material's positions, as arrays for kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tablebase.core.board.geometry import FILES, NOBODY, Color, square_file
from tablebase.core.engine.bits import free_of_leads
from tablebase.core.jit.records import KernelRecord

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tablebase.core.rules.material import Material


class Laws(NamedTuple):
    """Who may be to move where, what is decided before a move, and how leads move."""

    movement: KernelRecord  # of `Movement`
    shields: NDArray[np.uint64]  # [64] `Rules.shields`
    outside: int  # `BoardShape.outside`
    checking: bool  # `Rules.checking`
    stalemate_loses: bool
    has_decided: bool  # `Material.has_decided`
    bared: NDArray[np.int64]  # [2] `Material.bared`
    goals: NDArray[np.uint64]  # [2, 64] where the opponent's king has reached its goal, by side to
    # move and square of White's king
    flag_move: bool  # `Rules.flag_move`
    royal: bool  # `Rules.royal`: else the leads stand for kings, and move as follows
    nobody: NDArray[np.bool_]  # [2] `Material.nobody`
    free: NDArray[np.uint64]  # [8, 512] `free_of_leads`
    lead_type: NDArray[np.int64]  # [2]
    lead_shift: NDArray[np.int64]  # [steps] of Black's lead, back: by how many bits
    lead_files: NDArray[np.uint64]  # [steps] squares from which that stays on the board
    lead_reach: NDArray[np.int64]  # [steps] how often it may be repeated


def make_laws(material: Material) -> Laws:
    """Return the laws of a material."""
    rules = material.rules
    return Laws(
        movement=KernelRecord(rules.movement),
        shields=rules.shields,
        outside=rules.board.outside,
        checking=rules.checking,
        stalemate_loses=rules.stalemate_loses,
        has_decided=material.has_decided,
        bared=np.array(material.bared, dtype=np.int64),
        goals=_goals(rules.goal_squares),
        flag_move=rules.flag_move,
        royal=rules.royal,
        nobody=np.array(material.nobody),
        free=free_of_leads(material.nobody),
        lead_type=np.array([man for _, man in material.men[:2]], dtype=np.int64),
        **_lead_steps(material),
    )


def _goals(squares: Sequence[int]) -> NDArray[np.uint64]:
    """Return `Laws.goals`."""
    goals = np.zeros((2, 64), dtype=np.uint64)
    goals[Color.WHITE] = np.uint64(sum(1 << square for square in squares))
    goals[Color.BLACK, list(squares)] = ~np.uint64(0)
    return goals


def _lead_steps(material: Material) -> dict[str, NDArray[Any]]:
    """Return the fields of `Laws` that say from where Black's lead comes."""
    lead = material.men[1][1]
    steps = () if lead is NOBODY else material.rules.kind_of(lead).quiet
    files = [
        sum(1 << at for at in range(64) if 0 <= square_file(at) - step.dx < FILES) for step in steps
    ]
    return {
        "lead_shift": np.array([8 * step.dy - step.dx for step in steps], dtype=np.int64),
        "lead_files": np.array(files, dtype=np.uint64),
        "lead_reach": np.array([step.reach for step in steps], dtype=np.int64),
    }
