"""The positions that tables have, beside the number that there are."""

import numpy as np
import pytest
from support.few import few

from tablebase.core.index.numbering import table_index
from tablebase.core.rules.material import Material, all_materials
from tablebase.core.rules.rule_files import built_in_rules
from tablebase.core.tables.census import take_census
from tablebase.core.tables.table import Table
from tablebase.count.counting import count_positions

FAST = ("KNNK", "KPPK")
ATOMIC = built_in_rules()["atomic"]
NAMES = ("KRK", "KPK", "KNNK", "KPKP", "KPPK", "KBKN")


@pytest.mark.parametrize(
    "material",
    [
        *(*all_materials(2), *all_materials(3)),
        *few(all_materials(4), *map(Material.from_name, FAST)),
    ],
    ids=str,
)
def test_as_many_numbers_as_positions(material):
    """Since numbers and positions correspond, each position has exactly one."""
    index, positions = table_index(material), 0
    for first in range(0, index.size, 1 << 20):
        numbers = np.arange(first, min(first + (1 << 20), index.size))
        positions += int(index.decode_many(numbers)[1].sum())
    assert positions == count_positions(material).all_placements.inequivalent


@pytest.mark.thorough
@pytest.mark.parametrize(
    "material",
    [
        *few(
            [Material.from_name(name) for name in NAMES], *map(Material.from_name, ("KPK", "KPKP"))
        ),
        *few(
            [Material.from_name(name, ATOMIC) for name in NAMES], Material.from_name("KPK", ATOMIC)
        ),
    ],
    ids=lambda one: f"{one.rules.name}-{one}",
)
def test_positions_are_counted_as_by_enumeration(material):
    codes = np.full(table_index(material).size, 255, dtype=np.uint8)
    census = take_census(Table(material, codes, codes))
    counts = count_positions(material)
    for side, legal in (
        (census.white_to_move, counts.legal_white_to_move),
        (census.black_to_move, counts.legal_black_to_move),
    ):
        assert side.whole_board.draw == legal.placements
        assert side.whole_board.draw + side.whole_board.illegal == counts.all_placements.placements
        assert side.inequivalent.draw == legal.inequivalent
        total = side.inequivalent.draw + side.inequivalent.illegal
        assert total == counts.all_placements.inequivalent
