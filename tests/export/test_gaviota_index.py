"""Cells of Gaviota files: python-chess numbers positions as these are decoded."""

import random

import chess.gaviota
import numpy as np
import pytest
from support.few import few
from support.gaviota import cell_of, random_squares

from tablebase.core.ground.errors import InvalidMaterialError
from tablebase.core.index.numbering import table_index
from tablebase.core.rules.material import Material, all_materials
from tablebase.export.gaviota_index import NO_SLOT, Cells, cell_count, gaviota_name

MATERIALS = [material for men in (3, 4, 5) for material in all_materials(men)]


def test_python_chess_knows_the_same_materials():
    assert {gaviota_name(material).split(".")[0] for material in MATERIALS} == set(
        chess.gaviota.EGKEY
    )


@pytest.mark.parametrize("material", few(MATERIALS, *MATERIALS[::5]), ids=str)
def test_cells_invert_the_numbering_of_python_chess(material):
    cells = Cells(material)
    assert cells.count == chess.gaviota.EGKEY[material.name.lower()].maxindex
    index = table_index(material)
    rng = random.Random(material.name)
    positions = [random_squares(material, rng) for _ in range(300)]
    slots = index.encode_many(np.array(positions, dtype=np.uint8))
    for squares, slot in zip(positions, slots.tolist(), strict=True):
        cell = cell_of(material, squares)
        assert cells.slots(cell, cell + 1).tolist() == [slot], squares
    assert index.encode(np.array(cells.squares(cell), dtype=np.uint8)) == slot


@pytest.mark.parametrize("name", ["KRRK", "KBNK", "KRKP", "KPPK", "KPKP"])
def test_runs_of_cells_are_like_single_ones(name):
    cells = Cells(Material.from_name(name))
    for first in (0, 4000, 60_000, cells.count - 5000):
        single = [int(cells.slots(cell, cell + 1)[0]) for cell in range(first, first + 5000)]
        assert cells.slots(first, first + 5000).tolist() == single


def test_cells_without_a_position():
    cells = Cells(Material.from_name("KRK"))
    slots = cells.slots(0, cells.count)
    for cell in np.flatnonzero(slots == NO_SLOT).tolist():
        assert len(set(cells.squares(cell))) == 2
    assert np.count_nonzero(slots == NO_SLOT) == 2 * 462


def test_materials_without_a_file():
    with pytest.raises(InvalidMaterialError, match="3 to 5 pieces"):
        gaviota_name(Material.from_name("KK"))
    with pytest.raises(InvalidMaterialError, match="3 to 5 pieces"):
        cell_count(Material.from_name("KRPPKR"))
    with pytest.raises(InvalidMaterialError, match=r"the stronger side first, KRK$"):
        gaviota_name(Material.from_name("KKR"))
