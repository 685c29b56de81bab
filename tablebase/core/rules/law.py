"""The law of a material: what the rules say of it, as one record that all kernels share."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.core.board.geometry import FILES, NOBODY, SQUARES, square_file
from tablebase.core.board.movement import Step
from tablebase.core.board.shape import signed_word
from tablebase.core.jit.records import KernelRecord
from tablebase.core.rules.material import SPARED, Material


class Law(NamedTuple):
    """How the men of a material move, what captures do, and what ends a game.

    Men are those of `Material.movers`: besides royal kings, or with the leads last.
    """

    movement: KernelRecord  # of `Movement`, by colour and kind
    colors: NDArray[np.int64]  # [men]
    types: NDArray[np.int64]  # [men]
    counts: NDArray[np.int64]  # [2] men of each side, those of royal kings aside
    promotions: NDArray[np.int64]  # [promotions] kinds that pawns become, ascending
    push_rank: NDArray[np.int64]  # [2] `Rules.push_ranks`
    promotion_rank: NDArray[np.int64]  # [2] `Rules.promotion_ranks`
    flip: NDArray[np.uint8]  # [2, 64] `BoardShape.flip_if`
    royal: bool  # `Rules.royal`: else the leads stand for kings
    # Of other games and boards:
    king_takes: bool  # whether kings capture, as they do in chess
    splits_moves: NDArray[np.bool_]  # [men] whether its captures and other moves differ
    shields: NDArray[np.uint64]  # [64] `Rules.shields`
    goal: int  # word of squares on which a king has won
    flag_move: bool  # `Rules.flag_move`
    bared: NDArray[np.int64]  # [2] `Material.bared`
    spared: int  # kinds that an explosion beside them spares, a bit each
    blast: bool  # `Rules.blast`
    nobody: NDArray[np.bool_]  # [2] `Material.nobody`
    lead_shift: NDArray[np.int64]  # [steps] of Black's lead, back: by how many bits
    lead_files: NDArray[np.uint64]  # [steps] squares from which that stays on the board
    lead_reach: NDArray[np.int64]  # [steps] how often it may be repeated
    checking: bool  # `Rules.checking`
    counting: bool  # `Rules.check_counting`
    stalemate_loses: bool  # whether a side that has no move and is not in check has lost
    outside: int  # `BoardShape.outside`


def make_law(material: Material) -> KernelRecord:
    """Return the law of a material, a record of `Law`."""
    rules, men = material.rules, material.movers
    quiet = [None if man is NOBODY else rules.kind_of(man).quiet_steps for _, man in men]
    lead = material.men[1][1]
    lead_steps = () if lead is NOBODY else rules.kind_of(lead).quiet
    law = Law(
        movement=KernelRecord(rules.movement),
        colors=_integers([color for color, _ in men]),
        types=_integers([man for _, man in men]),
        splits_moves=np.array([steps is not None for steps in quiet], dtype=np.bool_),
        counts=_integers([len(material.white), len(material.black)]),
        promotions=_integers(sorted(rules.promotions)),
        push_rank=_integers(rules.push_ranks),
        promotion_rank=_integers(rules.promotion_ranks),
        flip=rules.board.flip_if,
        outside=rules.board.outside,
        shields=rules.shields,
        goal=signed_word(rules.goal_squares),
        bared=_integers(material.bared),
        spared=sum(1 << man for man in SPARED),
        nobody=np.array(material.nobody),
        lead_shift=_integers([FILES * step.dy - step.dx for step in lead_steps]),
        lead_files=np.array([_origins(step) for step in lead_steps], dtype=np.uint64),
        lead_reach=_integers([step.reach for step in lead_steps]),
        royal=rules.royal,
        checking=rules.checking,
        counting=rules.check_counting,
        blast=rules.blast,
        king_takes=not rules.blast,
        flag_move=rules.flag_move,
        stalemate_loses=rules.stalemate == "loss",
    )
    return KernelRecord(law)


def _origins(step: Step) -> int:
    """Return the word of squares from which one step back by Black stays on the files."""
    return sum(1 << at for at in range(SQUARES) if 0 <= square_file(at) - step.dx < FILES)


def _integers(values: object) -> NDArray[np.int64]:
    return np.array(values, dtype=np.int64)
