"""Slots: the file's order against its formula, both ways, in pieces of any size."""

import numpy as np
import pytest

from tablebase.index import table_index
from tablebase.material import Material
from tablebase.slots import LOOK, TO_FILE, TO_MEMORY, slot_order, walk

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


def copy(material, what, codes, slot, chunk, rows):
    order = slot_order(material)
    return walk(order, slot, len(chunk), rows, what, codes.ctypes.data, chunk.ctypes.data)


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
    for slot in range(0, min(len(slots), 40 * size), size):
        chunk = np.empty(min(size, len(slots) - slot), dtype=np.uint8)
        assert copy(material, TO_FILE, codes, slot, chunk, rows)
        assert np.array_equal(chunk, expected[slot : slot + len(chunk)])
        copy(material, TO_MEMORY, back, slot, chunk, rows)
    there = slots < 40 * size
    assert np.array_equal(back[there], codes[there])


def test_only_marked_rows_are_written():
    material = Material.from_name("KRPK")
    index = table_index(material)
    slots = slots_of(material)
    rows = np.random.default_rng(2).random(index.slices * index.ranks) < 0.01
    chunk = np.full(1000, 7, dtype=np.uint8)
    marked = np.repeat(rows, index.king_pairs)
    for slot in range(0, index.size, 50_021):
        codes = np.zeros(index.size, dtype=np.uint8)
        part = chunk[: index.size - slot]
        inside = marked & (slots >= slot) & (slots < slot + len(part))
        assert copy(material, TO_MEMORY, codes, slot, part, rows) == inside.any()
        assert copy(material, LOOK, codes, slot, part, rows) == inside.any()
        assert np.array_equal(np.flatnonzero(codes), np.flatnonzero(inside))
