"""Placements of pawns, up to the exchange of left and right: the slices of an index.

Where men or the board know left from right, each placement is a slice of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tablebase.core.board import D4, IDENTITY, MIRROR, PAWN_SQUARES, PieceType
from tablebase.core.index.kings import NO_SYMMETRY
from tablebase.core.jit import hot_kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tablebase.core.rules import Material

FIRST_PAWN_SQUARE = PAWN_SQUARES[0]
PAWN_BASE = len(PAWN_SQUARES)
# In an entry of `slice_of`: the slice times 4, plus these flags.
SLICE_MIRRORED = 1  # the left-right mirror makes these pawns canonical
SLICE_SELF_MIRRORED = 2  # these pawns are their own mirror image
SLICE_SHIFT = 2
NO_SLICE = -1


def slice_tables(material: Material) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    """Return `slice_of` and `slice_pawns` of `numbering.IndexTables`."""
    sizes = [count for _, man, count in material.groups if man is PieceType.PAWN]
    pawns = sum(sizes)
    if not pawns:
        return np.zeros(1, dtype=np.int32), np.zeros((1, 0), dtype=np.uint8)
    weights = PAWN_BASE ** np.arange(pawns)
    keys = np.arange(PAWN_BASE**pawns)
    digits = keys[:, None] // weights % PAWN_BASE

    def sorted_key(digits: NDArray[np.int64]) -> NDArray[np.int64]:
        start = 0
        ordered = digits.copy()
        for size in sizes:
            ordered[:, start : start + size].sort(axis=1)
            start += size
        return ordered @ weights

    own = sorted_key(digits)
    # Files are the low three bits of a square, and the pawns' first square is a multiple of 8.
    has_mirror = MIRROR in material.symmetries
    mirrored = sorted_key(digits ^ int(D4[MIRROR, 0])) if has_mirror else own
    canonical = np.minimum(own, mirrored)
    in_order = np.sort(digits, axis=1)
    distinct = (in_order[:, 1:] != in_order[:, :-1]).all(axis=1)
    colors = [color for color, man in material.men if man is PieceType.PAWN]
    for digit, color in zip(digits.T, colors, strict=True):
        distinct &= np.isin(digit + FIRST_PAWN_SQUARE, [*material.rules.pawn_squares[color]])
    slices, number = np.unique(canonical[distinct], return_inverse=True)
    flags = SLICE_MIRRORED * (mirrored < own)
    if has_mirror:
        flags += SLICE_SELF_MIRRORED * (mirrored == own)
    slice_of = np.full(len(keys), NO_SLICE, dtype=np.int32)
    slice_of[distinct] = (number << SLICE_SHIFT) + flags[distinct]
    return slice_of, (digits[slices] + FIRST_PAWN_SQUARE).astype(np.uint8)


@hot_kernel
def slice_entry(slice_of, pawns):
    """Return the entry of pawns on some squares, uint8 [pawns]; negative if there is none."""
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
