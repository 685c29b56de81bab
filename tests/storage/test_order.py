"""Slots: the file's order against its formula, both ways, in pieces of any size."""

import numpy as np
import pytest

from tablebase.board.geometry import Color
from tablebase.index.legality import MAY_MOVE, NO_POSITION, WHITE_MAY_MOVE, is_legal, mark_slots
from tablebase.index.numbering import table_index
from tablebase.outcomes.codes import DRAW
from tablebase.rules.material import Material
from tablebase.storage import places_of
from tablebase.storage.order import any_marked, gather_slots, scatter_slots, slot_order

NAMES = ["KK", "KRK", "KPK", "KRNK", "KPKP", "KRPK"]


def slots_of(material):
    """Return the slot of each index, by the formula that files state."""
    index = table_index(material)
    black = index.tables.king_squares[:, 1].tolist()
    numbers = np.arange(index.size).reshape(index.slices, index.ranks, index.king_pairs)
    slots = np.empty_like(numbers)
    for pair, square in enumerate(black):
        first, count = black.index(square), black.count(square)
        inside = np.arange(index.ranks) * count + pair - first
        bases = (np.arange(index.slices) * index.king_pairs + first) * index.ranks
        slots[:, :, pair] = bases[:, None] + inside
    return slots.ravel()


def frozen(codes):
    """Return codes that kernels read only, as those of a table."""
    codes = codes.view()
    codes.setflags(write=False)
    return codes


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("size", [1000, 65_536])
def test_values_go_to_their_slots_and_back(name, size):
    material = Material.from_name(name)
    slots = slots_of(material)
    assert np.array_equal(np.sort(slots), np.arange(len(slots)))
    codes = np.random.default_rng(1).integers(0, 256, len(slots), dtype=np.uint8)
    rows = np.ones(len(slots) // table_index(material).king_pairs, dtype=np.bool_)
    expected = np.empty_like(codes)
    expected[slots] = codes
    back = np.zeros_like(codes)
    order, legal = slot_order(material), np.full(len(codes), WHITE_MAY_MOVE, dtype=np.uint8)
    for slot in range(0, min(len(slots), 40 * size), size):
        chunk = np.empty(min(size, len(slots) - slot), dtype=np.uint8)
        gather_slots(order, slot, frozen(codes), legal, WHITE_MAY_MOVE, chunk)
        assert np.array_equal(chunk, expected[slot : slot + len(chunk)])
        assert any_marked(order, slot, len(chunk), rows)
        scatter_slots(order, slot, frozen(chunk), places_of(rows), back)
    there = slots < 40 * size
    assert np.array_equal(back[there], codes[there])


def test_only_marked_rows_are_written():
    material = Material.from_name("KRPK")
    index = table_index(material)
    slots = slots_of(material)
    rows = np.random.default_rng(2).random(index.slices * index.ranks) < 0.01
    chunk = np.full(1000, 7, dtype=np.uint8)
    marked = np.repeat(rows, index.king_pairs)
    for slot in range(0, index.size, 200_003):
        codes = np.zeros(index.size, dtype=np.uint8)
        part = chunk[: index.size - slot]
        inside = marked & (slots >= slot) & (slots < slot + len(part))
        order = slot_order(material)
        places = np.where(rows, np.arange(len(rows), dtype=np.int32), np.int32(-1))
        scatter_slots(order, slot, frozen(part), places, codes)
        assert any_marked(order, slot, len(part), rows) == inside.any()
        assert np.array_equal(np.flatnonzero(codes), np.flatnonzero(inside))


@pytest.mark.parametrize("color", Color)
@pytest.mark.parametrize("name", ["KRK", "KPK", "KRPK"])
def test_slots_without_a_position_repeat_the_one_before(name, color):
    material = Material.from_name(name)
    index = table_index(material)
    slots, marks = slots_of(material), mark_slots(index)
    codes = np.random.default_rng(3).integers(0, 256, index.size, dtype=np.uint8)
    by_slot, legal = np.empty_like(codes), np.empty(index.size, dtype=np.bool_)
    by_slot[slots], legal[slots] = codes, is_legal(marks, color)
    for slot in range(0, index.size, 100_003):
        chunk = np.empty(min(1000, index.size - slot), dtype=np.uint8)
        gather_slots(slot_order(material), slot, frozen(codes), marks, MAY_MOVE[color], chunk)
        last = next((i for i in range(len(chunk)) if legal[slot + i]), None)
        for i in range(len(chunk)):
            last = i if legal[slot + i] else last
            assert chunk[i] == (DRAW if last is None else by_slot[slot + last])


def test_a_chunk_without_a_position_holds_draws():
    codes = np.arange(462, dtype=np.uint8)
    marks, chunk = np.full(462, NO_POSITION, dtype=np.uint8), np.zeros(400, dtype=np.uint8)
    gather_slots(slot_order(Material()), 62, frozen(codes), marks, WHITE_MAY_MOVE, chunk)
    assert (chunk == DRAW).all()
