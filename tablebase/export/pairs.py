"""Compression by recursive pairing, as in Syzygy files.

The most frequent pairs of neighbours become symbols again and again (Larsson and Moffat, "Offline
dictionary-based compression", 1999); the rest is coded by canonical Huffman codes, in blocks that
are decoded separately, with an index from a cell to its block.
"""

from __future__ import annotations

import heapq
import struct
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tablebase.core.jit.kernels import hot_entry

MAX_SYMBOLS = 4095
MAX_LENGTH = 256  # cells of a symbol
MAX_DEPTH = 16  # of the tree of a symbol: the strictest reader allows no more
MAX_BLOCK_CELLS = 1 << 16
LEAF = 0xFFF
SINGLE = 0x80
_ROW = 1 << 12  # of the counts of pairs, by left symbol
_LEAST_FREQUENT = 8  # a symbol takes three bytes and a code
_PER_PASS = 250
_SAMPLE_SYMBOLS, _SAMPLE_LEAST_FREQUENT = 150, 20


@dataclass(frozen=True)
class Pairs:
    """A compressed table, in the parts that lie in different places of a file."""

    header: bytes  # without the flags, which come first
    index: bytes = b""  # where blocks begin
    sizes: bytes = b""  # number of cells of each block
    data: bytes = b""  # the blocks
    is_single: bool = False  # all cells hold one value, which the header has

    @property
    def size(self) -> int:
        """Bytes of all parts."""
        return len(self.header) + len(self.index) + len(self.sizes) + len(self.data)


@dataclass
class _Symbols:
    """The symbols made so far: pairs of symbols, or leaves."""

    left: NDArray[np.uint16]  # [MAX_SYMBOLS] for leaves the value
    right: NDArray[np.uint16]  # [MAX_SYMBOLS] `LEAF` for leaves
    length: NDArray[np.int64]  # [MAX_SYMBOLS] cells
    depth: NDArray[np.int64]  # [MAX_SYMBOLS]
    count: int = 0

    @classmethod
    def of_values(cls, values: NDArray[np.intp]) -> _Symbols:
        """Return a leaf for each value."""
        symbols = cls(
            np.zeros(MAX_SYMBOLS, dtype=np.uint16),
            np.full(MAX_SYMBOLS, LEAF, dtype=np.uint16),
            np.ones(MAX_SYMBOLS, dtype=np.int64),
            np.zeros(MAX_SYMBOLS, dtype=np.int64),
            len(values),
        )
        symbols.left[: len(values)] = values
        return symbols

    def add(self, left: int, right: int) -> int:
        """Make a symbol of two symbols and return its number."""
        number = self.count
        self.left[number], self.right[number] = left, right
        self.length[number] = self.length[left] + self.length[right]
        self.depth[number] = 1 + max(self.depth[left], self.depth[right])
        self.count += 1
        return number


def compress(values: NDArray[np.uint16], *, largest_block: int) -> Pairs:
    """Compress the values of cells, which are written over.

    Blocks have at most ``2 ** largest_block`` bytes, 5 to 10: small blocks are decoded faster.
    """
    cells = len(values)
    tokens, leaves = _as_tokens(values)
    symbols = _Symbols.of_values(leaves)
    tokens = _make_symbols(tokens, symbols, MAX_SYMBOLS, _LEAST_FREQUENT)
    frequencies = _frequencies(tokens, symbols.count)
    bits = _code_lengths(frequencies)
    lengths = symbols.length[: symbols.count]
    sizes = np.empty(len(tokens), dtype=np.int64)
    total = {
        block: _size_of(cells, _cut_blocks(tokens, bits, lengths, 8 << block, sizes), block)
        for block in range(5, largest_block + 1)
        if 8 << block >= bits.max()
    }
    block_bits = min(total, key=total.__getitem__)
    blocks = _cut_blocks(tokens, bits, lengths, 8 << block_bits, sizes)
    order = np.lexsort((np.arange(symbols.count), -bits))  # symbols by number in the file
    codes, first_symbols = _canonical_codes(bits, order)
    data = np.zeros(blocks << block_bits, dtype=np.uint8)
    _write_blocks(tokens, bits, lengths, codes, 8 << block_bits, data)
    index_bits = _index_bits(cells, blocks)
    index, padding = _make_index(cells, sizes[:blocks], index_bits)
    every_size = np.concatenate([sizes[:blocks] - 1, np.full(padding, MAX_BLOCK_CELLS - 1)])
    header = struct.pack("<BBBI", block_bits, index_bits, padding, blocks)
    header += struct.pack("<BB", bits.max(), bits[bits > 0].min())
    header += first_symbols.astype("<u2").tobytes()
    header += struct.pack("<H", symbols.count) + _tree(symbols, order)
    header += b"\0" * (symbols.count % 2)
    return Pairs(header, index, every_size.astype("<u2").tobytes(), data.tobytes())


