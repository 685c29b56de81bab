"""Gaviota files of any origin: everything that reading relies on is checked first."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tablebase.core.board.geometry import Color
from tablebase.core.ground.closing import Closing
from tablebase.core.ground.errors import CorruptTableError, InvalidMaterialError
from tablebase.core.rules.material import Material
from tablebase.core.storage.damage import check_regular
from tablebase.export.gaviota_blocks import (
    BLOCK_CELLS,
    MAX_BLOCK_SIZE,
    block_count,
    header_size,
    make_header,
    unpack_block,
)
from tablebase.export.gaviota_index import GAVIOTA_SUFFIX, cell_count, gaviota_name


def gaviota_material(path: Path) -> Material:
    """Return the material that a Gaviota file is named after, or raise `InvalidMaterialError`.

    >>> gaviota_material(Path("tables/krkp.gtb.cp4"))
    Material('KRKP')
    """
    try:
        material = Material.from_name(path.name.removesuffix(GAVIOTA_SUFFIX))
        if gaviota_name(material) == path.name:
            return material
    except InvalidMaterialError:
        pass
    raise InvalidMaterialError(
        f"{path} is not named as a Gaviota table compressed by LZMA: "
        f"name it by its material in small letters, the stronger side first, "
        f"like krkp{GAVIOTA_SUFFIX}"
    )


class GaviotaFile(Closing):
    """An open Gaviota file compressed by LZMA, with `cells` and `blocks` for each side to move.

    Raises `MissingTableError` without the file, `CorruptTableError` if it is something else.
    """

    def __init__(self, path: Path, material: Material) -> None:
        self.path = path
        self.cells = cell_count(material)
        self.blocks = block_count(self.cells)
        check_regular(path)
        self._file = path.open("rb")
        try:
            self._offsets = self._read_offsets()
        except BaseException:
            self._file.close()
            raise

    def close(self) -> None:
        """Close the file; nothing happens if it is closed."""
        self._file.close()

    def _damaged(self, reason: str) -> CorruptTableError:
        return CorruptTableError(f"{self.path} is damaged or not a Gaviota table: {reason}")

    def _read_offsets(self) -> NDArray[np.int64]:
        """Return the beginnings of the blocks, and the end of the last block."""
        expected = make_header(self.cells)
        size = header_size(self.cells)
        header = self._file.read(size)
        if header[: len(expected)] != expected[: len(header)]:
            raise self._damaged("it does not begin as one of this material does")
        if len(header) < size:
            raise self._damaged("it ends before its first block")
        offsets = np.frombuffer(header, dtype="<u4", offset=len(expected)).astype(np.int64)
        end = os.fstat(self._file.fileno()).st_size
        if offsets[0] != size:
            raise self._damaged(f"its blocks begin at {offsets[0]}, not at {size}")
        sizes = np.diff(offsets)
        wrong = np.flatnonzero((sizes <= 0) | (sizes > MAX_BLOCK_SIZE))
        if len(wrong):
            raise self._damaged(f"block {wrong[0]} would have {sizes[wrong[0]]} bytes")
        if offsets[-1] != end:
            raise self._damaged(f"its blocks end at {offsets[-1]}, the file at {end}")
        return offsets

    def values(self, color: Color, first: int, last: int) -> NDArray[np.uint8]:
        """Return the bytes of the cells in blocks `first` to `last` - 1 of a side to move.

        Raises `CorruptTableError` if a block is damaged.
        """
        offsets = self._offsets[color * self.blocks + first : color * self.blocks + last + 1]
        start = int(offsets[0])
        data = os.pread(self._file.fileno(), int(offsets[-1]) - start, start)
        values = []
        for block in range(first, last):
            begin, end = (offsets[block - first : block - first + 2] - start).tolist()
            size = min(BLOCK_CELLS, self.cells - block * BLOCK_CELLS)
            try:
                values.append(unpack_block(data[begin:end], size, color))
            except ValueError as error:
                raise self._damaged(f"block {color * self.blocks + block}: {error}") from error
        return np.frombuffer(b"".join(values), dtype=np.uint8)
