"""Explosions: a capture takes off more men than one, and a king beside it is lost."""

from __future__ import annotations

import numpy as np

from tablebase.core.engine.sets.bits import KING, ONE, WHITE
from tablebase.core.jit.kernels import kernel
from tablebase.core.jit.vectors import write_selected


@kernel
def blown_up(law, men, captured, mover, target):
    """Return as bits the men that a capture on `target` takes off the board."""
    removed = np.int64(1) << captured | np.int64(1) << mover
    beside = law.movement.attacks[WHITE, KING, target]
    for man in range(len(men.squares)):
        is_spared = (law.spared >> men.types[man]) & 1
        if not is_spared and (beside >> np.uint64(men.squares[man])) & ONE:
            removed |= np.int64(1) << man
    return removed


@kernel
def blast_of(children, move):
    """Return the word of squares beside a capture `move` that explodes, else 0."""
    law = children.law
    if move.removed and law.blast:
        return law.movement.attacks[WHITE, KING, move.target]
    return np.uint64(0)


@kernel
def exploding(color, blast, white):
    """Return the squares of Black's king for which a blast takes just the king not of `color`.

    White's king is on `white`.
    """
    is_hit = (blast >> np.uint64(white)) & ONE
    if color == WHITE:
        return np.uint64(0) if is_hit else blast
    return ~blast if is_hit else np.uint64(0)


@kernel
def raise_exploding(children, values, plane, move, blast):
    """Let `values` of a plane win where the `blast` of a move takes the other king."""
    for white in range(64):
        if not (move.path >> np.uint64(white)) & ONE:
            place = (np.int64(plane) * 64 + white) * 64
            hit = exploding(move.color, blast, white) & ~move.path
            write_selected(values, place, hit, children.child_codes.won_at_once[move.color])


@kernel
def note_exploding(children, move, scratch):
    """Note in `answered` for which kings a capture is legal, by what is `attacked` after it."""
    blast = blast_of(children, move)
    for white in range(64):
        scratch.answered[white] |= exploding(move.color, blast, white)
        if not (blast >> np.uint64(white)) & ONE:
            scratch.answered[white] |= ~(scratch.attacked[white] | blast)
