"""Needs: which positions of sub-tables count."""

import numpy as np
import pytest

from tablebase.core.board.geometry import Color, PieceType
from tablebase.core.engine import needs
from tablebase.core.engine.driver import solve
from tablebase.core.rules.material import Material, all_materials
from tablebase.core.tables.table import TablePart


@pytest.mark.parametrize("men", [3, 4, 5])
def test_what_is_needed_are_the_dependencies(men):
    for material in all_materials(men):
        assert set(needs.needed_positions(material)) == set(material.dependencies())


def test_promotions_need_one_side_and_one_rank():
    need = needs.needed_positions(Material.from_name("KPPKP"))
    queen = need[Material.from_name("KQPKP")]
    assert queen.sides == {Color.BLACK}
    assert queen.promoted == {(Color.WHITE, PieceType.QUEEN)}
    assert need[Material.from_name("KPPKQ")].promoted == {(Color.BLACK, PieceType.QUEEN)}
    assert not need[Material.from_name("KPKP")].promoted  # any position, after a capture


@pytest.mark.parametrize("name", ["KPPK", "KPKP", "KRPK", "KNKP"])
def test_what_is_not_needed_is_not_used(name, solved):
    material = Material.from_name(name)
    subtables = {}
    for needed, need in needs.needed_positions(material).items():
        rows = needs.rows_after_promotion(needed, need.promoted)
        pairs = solved[needed].index.king_pairs
        codes = tuple(
            np.where(np.repeat(rows, pairs), codes, 7).astype(np.uint8)
            if side in need.sides
            else None
            for side, codes in zip(Color, solved[needed].codes, strict=True)
        )
        subtables[needed] = TablePart(codes, solved[needed].outcomes)
    table = solve(material, subtables)
    assert all(map(np.array_equal, table.codes, solved[material].codes))
