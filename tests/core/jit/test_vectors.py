"""Vector instructions: each does what its name says, by NumPy."""

import numpy as np
import pytest

from tablebase.core.jit import instructions, vectors
from tablebase.core.jit.kernels import kernel


@pytest.fixture
def rng():
    return np.random.default_rng(31)


def some_words(rng, count):
    return rng.integers(2**64, size=count, dtype=np.uint64)


@kernel
def line_results(words, i, position, word, shift, out):
    line, other = vectors.load_line(words, i), vectors.load_line(words, i + 8)
    vectors.store_line(out, np.int64(0), line | other)
    vectors.store_line(out, np.int64(8), line & other)
    vectors.store_line(out, np.int64(16), line ^ other)
    vectors.store_line(out, np.int64(24), ~line)
    vectors.store_line(out, np.int64(32), vectors.shift_up(line, shift))
    vectors.store_line(out, np.int64(40), vectors.shift_down(line, shift))
    vectors.store_line(out, np.int64(48), vectors.words_up(line))
    vectors.store_line(out, np.int64(56), vectors.words_down(line))
    vectors.store_line(out, np.int64(64), vectors.reversed_words(line))
    vectors.store_line(out, np.int64(72), vectors.splat(word))
    vectors.store_line(out, np.int64(80), vectors.empty_line())
    out[88] = vectors.word_of(line, position)
    out[89] = vectors.any_word(line)
    out[90] = vectors.any_word(vectors.empty_line())


def test_lines(rng):
    for _ in range(50):
        words = some_words(rng, 32)
        i, position, shift = (int(n) for n in rng.integers([1, 0, 0], [16, 8, 64]))
        word, out = some_words(rng, 1)[0], np.empty(91, dtype=np.uint64)
        line_results(words, i, position, word, shift, out)
        line, other = words[i : i + 8], words[i + 8 : i + 16]
        zero = np.zeros(1, dtype=np.uint64)
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
            np.zeros(8, dtype=np.uint64),
            np.array([line[position], 1, 0], dtype=np.uint64),
        ]
        assert np.array_equal(out, np.concatenate(expected))


@kernel
def any_of(words):
    return vectors.any_word(vectors.load_line(words, np.int64(0)))


@kernel
def turned(words, i, out):
    instructions.prefetch(words, i + 10_000_000)  # never read: any place will do
    line = vectors.load_line(words, i)
    vectors.store_line(out, np.int64(0), vectors.reversed_bytes(line))
    vectors.store_line(out, np.int64(8), vectors.reversed_bits(line))


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
    return vectors.bytes_equal(row, i, code)


@kernel
def masked_bytes(row, i, mask):
    return vectors.bytes_with(row, i, mask)


@kernel
def change_rows(source, i, j, bits, code, written, raised):
    vectors.write_selected(written, i, bits, code)
    vectors.raise_selected(raised, i, source, j, bits)


def test_rows_of_bytes(rng):
    for _ in range(50):
        row, source = rng.integers(256, size=(2, 200)).astype(np.uint8)
        i, j = (int(n) for n in rng.integers(130, size=2))
        code, bits = row[i + int(rng.integers(64))], some_words(rng, 1)[0]
        assert equal_bytes(row, i, code) == bits_of(row[i : i + 64] == code)
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
