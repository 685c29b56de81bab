"""Syzygy files of any origin, read whole; damage is distinguished from other values.

It shares with `syzygy_writing` only the numbering of cells, and checks every number before use.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.core.board.geometry import Color
from tablebase.core.ground.errors import CorruptTableError
from tablebase.core.jit.instructions import work_space
from tablebase.core.jit.kernels import entry, hot_entry
from tablebase.core.jit.records import KernelRecord
from tablebase.core.rules.material import Material
from tablebase.core.storage.damage import check_regular
from tablebase.export.syzygy_games import named_file
from tablebase.export.syzygy_layout import (
    NO_ORDER,
    PAWN_FILES,
    Ordering,
    cell_count,
    leading_pawns,
    make_cells,
    men_on_board,
    piece_code,
)

MD5_SIZE = 16
# Flags of a table.
BLACK_TO_MOVE, MAPPED, EXACT_WINS, EXACT_LOSSES, WIDE_MAP, SINGLE = 1, 2, 4, 8, 16, 128
# The distance of every cell of a table with a single one, whatever it says, where captures are
# forced: so readers take it.
SINGLE_BY_FORCE = 1
_LEAF = 0xFFF
_LONGEST = 256  # cells of a symbol
_STACK = 2 * _LONGEST


@dataclass(frozen=True)
class Part:
    """A table of a file: a side to move, and with pawns a file of the leading pawn."""

    color: Color
    file: int  # of the leading pawn, 0 to 3; 0 without pawns
    flags: int
    cells: KernelRecord  # of `syzygy_layout.Cells`
    values: NDArray[np.uint16]  # [cells] a result, 0 to 4, or a distance as stored
    # stored distances by result: win, loss, cursed win, blessed loss; or empty
    maps: tuple[NDArray[np.uint16], ...]


@dataclass
class _Header:
    """The header of a part of a file."""

    color: Color
    file: int
    cells: KernelRecord
    flags: int = 0
    single: int = 0
    block_bits: int = 0
    index_bits: int = 0
    blocks: int = 0
    padding: int = 0
    first_symbols: NDArray[np.int64] = None  # type: ignore[assignment]  # [lengths]
    shortest: int = 0
    tree: NDArray[np.int64] = None  # type: ignore[assignment]  # [symbols, 2]
    maps: tuple[NDArray[np.uint16], ...] = ()
    index: bytes = b""
    sizes: bytes = b""
    data: bytes = b""


class _Cursor:
    """An offset in a file that moves on with reading."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.offset = 0

    def take(self, size: int) -> bytes:
        part = self.data[self.offset : self.offset + size]
        _require(len(part) == size, "it ends too early")
        self.offset += size
        return part

    def unpack(self, layout: str) -> tuple[int, ...]:
        return struct.unpack("<" + layout, self.take(struct.calcsize("<" + layout)))

    def align(self, size: int) -> None:
        self.offset += -self.offset % size


class _Coding(NamedTuple):
    """The coding of the blocks of a part, as arrays for kernels."""

    block_bits: int  # a block has 1 << block_bits bytes
    shortest: int  # code, in bits
    bases: NDArray[np.uint64]  # by code length, from the shortest on: see `_bases`
    first_symbols: NDArray[np.int64]  # by code length
    starts: NDArray[np.int64]  # [symbols + 1] where what a symbol stands for begins in `parts`
    parts: NDArray[np.uint16]  # cells


