"""Vector instructions: each does what its name says, by NumPy."""

import numpy as np
import pytest

from tablebase import _simd
from tablebase._jit import kernel


@pytest.fixture
def rng():
    return np.random.default_rng(31)


def some_words(rng, count):
    return rng.integers(2**64, size=count, dtype=np.uint64)


@kernel
def line_results(words, i, position, word, shift, out):
    line, other = _simd.load_line(words, i), _simd.load_line(words, i + 8)
    _simd.store_line(out, np.int64(0), line | other)
    _simd.store_line(out, np.int64(8), line & other)
    _simd.store_line(out, np.int64(16), line ^ other)
    _simd.store_line(out, np.int64(24), ~line)
    _simd.store_line(out, np.int64(32), _simd.shift_up(line, shift))
    _simd.store_line(out, np.int64(40), _simd.shift_down(line, shift))
    _simd.store_line(out, np.int64(48), _simd.words_up(line))
    _simd.store_line(out, np.int64(56), _simd.words_down(line))
    _simd.store_line(out, np.int64(64), _simd.reversed_words(line))
    _simd.store_line(out, np.int64(72), _simd.splat(word))
    _simd.store_line(out, np.int64(80), _simd.with_word(line, position, word))
    _simd.store_line(out, np.int64(88), _simd.empty_line())
    out[96] = _simd.word_of(line, position)
    out[97] = _simd.any_word(line)
    out[98] = _simd.any_word(_simd.empty_line())


def test_lines(rng):
    for _ in range(50):
        words = some_words(rng, 32)
        i, position, shift = (int(n) for n in rng.integers([1, 0, 0], [16, 8, 64]))
        word, out = some_words(rng, 1)[0], np.empty(99, dtype=np.uint64)
        line_results(words, i, position, word, shift, out)
        line, other = words[i : i + 8], words[i + 8 : i + 16]
        zero = np.zeros(1, dtype=np.uint64)
        replaced = line.copy()
        replaced[position] = word
        expected = [
            line | other,
            line & other,
            line ^ other,
            ~line,
            line << np.uint64(shift),
            line >> np.uint64(shift),
            np.concatenate([zero, line[:7]]),
            np.concatenate([line[1:], zero]),
            line[::-1],
            np.full(8, word),
            replaced,
            np.zeros(8, dtype=np.uint64),
            np.array([line[position], 1, 0], dtype=np.uint64),
        ]
        assert np.array_equal(out, np.concatenate(expected))


@kernel
def any_of(words):
    return _simd.any_word(_simd.load_line(words, np.int64(0)))


@kernel
def turned(words, i, out):
    _simd.prefetch(words, i + 10_000_000)  # never read: any place will do
    line = _simd.load_line(words, i)
    _simd.store_line(out, np.int64(0), _simd.reversed_bytes(line))
    _simd.store_line(out, np.int64(8), _simd.reversed_bits(line))


def test_lines_turned_byte_by_byte_and_bit_by_bit(rng):
    for i in range(9):
        words, out = some_words(rng, 16), np.empty(16, dtype=np.uint64)
        turned(words, i, out)
        line = words[i : i + 8]
        assert np.array_equal(out[:8], line.byteswap())
        bits = np.unpackbits(line.view(np.uint8), bitorder="little")
        assert np.array_equal(out[8:], np.packbits(bits, bitorder="big").view(np.uint64))


def test_any_word_sees_every_bit():
    for bit in range(512):
        words = np.zeros(8, dtype=np.uint64)
        words[bit // 64] = np.uint64(1) << np.uint64(bit % 64)
        assert any_of(words)


def bits_of(flags):
    return np.packbits(flags, bitorder="little").view(np.uint64)[0]


@kernel
def equal_bytes(row, i, code):
    return _simd.bytes_equal(row, i, code)


@kernel
def alike_bytes(row, i, other, j):
    return _simd.bytes_alike(row, i, other, j)


@kernel
def masked_bytes(row, i, mask):
    return _simd.bytes_with(row, i, mask)


@kernel
def change_rows(source, i, j, bits, code, written, raised):
    _simd.write_selected(written, i, bits, code)
    _simd.raise_selected(raised, i, source, j, bits)


def test_rows_of_bytes(rng):
    for _ in range(50):
        row, source = rng.integers(256, size=(2, 200)).astype(np.uint8)
        i, j = (int(n) for n in rng.integers(130, size=2))
        code, bits = row[i + int(rng.integers(64))], some_words(rng, 1)[0]
        assert equal_bytes(row, i, code) == bits_of(row[i : i + 64] == code)
        other = np.where(rng.random(200) < 0.5, row, source)
        alike = row[i : i + 64] == other[j : j + 64]
        assert alike_bytes(row, i, other, j) == bits_of(alike)
        assert alike_bytes(row, i, other, i) == bits_of(row[i : i + 64] == other[i : i + 64])
        assert masked_bytes(row, i, code) == bits_of(row[i : i + 64] & code != 0)
        written, raised = row.copy(), row.copy()
        change_rows(source, i, j, bits, code, written, raised)
        selected = np.unpackbits(bits.reshape(1).view(np.uint8), bitorder="little").astype(bool)
        expected = row.copy()
        expected[i : i + 64][selected] = code
        assert np.array_equal(written, expected)
        expected = row.copy()
        larger = np.maximum(row[i : i + 64], source[j : j + 64])
        expected[i : i + 64][selected] = larger[selected]
        assert np.array_equal(raised, expected)


@kernel
def word_results(word):
    return _simd.lowest_bit(word), _simd.count_bits(word)


def test_bits_of_words(rng):
    for word in [np.uint64(1), np.uint64(2**63), np.uint64(2**64 - 1), *some_words(rng, 50)]:
        number = int(word)
        lowest = (number & -number).bit_length() - 1
        assert word_results(word) == (lowest, number.bit_count())


@kernel
def touch(address, offset, value, counters):
    _simd.write_byte(address, offset, value)
    before = _simd.fetch_add(counters, np.int64(1), np.int64(5))
    return _simd.byte_at(address, offset + 1), before


def test_memory():
    memory = np.arange(10, dtype=np.uint8)
    counters = np.array([1, 2, 3])
    assert touch(memory.ctypes.data, 3, np.uint8(200), counters) == (4, 2)
    assert memory.tolist() == [0, 1, 2, 200, 4, 5, 6, 7, 8, 9]
    assert counters.tolist() == [1, 7, 3]


@kernel
def sums_of_work(numbers, result):
    space = _simd.work_space(40, np.uint8)[: len(numbers)]
    table = _simd.work_table(3, 5, np.int64)
    other = _simd.work_space(7, np.uint64)
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
