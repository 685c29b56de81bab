"""Children: values, where they lie, and which of them are needed."""

import numpy as np
import pytest
from support.few import few
from support.lookup import noise_table, stored_code

from tablebase.core.engine.games.chess import CHESS_GAME
from tablebase.core.engine.out import child_places, children
from tablebase.core.engine.out.children import make_scratch
from tablebase.core.jit.records import KernelRecord
from tablebase.core.outcomes.metrics import DTM
from tablebase.core.positions.chess_board import board_of
from tablebase.core.rules.material import STAY, Material

NO_CHECKS = np.int64(0)


@pytest.mark.thorough
@pytest.mark.parametrize("name", few(["KRKN", "KRKP", "KPKP", "KNNK", "KBPK"], "KRKN", "KPKP"))
def test_children_lie_where_the_index_says(name):
    material = Material.from_name(name)
    tables = {m: noise_table(m, n) for n, m in enumerate([material, *material.dependencies()])}
    made = children.make_children(material, KernelRecord(CHESS_GAME), tables, DTM)
    rng = np.random.default_rng(71)
    codes = np.arange(256, dtype=np.uint8)
    places, kept = made.places.fields, made.child_codes.fields
    identity = np.tile(codes, (kept.address.shape[1], 2, 1))
    record = KernelRecord(made._replace(child_codes=KernelRecord(kept._replace(values=identity))))
    scratch = make_scratch(len(material.men) - 2)
    values = scratch.fields.values
    for move, child in ({STAY: material} | material.moves_out()).items():
        _, removed, promoting, new = move
        kind = places.kind[move]
        for side in range(2):
            men = rng.choice(np.arange(8, 56), len(material.men) - 2, replace=False)
            if promoting:
                is_white = material.men[promoting + 1][0] == 0
                men[promoting - 1] = rng.integers(8) + (56 if is_white else 0)
            values[:] = 0
            child_places.find_child(record, kind, men.astype(np.uint8), scratch.fields.bases)
            children.gather_plane(record, kind, np.int64(side), NO_CHECKS, children.HERE, scratch)
            left = [
                ((color, new if n == promoting else man), square)
                for n, ((color, man), square) in enumerate(
                    zip(material.men[2:], men, strict=True), 1
                )
                if not removed >> n - 1 & 1
            ]
            order = [*child.men[2:]]
            left.sort(key=lambda entry: order.index(entry[0]))
            squares = [int(square) for _, square in left]
            for white, black in rng.integers(64, size=(40, 2)).tolist():
                if max(abs(white % 8 - black % 8), abs(white // 8 - black // 8)) < 2:
                    continue
                if len({white, black, *squares}) < 2 + len(squares):
                    continue
                board = board_of(child, [white, black, *squares], side == 0)
                assert values[white * 64 + black] == stored_code(tables, board), (move, board)
