"""Instructions on bits, memory and work space: each does what its name says."""

import numpy as np
import pytest

from tablebase.core.jit import instructions
from tablebase.core.jit.kernels import kernel


@pytest.fixture
def rng():
    return np.random.default_rng(31)


def some_words(rng, count):
    return rng.integers(2**64, size=count, dtype=np.uint64)


@kernel
def word_results(word):
    return instructions.lowest_bit(word), instructions.count_bits(word)


def test_bits_of_words(rng):
    for word in [np.uint64(1), np.uint64(2**63), np.uint64(2**64 - 1), *some_words(rng, 50)]:
        number = int(word)
        lowest = (number & -number).bit_length() - 1
        assert word_results(word) == (lowest, number.bit_count())


@kernel
def touch(address, offset, value, counters):
    instructions.write_byte(address, offset, value)
    before = instructions.fetch_add(counters, np.int64(1), np.int64(5))
    return instructions.byte_at(address, offset + 1), before


def test_memory():
    memory = np.arange(10, dtype=np.uint8)
    counters = np.array([1, 2, 3])
    assert touch(memory.ctypes.data, 3, np.uint8(200), counters) == (4, 2)
    assert memory.tolist() == [0, 1, 2, 200, 4, 5, 6, 7, 8, 9]
    assert counters.tolist() == [1, 7, 3]


@kernel
def sums_of_work(numbers, result):
    space = instructions.work_space(40, np.uint8)[: len(numbers)]
    table = instructions.work_table(3, 5, np.int64)
    other = instructions.work_space(7, np.uint64)
    other[:] = np.uint64(9)
    for i in range(len(numbers)):
        space[i] = numbers[i]
    for row in range(3):
        for column in range(5):
            table[row, column] = 10 * row + column
    for i in range(len(numbers)):
        result[0] += space[i]
    for row in table:
        for number in row:
            result[1] += number
    result[2] = len(other) + other[0] + other[6]
    result[3] = table.shape[0] * 100 + table.shape[1]


def test_work_space_is_an_array_of_its_own():
    result = np.zeros(4, np.int64)
    for _ in range(3):
        result[:] = 0
        sums_of_work(np.arange(30, dtype=np.uint8), result)
        assert result.tolist() == [435, 180, 25, 305]
