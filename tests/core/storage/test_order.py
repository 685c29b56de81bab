"""Slots: the file's order against its formula, both ways, in pieces of any size."""

import numpy as np
import pytest
from support.few import few, thorough

from tablebase.core.board.geometry import Color
from tablebase.core.index.legality import find_legal, is_legal, legal_shape, mark_slots
from tablebase.core.index.numbering import table_index
from tablebase.core.outcomes.codes import DRAW
from tablebase.core.rules.material import Material
from tablebase.core.storage.order import (
    any_marked,
    are_legal,
    fill_gaps,
    gather_chunks,
    places_of,
    scatter_slots,
    slot_order,
)

NAMES = ["KK", "KRK", "KPK", "KRNK", "KPKP", "KRPK"]


def slots_of(material):
    """Return the slot of each index, by the formula that files state."""
    index = table_index(material)
    black = index.numbering.king_squares[:, 1].tolist()
    numbers = np.arange(index.size).reshape(index.slices, index.ranks, index.king_pairs)
    slots = np.empty_like(numbers)
    for pair, square in enumerate(black):
        first, count = black.index(square), black.count(square)
        inside = np.arange(index.ranks) * count + pair - first
        bases = (np.arange(index.slices) * index.king_pairs + first) * index.ranks
        slots[:, :, pair] = bases[:, None] + inside
    return slots.ravel()


@pytest.mark.parametrize("name", few(NAMES, *NAMES[:4], others=thorough))
@pytest.mark.parametrize("size", few([1000, 65_536], 1000))
def test_values_go_to_their_slots_and_back(name, size):
    material = Material.from_name(name)
    slots = slots_of(material)
    assert np.array_equal(np.sort(slots), np.arange(len(slots)))
    codes = np.random.default_rng(1).integers(0, 256, len(slots), dtype=np.uint8)
    rows = np.ones(len(slots) // table_index(material).king_pairs, dtype=np.bool_)
    expected = np.empty_like(codes)
    expected[slots] = codes
    back = np.zeros_like(codes)
    order = slot_order(material)
    legal = np.full(legal_shape(table_index(material))[1:], ~np.uint64(0))
    for slot in range(0, min(len(slots), 40 * size), size):
        part = range(slot, min(slot + size, len(slots)))
        (chunk,) = gather_chunks(order, part, size, [codes], legal)
        assert np.array_equal(chunk, expected[slot : slot + len(chunk)])
        assert any_marked(order, slot, len(chunk), rows)
        scatter_slots(order, slot, chunk, places_of(rows), back)
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
        scatter_slots(order, slot, part, places, codes)
        assert any_marked(order, slot, len(part), rows) == inside.any()
        assert np.array_equal(np.flatnonzero(codes), np.flatnonzero(inside))


@pytest.mark.parametrize("color", Color)
@pytest.mark.parametrize("name", few(["KRK", "KPK", "KRPK"], "KRK", "KPK"))
def test_slots_without_a_position_repeat_the_one_before(name, color):
    material = Material.from_name(name)
    index = table_index(material)
    slots, marks = slots_of(material), mark_slots(index)
    codes = np.random.default_rng(3).integers(0, 256, index.size, dtype=np.uint8)
    order, bits = slot_order(material), find_legal(index)[color]
    numbers = np.arange(index.size)
    assert np.array_equal(are_legal(order, bits, numbers), is_legal(marks, color))
    by_slot, legal = np.empty_like(codes), np.empty(index.size, dtype=np.bool_)
    by_slot[slots], legal[slots] = codes, is_legal(marks, color)
    size = 1000
    for slot in range(0, index.size, 100_003):
        part = range(slot, min(slot + 3 * size, index.size))
        (found,) = gather_chunks(order, part, size, [codes], bits)
        for first in range(0, len(part), size):
            chunk = found[first : first + size]
            last = next((i for i in range(len(chunk)) if legal[slot + first + i]), None)
            for i in range(len(chunk)):
                last = i if legal[slot + first + i] else last
                assert chunk[i] == (DRAW if last is None else by_slot[slot + first + last])


@pytest.mark.parametrize("color", Color)
@pytest.mark.parametrize("name", few(["KK", "KRK", "KPK", "KPKP"], "KRK", "KPKP"))
@pytest.mark.parametrize("chunk_size", few([1009, 65_536], 1009))
def test_what_chunks_hold_is_up_to_their_size_alone(name, color, chunk_size):
    material = Material.from_name(name)
    index = table_index(material)
    order, bits = slot_order(material), find_legal(index)[color]
    codes = np.random.default_rng(4).integers(0, 256, index.size, dtype=np.uint8)
    slots = slots_of(material)
    by_slot, legal = np.empty_like(codes), np.empty(index.size, dtype=np.bool_)
    by_slot[slots], legal[slots] = codes, is_legal(mark_slots(index), color)
    last = min(index.size, 300 * chunk_size)
    for window in (chunk_size, 7 * chunk_size, last):
        for first in range(0, last, window):
            part = range(first, min(first + window, last))
            (found,) = gather_chunks(order, part, chunk_size, [codes], bits)
            for start in range(0, len(part), chunk_size):
                chunk = slice(first + start, min(first + start + chunk_size, part.stop))
                expected = fill_gaps(by_slot[chunk], legal[chunk])
                assert np.array_equal(found[start : start + chunk_size], expected)


def test_a_chunk_without_a_position_holds_draws():
    codes = np.arange(462, dtype=np.uint8)
    nowhere = np.zeros((1, 8), dtype=np.uint64)
    (found,) = gather_chunks(slot_order(Material()), range(62, 462), 400, [codes], nowhere)
    assert (found == DRAW).all()
