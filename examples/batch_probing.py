"""Probe a million random positions at once: ``python examples/batch_probing.py [FOLDER]``."""

import sys

import numpy as np

import tablebase
from tablebase.core.ground.streams import reader_may_leave

# White king, black king, white rook; `valid` is false where this is not a legal position.
squares = np.random.default_rng(1).integers(0, 64, (1_000_000, 3), dtype=np.uint8)

folder = sys.argv[1] if len(sys.argv) > 1 else "data"
with reader_may_leave(), tablebase.open_tablebase(folder) as tables:
    for turn, side in ((True, "White"), (False, "Black")):
        plies, valid = tables.probe_dtm_many(squares, "KRK", turn)
        decided = plies[valid & (plies != 0)]
        print(
            f"{side} to move: {valid.sum():,} legal positions, "
            f"{len(decided) / valid.sum():.1%} won by the rook, "
            f"in {np.abs(decided).mean():.1f} plies on average"
        )
