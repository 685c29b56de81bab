"""Recursive pairing: whatever is compressed is decoded again, by a reader that shares no code."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablebase.core.board.geometry import Color
from tablebase.core.ground.errors import CorruptTableError
from tablebase.core.jit.records import KernelRecord
from tablebase.export.pairs import (
    MAX_BLOCK_CELLS,
    MAX_SYMBOLS,
    compress,
    estimate_size,
    single_value,
)
from tablebase.export.syzygy_reading import _Cursor, _decode, _Header, _read_pairs


class Counts(NamedTuple):
    """What the reader asks of a numbering: how many cells there are."""

    counts: np.ndarray


def header_of(pairs, cells):
    header = _Header(Color.WHITE, 0, KernelRecord(Counts(np.array([cells], dtype=np.int64))))
    cursor = _Cursor(bytes([0x80 if pairs.is_single else 0]) + pairs.header)
    _read_pairs(cursor, header, is_wdl=False)
    assert cursor.offset == len(cursor.data)
    assert cursor.offset % 2 == 0
    header.index, header.sizes, header.data = pairs.index, pairs.sizes, pairs.data
    return header


def assert_decoded(values, largest_block=10):
    values = np.asarray(values, dtype=np.uint16)
    pairs = compress(values.copy(), largest_block=largest_block)
    header = header_of(pairs, len(values))
    assert header.block_bits <= largest_block
    np.testing.assert_array_equal(_decode(header), values)
    return header


@given(
    st.lists(st.tuples(st.integers(0, 4000), st.integers(1, 40)), min_size=1, max_size=60),
    st.integers(5, 10),
)
def test_any_sequence_is_decoded(runs, largest_block):
    assert_decoded(np.concatenate([[value] * length for value, length in runs]), largest_block)


@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.integers(1, 6000))
def test_noise_and_repetition_are_decoded(seed, kinds, length):
    random = np.random.default_rng(seed)
    part = random.integers(kinds, size=max(1, length // 7))
    repeated = np.tile(part, 7)
    changed = random.random(len(repeated)) < 0.01
    assert_decoded(np.where(changed, random.integers(kinds, size=len(repeated)), repeated))


def test_one_symbol_has_a_code_of_one_bit():
    header = assert_decoded([7])
    assert (header.shortest, len(header.tree), header.blocks) == (1, 1, 1)


def test_an_odd_and_an_even_number_of_symbols():
    assert {len(assert_decoded(values).tree) % 2 for values in ([1, 2, 3], [1, 2])} == {0, 1}


def test_blocks_hold_no_more_cells_than_fit_in_two_bytes():
    header = assert_decoded(np.zeros(3 * MAX_BLOCK_CELLS + 5))
    sizes = np.frombuffer(header.sizes, "<u2").astype(int) + 1
    assert header.blocks >= 4
    assert sizes.max() <= MAX_BLOCK_CELLS


def test_the_last_entry_of_the_index_may_need_blocks_without_data():
    # One long block and a short rest: the place of the last entry lies behind the end.
    found = set()
    for length in (1_000_000, 1_100_000):
        header = assert_decoded(np.zeros(length))
        found.add(header.padding > 0)
    assert found == {False, True}


def test_many_different_values_leave_room_for_few_pairs():
    random = np.random.default_rng(1)
    values = np.concatenate([np.arange(4000), np.tile(random.integers(4000, size=500), 40)])
    assert len(assert_decoded(values).tree) == MAX_SYMBOLS


def test_symbols_are_not_deep():
    def depth(tree, symbol):
        left, right = tree[symbol]
        return 0 if right == 0xFFF else 1 + max(depth(tree, left), depth(tree, right))

    # Without a limit, pairs of pairs of Fibonacci words would grow by one level a pass.
    words = [[0], [0, 1]]
    while len(words[-1]) < 100_000:
        words.append(words[-1] + words[-2])
    tree = assert_decoded(words[-1]).tree.tolist()
    assert max(depth(tree, symbol) for symbol in range(len(tree))) <= 16


def test_a_single_value():
    header = header_of(single_value(3), 1000)
    np.testing.assert_array_equal(_decode(header), np.full(1000, 3))


def test_samples_of_more_order_are_thought_smaller():
    random = np.random.default_rng(2)
    noise = random.integers(5, size=50_000).astype(np.uint16)
    runs = np.repeat(random.integers(5, size=500), 100).astype(np.uint16)
    assert estimate_size(runs) < estimate_size(noise) / 10


@given(st.data())
def test_damage_is_found_or_decoded_to_something(data):
    values = np.tile(np.arange(50, dtype=np.uint16), 200)
    values[::7] = 3
    pairs = compress(values.copy(), largest_block=6)
    parts = [bytes([0]) + pairs.header, pairs.index, pairs.sizes, pairs.data]
    which = data.draw(st.integers(0, 3))
    place = data.draw(st.integers(0, len(parts[which]) - 1))
    changed = bytearray(parts[which])
    changed[place] ^= data.draw(st.integers(1, 255))
    parts[which] = bytes(changed)
    header = _Header(Color.WHITE, 0, KernelRecord(Counts(np.array([len(values)], dtype=np.int64))))
    try:
        cursor = _Cursor(parts[0])
        _read_pairs(cursor, header, is_wdl=False)
        header.index, header.sizes, header.data = parts[1:]
        found = _decode(header)
    except (CorruptTableError, ValueError, IndexError):
        return
    assert len(found) == len(values)


@pytest.mark.parametrize("largest_block", [5, 6, 10])
def test_blocks_are_no_larger_than_asked_for(largest_block):
    random = np.random.default_rng(3)
    assert_decoded(random.integers(256, size=20_000), largest_block)