def _as_tokens(values: NDArray[np.uint16]) -> tuple[NDArray[np.uint16], NDArray[np.intp]]:
    """Return values as numbers of leaves, the most frequent first, and the value of each leaf."""
    frequencies = _frequencies(values, 1 << 16)
    leaves = np.flatnonzero(frequencies)
    leaves = leaves[np.argsort(-frequencies[leaves], kind="stable")]
    numbers = np.zeros(len(frequencies), dtype=np.uint16)
    numbers[leaves] = np.arange(len(leaves))
    _rename(values, numbers)
    return values, leaves


def _frequencies(values: NDArray[np.uint16], size: int) -> NDArray[np.int64]:
    """Return the number of occurrences of each value below `size`."""
    found = np.zeros(size, dtype=np.int64)
    _count(values, found)
    return found


@hot_entry
def _count(values, found):
    """Count how often each of `values` uint16 [n] occurs; numpy would make wide copies of them."""
    for value in values:
        found[value] += 1


@hot_entry
def _rename(values, names):
    """Replace each of `values` uint16 [n] by its name."""
    for i in range(len(values)):
        values[i] = names[values[i]]


def _make_symbols(
    tokens: NDArray[np.uint16], symbols: _Symbols, most: int, least: int
) -> NDArray[np.uint16]:
    """Pair tokens until there are `most` symbols or no pair is frequent; return what is left."""
    counts = np.zeros(_ROW * _ROW, dtype=np.uint32)
    pairs, numbers = np.empty(1 << 18, dtype=np.int64), np.empty(1 << 18, dtype=np.int64)
    while symbols.count < most and len(tokens) > 1:
        _count_pairs(tokens, counts)
        found = _collect_pairs(tokens, counts, least, pairs, numbers)
        chosen = _choose_pairs(symbols, pairs[:found], numbers[:found])
        if not chosen:
            break
        for pair in chosen:
            counts[pair] = symbols.add(*divmod(pair, _ROW)) + 1
        tokens = tokens[: _replace_pairs(tokens, counts)]
        counts[chosen] = 0
    return tokens


@hot_entry
def _count_pairs(tokens, counts):
    """Count neighbours in `tokens` uint16 [n]; in a row of equal ones, every other pair counts."""
    previous = np.int64(-1)
    for i in range(len(tokens) - 1):
        pair = np.int64(tokens[i]) * _ROW + tokens[i + 1]
        if pair == previous:
            previous = np.int64(-1)
            continue
        counts[pair] += 1
        previous = pair if tokens[i] == tokens[i + 1] else np.int64(-1)


@hot_entry
def _collect_pairs(tokens, counts, least, pairs, numbers):
    """Zero the counts, and list the pairs with at least `least`; return their number."""
    found = 0
    for i in range(len(tokens) - 1):
        pair = np.int64(tokens[i]) * _ROW + tokens[i + 1]
        number = counts[pair]
        if number:
            counts[pair] = 0
            if number >= least and found < len(pairs):
                pairs[found], numbers[found] = pair, number
                found += 1
    return found


