"""Six men: a whole table against published figures. It takes 17 GB and some minutes."""

from itertools import permutations

import numpy as np
import pytest

from tablebase import open_tablebase
from tablebase.core.building.generator import generate
from tablebase.core.rules.material import Material
from tablebase.core.storage.memory import available_memory
from tablebase.core.storage.reading import open_table
from tablebase.core.storage.table_names import table_path

KRRKBB = Material.from_name("KRRKBB")
# Of Syzygy's statistics, cursed wins among the wins: win, draw, loss.
PUBLISHED = {
    "white_to_move": (3508731240, 311630346, 570256),
    "black_to_move": (15163124, 2303737396, 2245177944),
}
RESULTS = (("win", 1), ("draw", 0), ("loss", -1))
LABELLED = 4  # ways to tell the rooks and the bishops apart


@pytest.mark.slow
@pytest.mark.skipif((available_memory() or 0) < 18.5e9, reason="needs 18.5 GB of memory")
def test_results_are_those_published(tmp_path):
    """They count the eight images of a placement as one, identical men told apart.

    Placements with all men on the a1-h8 diagonal, which that keeps, count as halves only.
    """
    generate([KRRKBB], tmp_path)
    with open_table(table_path(tmp_path, KRRKBB)) as file:
        counts = file.counts
    assert counts["white_to_move"]["longest_win"]["plies"] == 2 * 45 - 1
    assert counts["black_to_move"]["longest_win"]["plies"] == 2 * 23 - 1
    on_diagonal = np.array(list(permutations(range(0, 64, 9), 6)), dtype=np.uint8)
    with open_tablebase(tmp_path) as tables:
        for side, published in PUBLISHED.items():
            turn = side == "white_to_move"
            wdl, valid = tables.probe_wdl_many(on_diagonal, KRRKBB, turn)
            for (name, sign), expected in zip(RESULTS, published, strict=True):
                fixed = int((valid & (wdl == sign)).sum())
                assert LABELLED * counts[side][name] + 2 * fixed == 8 * expected