def read_syzygy(path: Path, *, name: Path | None = None) -> Iterator[Part]:
    """Read a file and yield its tables one by one, White to move first.

    `name` is what the file will be called. Raises `CorruptTableError` if it is damaged,
    `InvalidMaterialError` if the name is not one of a Syzygy file.
    """
    material, kind = named_file(name or path)
    check_regular(path)
    with _naming(path):
        data = path.read_bytes()
        _require(len(data) % 64 == MD5_SIZE, "its length is not one of a whole file")
        cursor = _Cursor(data[:-MD5_SIZE])
        _require(cursor.take(4) == kind.magic, "it does not begin as such files do")
        headers = _read_orderings(cursor, material, is_wdl=not kind.has_distances)
        _read_headers(cursor, headers, material, is_wdl=not kind.has_distances)
        cursor.align(64)
        _require(cursor.offset == len(cursor.data), "there is something after its end")
    for header in sorted(headers, key=lambda header: header.color):
        with _naming(path):
            values = _decode(header)
        yield Part(header.color, header.file, header.flags, header.cells, values, header.maps)


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Name the file in what is raised about it."""
    try:
        yield
    except (CorruptTableError, struct.error, IndexError, ValueError, OverflowError) as error:
        problem = str(error) if isinstance(error, CorruptTableError) else "it ends too early"
        message = f"{path} is damaged: {problem}; make it again, or fetch it again"
        raise CorruptTableError(message) from error


def _require(condition: object, problem: str) -> None:
    if not condition:
        raise CorruptTableError(problem)


def _read_orderings(cursor: _Cursor, material: Material, *, is_wdl: bool) -> list[_Header]:
    """Read which men come in which order, and return the parts with their numbering."""
    (kind,) = cursor.unpack("B")
    expected = material.piece_count << 4 | 2 * material.has_pawns | (not material.is_symmetric)
    _require(kind == expected, "its pieces are not those of its name")
    both = material.has_pawns and leading_pawns(material)[2] > 0
    sides = [Color.WHITE] if material.is_symmetric or not is_wdl else list(Color)
    headers = []
    for file in range(PAWN_FILES if material.has_pawns else 1):
        orders = cursor.unpack("BB" if both else "B")
        men = cursor.take(material.piece_count)
        for color in sides:
            shift = 4 * color
            nibbles = [order >> shift & 15 for order in orders]
            codes = [man >> shift & 15 for man in men]
            ordering = Ordering(_men_of(material, codes), nibbles[0], (*nibbles, NO_ORDER)[1])
            headers.append(_Header(color, file, make_cells(material, ordering, file)))
    cursor.align(2)
    return headers


def _men_of(material: Material, codes: list[int]) -> tuple[int, ...]:
    """Return positions in `Material.men` for the codes of men in files."""
    left = {man: piece_code(material, man) for man, _ in men_on_board(material)}
    men = []
    for code in codes:
        man = next((man for man, found in left.items() if found == code), None)
        _require(man is not None, "its pieces are not those of its name")
        assert man is not None
        del left[man]
        men.append(man)
    return tuple(men)


def _read_headers(
    cursor: _Cursor, headers: list[_Header], material: Material, *, is_wdl: bool
) -> None:
    """Read what comes before the data."""
    for header in headers:
        _read_pairs(cursor, header, is_wdl=is_wdl)
        if not is_wdl and header.flags & SINGLE and not material.rules.royal:
            header.single = SINGLE_BY_FORCE
        if not is_wdl and header.flags & BLACK_TO_MOVE:
            _require(not material.is_symmetric, "it has a side to move that no such file has")
            header.color = Color.BLACK
    if not is_wdl:
        for header in headers:
            if header.flags & MAPPED:
                header.maps = _read_maps(cursor, wide=bool(header.flags & WIDE_MAP))
        cursor.align(2)
    stored = [header for header in headers if not header.flags & SINGLE]
    for header in stored:
        cells = cell_count(header.cells)
        header.index = cursor.take(6 * -(-cells >> header.index_bits))
    for header in stored:
        header.sizes = cursor.take(2 * (header.blocks + header.padding))
    for header in stored:
        cursor.align(64)
        header.data = cursor.take(header.blocks << header.block_bits)


def _read_pairs(cursor: _Cursor, header: _Header, *, is_wdl: bool) -> None:
    """Read flags, sizes, code lengths and symbols of a part."""
    (header.flags,) = cursor.unpack("B")
    if header.flags & SINGLE:
        (header.single,) = cursor.unpack("B")
        _require(not is_wdl or header.single <= 4, "a result is none of the five")
        return
    header.block_bits, header.index_bits, header.padding, header.blocks = cursor.unpack("BBBI")
    longest, header.shortest = cursor.unpack("BB")
    _require(1 <= header.shortest <= longest <= 32, "its code lengths are impossible")
    _require(header.block_bits <= 16, "its blocks are too large")
    cells = cell_count(header.cells)
    _require(1 <= header.index_bits <= 40, "its index is impossible")
    _require(1 <= header.blocks <= cells, "its number of blocks is impossible")
    count = longest - header.shortest + 1
    header.first_symbols = np.frombuffer(cursor.take(2 * count), "<u2").astype(np.int64)
    (symbols,) = cursor.unpack("H")
    _require(1 <= symbols <= _LEAF, "its number of symbols is impossible")
    packed = np.frombuffer(cursor.take(3 * symbols), np.uint8).reshape(-1, 3).astype(np.int64)
    left = packed[:, 0] | (packed[:, 1] & 15) << 8
    right = packed[:, 1] >> 4 | packed[:, 2] << 4
    header.tree = np.ascontiguousarray(np.stack([left, right], axis=1))
    cursor.take(symbols % 2)
    _require(not is_wdl or left[right == _LEAF].max(initial=0) <= 4, "a result is none of the five")


def _read_maps(cursor: _Cursor, *, wide: bool) -> tuple[NDArray[np.uint16], ...]:
    if wide:
        cursor.align(2)
    maps = []
    for _ in range(4):
        (count,) = cursor.unpack("H" if wide else "B")
        values = np.frombuffer(cursor.take(count * (2 if wide else 1)), "<u2" if wide else "u1")
        maps.append(values.astype(np.uint16))
    return tuple(maps)


def _decode(header: _Header) -> NDArray[np.uint16]:
    """Return the contents of the cells of a part."""
    cells = cell_count(header.cells)
    if header.flags & SINGLE:
        return np.full(cells, header.single, dtype=np.uint16)
    sizes = np.frombuffer(header.sizes, "<u2").astype(np.int64) + 1
    starts = np.concatenate([[0], np.cumsum(sizes)])
    _require(starts[header.blocks] == cells, "its blocks do not hold as many positions as it has")
    _check_index(header, starts)
    symbol_starts = np.empty(len(header.tree) + 1, dtype=np.int64)
    parts = np.empty(len(header.tree) * _LONGEST, dtype=np.uint16)
    _require(_expand(header.tree, symbol_starts, parts), "its symbols are impossible")
    bases, first_symbols = _bases(header), header.first_symbols
    coding = _Coding(header.block_bits, header.shortest, bases, first_symbols, symbol_starts, parts)
    values = np.empty(cells, dtype=np.uint16)
    data = np.frombuffer(header.data, np.uint8)
    wrong = _decode_blocks(data, sizes[: header.blocks], KernelRecord(coding), values)
    _require(wrong < 0, f"block {wrong} cannot be decoded")
    return values


def _check_index(header: _Header, starts: NDArray[np.int64]) -> None:
    """Check that the index leads to the cells that it should."""
    index = np.frombuffer(header.index, dtype=[("block", "<u4"), ("offset", "<u2")])
    middles = (np.arange(len(index)) << header.index_bits) + (1 << (header.index_bits - 1))
    blocks = index["block"].astype(np.int64)
    _require(blocks.max(initial=0) < len(starts) - 1, "its index points beyond its end")
    found = starts[blocks] + index["offset"]
    _require((found == middles).all(), "its index points to the wrong places")


@entry
def _expand(tree, starts, found):
    """Write what each symbol stands for to `found` uint16, from `starts` int64 [symbols + 1] on.

    Returns whether no symbol is too long, which one that is part of itself would be.
    """
    stack = work_space(_STACK, np.int64)
    count = np.int64(0)
    for symbol in range(len(tree)):
        starts[symbol] = count
        stack[0] = symbol
        depth = 1
        length = 0
        while depth:
            depth -= 1
            top = stack[depth]
            if top >= len(tree):
                return False
            if tree[top, 1] == _LEAF:
                if length == _LONGEST:
                    return False
                found[count] = tree[top, 0]
                count += 1
                length += 1
                continue
            if depth + 2 + length > _LONGEST:
                return False
            stack[depth] = tree[top, 1]
            stack[depth + 1] = tree[top, 0]
            depth += 2
    starts[len(tree)] = count
    return True


def _bases(header: _Header) -> NDArray[np.uint64]:
    """Return the first code of each length, at the upper end of 64 bits."""
    first = header.first_symbols.tolist()
    bases, base = [0] * len(first), 0
    for i in range(len(first) - 2, -1, -1):
        count = first[i] - first[i + 1]
        _require(count >= 0, "its codes are impossible")
        base = (base + count) // 2
        _require(base < 1 << (header.shortest + i), "its codes are impossible")
        bases[i] = base << (64 - header.shortest - i)
    return np.array(bases, dtype=np.uint64)


@hot_entry
def _decode_blocks(data, sizes, coding, values):
    """Write the cells of all blocks to `values` uint16; return the block that is wrong, or -1.

    `data` uint8 [blocks << block_bits], `sizes` int64 cells of each block, `coding` a record of
    `_Coding`.
    """
    bases, shortest, starts, parts = coding.bases, coding.shortest, coding.starts, coding.parts
    cell = 0
    longest = shortest + len(bases) - 1
    for block in range(len(sizes)):
        bit = np.int64(block) << (coding.block_bits + 3)
        end = np.int64(block + 1) << (coding.block_bits + 3)
        last = cell + sizes[block]
        while cell < last:
            window = np.uint64(0)
            first = bit >> 3
            for k in range(8):
                window <<= np.uint64(8)
                if first + k < len(data):
                    window |= np.uint64(data[first + k])
            window <<= np.uint64(bit & 7)
            length = shortest
            while length < longest and window < bases[length - shortest]:
                length += 1
            if window < bases[length - shortest]:
                return block
            code = (window - bases[length - shortest]) >> np.uint64(64 - length)
            symbol = coding.first_symbols[length - shortest] + np.int64(code)
            bit += length
            if bit > end or symbol >= len(starts) - 1 or symbol < 0:
                return block
            # A writer may end a block with a symbol that is too long, if its code is shorter.
            for i in range(starts[symbol], min(starts[symbol + 1], starts[symbol] + last - cell)):
                values[cell] = parts[i]
                cell += 1
    return -1
