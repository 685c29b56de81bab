"""Pages: what is in memory, where it is, and that it stays within bounds."""

import ctypes
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from tablebase.core.board.geometry import Color
from tablebase.core.ground.errors import CorruptTableError
from tablebase.core.outcomes.metrics import DTZ, make_outcomes
from tablebase.core.reading.locate import PAGE_SIZE
from tablebase.core.reading.pages import PageCache
from tablebase.core.tables.table import fixed_outcomes

OUTCOMES = tuple(make_outcomes([one * sign for one in range(1, 200)]) for sign in (1, -1))


class FakeFile:
    path = Path("KRK.h5")

    def __init__(self, size, chunk_size):
        self.codes = np.random.default_rng(size).integers(0, 256, size, dtype=np.uint8)
        self.chunk_size = chunk_size
        self.reads = 0

    def outcomes(self, metric):
        return OUTCOMES if metric == DTZ else fixed_outcomes(metric)

    def chunk(self, color, number, _metric):
        self.reads += 1
        start = number * self.chunk_size
        return self.codes[start : start + self.chunk_size] ^ np.uint8(color)


@pytest.mark.parametrize("chunk_size", [1000, PAGE_SIZE, 3 * PAGE_SIZE + 5])
@pytest.mark.parametrize("size", [10, PAGE_SIZE, 5 * PAGE_SIZE + 17])
def test_pages_hold_the_codes_whatever_the_chunks(size, chunk_size):
    file = FakeFile(size, chunk_size)
    cache = PageCache(2**24)
    for color in Color:
        first = cache.add_side(file, color, size)
        pages = -(-size // PAGE_SIZE)
        joined = b"".join(cache.load(first + page) for page in range(pages))
        assert joined == (file.codes ^ np.uint8(color)).tobytes()


@pytest.mark.parametrize("size", [10, 5 * PAGE_SIZE + 17])
def test_pages_hold_outcomes_where_tables_have_codes_of_their_own(size):
    file = FakeFile(size, 1000)
    cache = PageCache(2**24, DTZ)
    for color in Color:
        first = cache.add_side(file, color, size)
        pages = range(first, first - -size // PAGE_SIZE)
        values = [value for page in pages for value in cache.load(page)]
        assert values == OUTCOMES[color][file.codes ^ np.uint8(color)].tolist()


def test_a_page_is_read_once_while_it_is_in_memory():
    file = FakeFile(2 * PAGE_SIZE, PAGE_SIZE)
    cache = PageCache(2**20)
    cache.add_side(file, Color.WHITE, 2 * PAGE_SIZE)
    assert cache.load(1) is cache.load(1)
    assert file.reads == 1


def test_the_oldest_pages_are_dropped():
    file = FakeFile(6 * PAGE_SIZE, PAGE_SIZE)
    cache = PageCache(3 * PAGE_SIZE)
    cache.add_side(file, Color.WHITE, 6 * PAGE_SIZE)
    for page in (0, 1, 2, 3, 4):
        cache.load(page)
    assert list(cache.pages) == [2, 3, 4]
    assert np.flatnonzero(cache.addresses).tolist() == [2, 3, 4]
    with ThreadPoolExecutor(2) as executor:
        cache.load_many([0, 1, 5], executor)
    assert list(cache.pages) == [0, 1, 5]


def test_a_chunk_is_read_once_for_all_its_pages():
    size = 10 * PAGE_SIZE + 5
    file = FakeFile(size, 4 * PAGE_SIZE)
    cache = PageCache(2**24)
    cache.add_side(file, Color.WHITE, 10)
    first = cache.add_side(file, Color.BLACK, size)
    cache.load(first + 5)
    assert sorted(cache.pages) == [first + 4, first + 5, first + 6, first + 7]
    assert cache.load(first + 7) is cache.pages[first + 7]
    assert file.reads == 1
    with ThreadPoolExecutor(2) as executor:
        cache.load_many([first + page for page in (0, 2, 3, 9, 10)], executor)
    assert file.reads == 3
    # Of many pages only those asked for are kept, as many as there is room for.
    assert first + 1 not in cache.pages
    for page in range(11):
        part = slice(page * PAGE_SIZE, (page + 1) * PAGE_SIZE)
        expected = file.codes[part] ^ np.uint8(Color.BLACK)
        assert cache.load(first + page) == expected.tobytes()


@pytest.mark.parametrize("capacity", [1, 2, 5])
def test_pages_of_a_chunk_stay_within_bounds(capacity):
    size = 8 * PAGE_SIZE
    cache = PageCache(capacity * PAGE_SIZE)
    cache.add_side(FakeFile(size, 4 * PAGE_SIZE), Color.WHITE, size)
    for page in (0, 5, 1, 7, 2):
        codes = cache.load(page)
        assert cache.pages[page] is codes
        assert len(cache.pages) <= capacity
        assert np.flatnonzero(cache.addresses).tolist() == sorted(cache.pages)


def test_addresses_point_to_the_codes():
    file = FakeFile(3 * PAGE_SIZE, PAGE_SIZE)
    cache = PageCache(0)
    cache.add_side(file, Color.WHITE, 3 * PAGE_SIZE)
    for page in range(3):
        codes = cache.load(page)
        assert ctypes.string_at(int(cache.addresses[page]), PAGE_SIZE) == codes
    assert len(cache.pages) == 1


def test_numbers_are_not_given_twice():
    cache = PageCache(2**20)
    file = FakeFile(PAGE_SIZE + 1, PAGE_SIZE)
    assert cache.add_side(file, Color.WHITE, PAGE_SIZE + 1) == 0
    cache.load(1)
    cache.clear()
    assert not cache.pages
    assert not cache.addresses.any()
    assert cache.add_side(file, Color.WHITE, PAGE_SIZE + 1) == 2


def test_missing_values_are_an_error():
    file = FakeFile(100, PAGE_SIZE)
    cache = PageCache(2**20)
    cache.add_side(file, Color.WHITE, 200)
    with pytest.raises(CorruptTableError, match=r"KRK\.h5"):
        cache.load(0)
