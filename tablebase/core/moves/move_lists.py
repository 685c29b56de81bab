"""Where the moves of a row are listed, as arrays for kernels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.core.jit.records import KernelRecord

NO_MAN = np.int64(-1)  # numba would compile kernels once more for a literal
MAX_MOVES = 512
QUIET = 0


class Row(NamedTuple):
    """The moves of a row's men, man by man and ray by ray, as if there were no kings."""

    squares: NDArray[np.uint8]  # [men + 2] both kings, then the men
    man_at: NDArray[np.int64]  # [64] man on each square, or NO_MAN
    danger: NDArray[np.uint64]  # [2] squares that the men of each side attack
    pinned: NDArray[np.uint64]  # [men] squares that the enemies of a man attack without it
    bounds: NDArray[np.int64]  # [men + 1] where the moves of each man begin and end
    target: NDArray[np.int64]  # [moves] square
    captured: NDArray[np.int64]  # [moves] man or NO_MAN
    removed: NDArray[np.int64]  # [moves] all men that go off the board, a bit each
    promotion: NDArray[np.int64]  # [moves] new piece type, 0 for none
    en_passant: NDArray[np.bool_]  # [moves] whether an enemy pawn stands beside a double push
    next_ray: NDArray[np.int64]  # [moves] where the next ray begins
    kind: NDArray[np.int64]  # [moves]
    bases: NDArray[np.int64]  # [moves, 8] see `row_moves.find_bases`
    king_bases: NDArray[np.int64]  # [men + 1, 8] the same after a king took a man, or none (0)
    answer_bases: NDArray[np.int64]  # [1, 8] the same after a capture en passant
    layer: NDArray[np.int64]  # [1]


def make_row(men: int) -> KernelRecord:
    """Return an empty record of a `Row` for a number of men besides the kings."""

    def integers(*shape: int) -> NDArray[np.int64]:
        return np.zeros(shape, dtype=np.int64)

    row = Row(
        squares=np.zeros(men + 2, dtype=np.uint8),
        man_at=integers(64),
        danger=np.zeros(2, dtype=np.uint64),
        pinned=np.zeros(men, dtype=np.uint64),
        bounds=integers(men + 1),
        target=integers(MAX_MOVES),
        captured=integers(MAX_MOVES),
        removed=integers(MAX_MOVES),
        promotion=integers(MAX_MOVES),
        en_passant=np.zeros(MAX_MOVES, dtype=np.bool_),
        next_ray=integers(MAX_MOVES),
        kind=integers(MAX_MOVES),
        bases=integers(MAX_MOVES, 8),
        king_bases=integers(men + 1, 8),
        answer_bases=integers(1, 8),
        layer=integers(1),
    )
    return KernelRecord(row)