def _choose_pairs(
    symbols: _Symbols, pairs: NDArray[np.int64], numbers: NDArray[np.int64]
) -> list[int]:
    """Return the pairs to be replaced in one pass, such that no two pairs can overlap."""
    if len(pairs) > 8 * _PER_PASS:
        best = np.argpartition(-numbers, 8 * _PER_PASS)[: 8 * _PER_PASS]
        pairs, numbers = pairs[best], numbers[best]
    order = np.lexsort((pairs, -numbers))
    lefts, rights, chosen = set[int](), set[int](), []
    room = min(_PER_PASS, MAX_SYMBOLS - symbols.count)
    for pair in pairs[order].tolist():
        left, right = divmod(pair, _ROW)
        if (
            left in rights
            or right in lefts
            or symbols.length[left] + symbols.length[right] > MAX_LENGTH
            or max(symbols.depth[left], symbols.depth[right]) >= MAX_DEPTH
        ):
            continue
        chosen.append(pair)
        lefts.add(left)
        rights.add(right)
        if len(chosen) == room:
            break
    return chosen


@hot_entry
def _replace_pairs(tokens, symbols):
    """Replace neighbours by their symbol, where `symbols` has one less 1; return the new length."""
    n = 0
    i = 0
    last = len(tokens) - 1
    while i < last:
        symbol = symbols[np.int64(tokens[i]) * _ROW + tokens[i + 1]]
        if symbol:
            tokens[n] = symbol - 1
            i += 2
        else:
            tokens[n] = tokens[i]
            i += 1
        n += 1
    if i == last:
        tokens[n] = tokens[i]
        n += 1
    return n


