"""Placements of pawns, up to the exchange of left and right: the slices of an index.

Where men or the board know left from right, each placement is a slice of its own.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tablebase.core.board.geometry import PAWN_SQUARES, PieceType
from tablebase.core.board.symmetry import D4, IDENTITY, MIRROR
from tablebase.core.index.kings import NO_SYMMETRY
from tablebase.core.jit.kernels import hot_kernel
from tablebase.core.rules.material import Material

FIRST_PAWN_SQUARE = PAWN_SQUARES[0]
PAWN_BASE = len(PAWN_SQUARES)
# In an entry of `slice_of`: the slice times 4, plus these flags.
SLICE_MIRRORED = 1  # the left-right mirror makes these pawns canonical
SLICE_SELF_MIRRORED = 2  # these pawns are their own mirror image
SLICE_SHIFT = 2
NO_SLICE = -1


def slice_tables(material: Material) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    """Return `slice_of` and `slice_pawns` of `numbering.Numbering`.

    A *key* has the pawns' squares as digits, see `slice_entry`. Keys that differ by identical pawns
    or by a reflection share a slice; slices are numbered by their smallest, the canonical key.
    """
    pawns = material.pawn_count
    if not pawns:
        return np.zeros(1, dtype=np.int32), np.zeros((1, 0), dtype=np.uint8)
    keys = np.arange(PAWN_BASE**pawns)
    digits = keys[:, None] // PAWN_BASE ** np.arange(pawns) % PAWN_BASE
    own = mirrored = _keys_in_order(material, digits)
    flags = np.zeros_like(keys)
    if MIRROR in material.symmetries:
        # Files are the low three bits of a square, and of a digit: ranks begin at multiples of 8.
        mirrored = _keys_in_order(material, digits ^ int(D4[MIRROR, 0]))
        flags = SLICE_MIRRORED * (mirrored < own) + SLICE_SELF_MIRRORED * (mirrored == own)
    possible = _may_stand(material, digits)
    canonical, slices = np.unique(np.minimum(own, mirrored)[possible], return_inverse=True)
    slice_of = np.full(len(keys), NO_SLICE, dtype=np.int32)
    slice_of[possible] = (slices << SLICE_SHIFT) + flags[possible]
    return slice_of, (digits[canonical] + FIRST_PAWN_SQUARE).astype(np.uint8)


def _keys_in_order(material: Material, digits: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the keys of `digits` [keys, pawns] with the pawns of each side in ascending order."""
    ordered = digits.copy()
    start = 0
    for _, man, count in material.groups:
        if man is PieceType.PAWN:
            ordered[:, start : start + count].sort(axis=1)
            start += count
    return ordered @ PAWN_BASE ** np.arange(start)


def _may_stand(material: Material, digits: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return of which `digits` [keys, pawns] all pawns may stand on their squares together."""
    in_order = np.sort(digits, axis=1)
    possible: NDArray[np.bool_] = (in_order[:, 1:] != in_order[:, :-1]).all(axis=1)
    colors = [color for color, man in material.men if man is PieceType.PAWN]
    for squares, color in zip(digits.T + FIRST_PAWN_SQUARE, colors, strict=True):
        possible &= np.isin(squares, [*material.rules.pawn_squares[color]])
    return possible


@hot_kernel
def slice_entry(slice_of, pawns):
    """Return the entry of pawns on some squares, uint8 [pawns]; negative if there is none.

    The key by which it is found has the squares as digits, that of the first pawn counting ones.
    """
    key = np.int64(0)
    for i in range(len(pawns) - 1, -1, -1):
        pawn = np.int64(pawns[i]) - FIRST_PAWN_SQUARE
        if pawn < 0 or pawn >= PAWN_BASE:
            return np.int64(NO_SLICE)
        key = key * PAWN_BASE + pawn
    return np.int64(slice_of[key])


@hot_kernel
def slice_number(entry):
    """Return the slice of an entry."""
    return entry >> SLICE_SHIFT


@hot_kernel
def slice_symmetry(entry):
    """Return the symmetry that makes the pawns of an entry canonical."""
    return np.int64(MIRROR if entry & SLICE_MIRRORED else IDENTITY)


@hot_kernel
def second_slice_symmetry(entry):
    """Return another symmetry that does, or NO_SYMMETRY."""
    return np.int64(MIRROR if entry & SLICE_SELF_MIRRORED else NO_SYMMETRY)
