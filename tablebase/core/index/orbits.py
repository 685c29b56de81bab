"""Orbits: counts over the positions of a table, carried over to all their images."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tablebase.core.board.symmetry import D4, INVERSE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tablebase.core.index.numbering import TableIndex


def over_the_board(
    counts: NDArray[Any], index: TableIndex, *axes: int, halves: bool = False
) -> NDArray[Any]:
    """Return counts by square over all images of the placements counted, in the shape of `counts`.

    `axes` are the axes of `counts` that are squares, 64 entries each. With `halves` placements are
    their own images, so that each image turns up twice.
    """
    total = np.zeros_like(counts)
    for symmetry in index.symmetries:
        image = counts
        for axis in axes:
            image = np.take(image, D4[INVERSE[symmetry]], axis=axis)
        total += image
    return total // total.dtype.type(2) if halves else total
