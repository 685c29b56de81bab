"""The layout of a Gaviota file, and the compression of its blocks.

After a header and the offsets come the blocks with White, then with Black to move, of the bytes of
16,384 cells or the rest; each is compressed by LZMA, behind two bytes and an ``.lzma`` header.
"""

from __future__ import annotations

import lzma
import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablebase.core.board.geometry import Color

BLOCK_CELLS = 1 << 14
MAX_BLOCK_SIZE = 1 << 16  # bytes, compressed: what readers have room for
_HEADER = struct.Struct("<10I")
_COMPRESSION = 4  # LZMA
_BLOCK_HEADER = struct.Struct("<BBBIQ")
_UNKNOWN_SIZE = (1 << 64) - 1  # an end mark follows
_PROPERTIES, _DICTIONARY_SIZE = 0x5D, 1 << 12  # lc 3, lp 0, pb 2
# Preset 3, the quick mode, packs 9 to 15 MB/s on one core. Measured on six four-man tables, 6
# makes 7 to 14 % less at 2 to 3 MB/s, 9 with "extreme" no less than 6, and 4 makes 6 to 11 % less
# at 3 to 4 MB/s. Files are up to 8 % larger than the same values packed by preset 9 with illegal
# cells left as they are, as in the official ones.
_FILTERS: list[dict[str, Any]] = [
    {
        "id": lzma.FILTER_LZMA1,
        "preset": 3,
        "dict_size": _DICTIONARY_SIZE,
        "lc": 3,
        "lp": 0,
        "pb": 2,
    }
]


def make_header(cells: int) -> bytes:
    """Return the beginning of a file, up to the offsets, by the number of cells for each side."""
    rest = cells % BLOCK_CELLS
    return _HEADER.pack(
        0, 0, BLOCK_CELLS, 0, rest, 0, rest, 0, header_size(cells), _COMPRESSION
    )  # fmt: skip


def header_size(cells: int) -> int:
    """Return the bytes before the first block."""
    return _HEADER.size + 4 * (2 * block_count(cells) + 1)


def block_count(cells: int) -> int:
    """Return the number of blocks for the cells of a side to move."""
    return -(-cells // BLOCK_CELLS)


def pack_block(values: NDArray[np.uint8]) -> bytes:
    """Return the bytes of some cells as a block."""
    return b"\0\0" + lzma.compress(values.tobytes(), format=lzma.FORMAT_ALONE, filters=_FILTERS)


def unpack_block(data: bytes, size: int, color: Color) -> bytes:
    """Return the bytes, `size`, of the cells in a block; `ValueError` if it is damaged.

    Never are more than `size` bytes made of it.
    """
    if len(data) < _BLOCK_HEADER.size:
        raise ValueError("it is cut short")
    kind, filtered, properties, dictionary, stated = _BLOCK_HEADER.unpack_from(data)
    # Official files mark a side's last block, if it is a short one, by the side.
    kinds = (0,) if size == BLOCK_CELLS else (0, color + 1)
    if (
        kind not in kinds
        or (filtered, properties, dictionary) != (0, _PROPERTIES, _DICTIONARY_SIZE)
        or stated not in (size, _UNKNOWN_SIZE)
    ):
        raise ValueError("it does not begin as LZMA of this kind does")
    decompressor = lzma.LZMADecompressor(format=lzma.FORMAT_ALONE)
    try:
        values = decompressor.decompress(data[2:], max_length=size + 1)
    except (lzma.LZMAError, EOFError) as error:
        raise ValueError(f"LZMA refuses it: {error}") from error
    if len(values) != size or not decompressor.eof or decompressor.unused_data:
        raise ValueError(f"it is not {size} cells")
    return values
