"""Epochs: distances longer than a byte tells, by making a byte tell fewer plies."""

import numpy as np
import pytest
from support.few import few

from tablebase.core.engine.driver import solve
from tablebase.core.engine.plies import epochs
from tablebase.core.engine.sets import values
from tablebase.core.index.legality import is_legal, mark_slots
from tablebase.core.index.numbering import table_index
from tablebase.core.outcomes.codes import DRAW
from tablebase.core.outcomes.metrics import DTM, DTZ
from tablebase.core.rules.material import Material, all_materials, closure, generation_order

PLIES = 34  # moves out enter in the first epoch: a rook mates in 31 plies


def plies_of(codes, plies=PLIES):
    """Return distances in plies of codes with epochs of some plies, -1 for draws."""
    wide = codes.astype(np.int64)
    return np.where(wide & 255 == DRAW, -1, (wide & 255) + plies * (wide >> 8))


@pytest.mark.parametrize(
    "name", few(["KQKR", "KRKN", "KBNK", "KRKB", "KNNK", "KRK"], "KQKR", "KNNK", "KRK")
)
@pytest.mark.parametrize("threads", [1, 2])
def test_epochs_give_the_distances_of_a_byte(name, threads, solved, monkeypatch):
    monkeypatch.setattr(values, "EPOCH_PLIES", PLIES)
    material = Material.from_name(name)
    table = solve(material, solved, threads=threads)
    marks = mark_slots(table.index)
    most = 0
    for color, codes, expected in zip((0, 1), table.codes, solved[material].codes, strict=True):
        legal = is_legal(marks, color)
        assert np.array_equal(plies_of(codes)[legal], plies_of(expected)[legal])
        most = max(most, plies_of(codes)[legal].max())
    assert most == max(plies_of(codes).max() for codes in solved[material].codes)
    assert table.white.dtype == (np.uint16 if most > PLIES else np.uint8)
    assert (most > 2 * PLIES) == (name in {"KQKR", "KRKN"})


def test_memory_of_epochs_is_not_touched_without_them():
    material = Material.from_name("KRKN")
    assert epochs.make_undecided(material, DTZ, table_index(material)).size == 0
    pawns = Material.from_name("KPK")
    assert epochs.make_undecided(pawns, DTM, table_index(pawns)).size == 0
    undecided = epochs.make_undecided(material, DTM, table_index(material))
    assert undecided.shape == (3, 2, 64 * 63 * 58)


# 22 and 24 plies end epochs among distances of all kinds; with 66 only those of KRKP, KQKR and
# KRKN are longer, and a rook's loss in 66 plies leads to wins in 67.
@pytest.mark.thorough
@pytest.mark.parametrize(
    ("plies", "materials"),
    [
        (22, closure([Material.from_name("KRKP")])),
        *(pytest.param(one, all_materials(4), marks=pytest.mark.slow) for one in (22, 24, 28, 66)),
    ],
    ids=str,
)
def test_moves_out_enter_in_the_epoch_of_their_distance(plies, materials, solved, monkeypatch):
    monkeypatch.setattr(values, "EPOCH_PLIES", plies)
    monkeypatch.setattr(values, "SHORT_MEN", {})
    tables, long = {}, set()
    for material in generation_order(materials):
        table = tables[material] = solve(material, tables, threads=2)
        marks = mark_slots(table.index)
        for color, codes, expected in zip((0, 1), table.codes, solved[material].codes, strict=True):
            legal = is_legal(marks, color)
            assert np.array_equal(plies_of(codes, plies)[legal], plies_of(expected)[legal])
        if table.white.itemsize > 1:
            long.add(material.name)
    assert long >= {"KRKP", "KRKN", "KQKR"}
    if len(tables) > 30:
        assert (long >= {"KPK", "KPKP", "KPPK", "KQKP", "KNPK"}) == (plies < 30)
