"""Orbits: counts by square over all images of the placements counted."""

import chess
import numpy as np

from tablebase.core.index.numbering import table_index
from tablebase.core.index.orbits import over_the_board
from tablebase.core.rules.material import Material


def test_counts_over_the_board():
    index = table_index(Material.from_name("KRK"))
    counts = np.zeros(64, dtype=np.int64)
    counts[chess.A1], counts[chess.B1] = 3, 1
    images = over_the_board(counts, index, 0)
    # Four corners, each reached by two symmetries; eight squares like b1.
    assert images[chess.H8] == 6
    assert images[chess.A2] == 1
    assert images.sum() == 8 * 4
    assert (over_the_board(counts * 2, index, 0, halves=True) == images).all()