def _code_lengths(frequencies: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the length of the Huffman code of each symbol, 0 for symbols that do not occur."""
    used = np.flatnonzero(frequencies)
    lengths = np.zeros(len(frequencies), dtype=np.int64)
    if len(used) == 1:
        lengths[used] = 1
        return lengths
    # Ties by the order of making, so that codes are short and files always the same.
    heap = [(int(frequencies[symbol]), i, i) for i, symbol in enumerate(used)]
    heapq.heapify(heap)
    parents = np.zeros(2 * len(used) - 1, dtype=np.int64)
    for node in range(len(used), 2 * len(used) - 1):
        first, second = heapq.heappop(heap), heapq.heappop(heap)
        parents[first[2]] = parents[second[2]] = node
        heapq.heappush(heap, (first[0] + second[0], node, node))
    depths = np.zeros(len(parents), dtype=np.int64)
    for node in range(len(parents) - 2, -1, -1):
        depths[node] = depths[parents[node]] + 1
    lengths[used] = depths[: len(used)]
    return lengths


def _size_of(cells: int, blocks: int, block_bits: int) -> int:
    return blocks * ((1 << block_bits) + 2) + 6 * -(-cells >> _index_bits(cells, blocks))


def _index_bits(cells: int, blocks: int) -> int:
    """Return the binary logarithm of how many cells share an entry of the index."""
    bits = (cells // blocks).bit_length() + 4
    while bits > 1 and 1 << (bits - 1) > cells:
        bits -= 1
    return bits


@hot_entry
def _cut_blocks(tokens, bits, cells, capacity, sizes):
    """Write how many cells each block has to `sizes` int64; return how many blocks there are.

    `bits` and `cells` int64 are those of each symbol, `capacity` the bits of a block.
    """
    blocks = 0
    used = held = np.int64(0)
    for token in tokens:
        if used + bits[token] > capacity or held + cells[token] > MAX_BLOCK_CELLS:
            sizes[blocks] = held
            blocks += 1
            used = held = np.int64(0)
        used += bits[token]
        held += cells[token]
    sizes[blocks] = held
    return blocks + 1


def _canonical_codes(
    bits: NDArray[np.int64], order: NDArray[np.intp]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the code of each symbol, and the first symbol (by number) of each code length.

    Longer codes have smaller numbers, as symbols and as codes.
    """
    used = bits > 0
    shortest, longest = int(bits[used].min()), int(bits.max())
    number = np.argsort(order)
    codes = np.zeros(len(bits), dtype=np.int64)
    first = np.zeros(longest - shortest + 1, dtype=np.int64)
    base, before = 0, 0
    for length in range(longest, shortest - 1, -1):
        same = bits == length
        first[length - shortest] = before
        codes[same] = base + number[same] - before
        base = (base + int(same.sum())) // 2
        before += int(same.sum())
    return codes, first


@hot_entry
def _write_blocks(tokens, bits, cells, codes, capacity, data):
    """Write the codes of tokens to `data` uint8 [blocks * capacity / 8], zero at first."""
    block = np.int64(0)
    used = held = np.int64(0)
    for token in tokens:
        if used + bits[token] > capacity or held + cells[token] > MAX_BLOCK_CELLS:
            block += 1
            used = held = np.int64(0)
        bit = block * capacity + used
        for i in range(bits[token]):
            if codes[token] >> (bits[token] - 1 - i) & 1:
                data[(bit + i) >> 3] |= np.uint8(128 >> ((bit + i) & 7))
        used += bits[token]
        held += cells[token]


def _make_index(cells: int, sizes: NDArray[np.int64], bits: int) -> tuple[bytes, int]:
    """Return the index, and how many blocks without data its last entry needs."""
    entries = -(-cells >> bits)
    middles = (np.arange(entries) << bits) + (1 << (bits - 1))
    starts = np.concatenate([[0], np.cumsum(sizes)])
    missing = max(0, int(middles[-1]) + 1 - int(starts[-1]))
    padding = -(-missing // MAX_BLOCK_CELLS)
    starts = np.concatenate([starts, starts[-1] + MAX_BLOCK_CELLS * np.arange(1, padding + 1)])
    blocks = np.searchsorted(starts, middles, side="right") - 1
    index = np.empty(entries, dtype=[("block", "<u4"), ("offset", "<u2")])
    index["block"], index["offset"] = blocks, middles - starts[blocks]
    return index.tobytes(), padding


def _tree(symbols: _Symbols, order: NDArray[np.intp]) -> bytes:
    """Return the symbols as in a file, two numbers of 12 bits each, in their new order."""
    number = np.argsort(order).astype(np.uint16)
    left, right = symbols.left[: symbols.count], symbols.right[: symbols.count]
    is_leaf = right == LEAF
    left = np.where(is_leaf, left, number[np.where(is_leaf, 0, left)])[order]
    right = np.where(is_leaf, LEAF, number[np.where(is_leaf, 0, right)])[order]
    packed = np.empty((symbols.count, 3), dtype=np.uint8)
    packed[:, 0] = left & 255
    packed[:, 1] = left >> 8 | (right & 15) << 4
    packed[:, 2] = right >> 4
    return packed.tobytes()


def estimate_size(values: NDArray[np.uint16]) -> float:
    """Return about how many bytes a sample of a table takes; `values` are written over.

    That is the entropy after as many pairings as distinguish good orders of a table from bad ones.
    """
    tokens, leaves = _as_tokens(values)
    symbols = _Symbols.of_values(leaves)
    tokens = _make_symbols(tokens, symbols, len(leaves) + _SAMPLE_SYMBOLS, _SAMPLE_LEAST_FREQUENT)
    found = _frequencies(tokens, symbols.count)
    found = found[found > 0]
    return float((found * np.log2(len(tokens) / found)).sum()) / 8


def single_value(value: int) -> Pairs:
    """Return a table whose cells all hold one value."""
    return Pairs(bytes([value]), is_single=True)
