"""The data sets of an open table file as compressed chunks; every byte of them is checked."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablebase.core.board.geometry import SIDES, Color
from tablebase.core.storage.chunks import CHECKSUM_SIZE, check_sum, unpack
from tablebase.core.storage.damage import FlawError, naming_damage, require
from tablebase.core.storage.datasets import chunk_size_of, open_dataset
from tablebase.core.storage.format import join_codes


class StoredChunks:
    """The data sets of a table file, `parts` by side to move, with `slots` codes in each."""

    def __init__(self, path: Path, file: Any, parts: Sequence[str], slots: int) -> None:
        self._path, self._file, self._parts, self._slots = path, file, parts, slots
        self._descriptor = file.get_vfd_handle()
        self._datasets: dict[tuple[str, Color], Any] = {}

    def dataset(self, color: Color, part: str) -> Any:
        """Return the data set of a side to move after checking all that reading relies on."""
        if (part, color) not in self._datasets:
            require(part in self._parts, f"there is no {part}")
            dataset = open_dataset(self._file, SIDES[color], part, self._slots)
            if (part, color) != (self._parts[0], Color.WHITE):
                same = chunk_size_of(dataset) == self.size
                require(same, "the data sets have different chunks")
            self._datasets[part, color] = dataset
        return self._datasets[part, color]

    def forget(self) -> None:
        """Close the data sets, as before the file is closed."""
        self._datasets.clear()

    @cached_property
    def size(self) -> int:
        """Number of codes in a chunk; the last one may hold fewer."""
        with naming_damage(self._path):
            return chunk_size_of(self.dataset(Color.WHITE, self._parts[0]))

    @property
    def count(self) -> int:
        """Number of chunks in a data set."""
        return -(-self._slots // self.size)

    def read(self, color: Color, number: int, part: str) -> bytes:
        """Return a chunk as it lies in the file."""
        info = self.dataset(color, part).get_chunk_info_by_coord((number * self.size,))
        return self.read_at(number, info.byte_offset, info.size, info.filter_mask)

    def read_at(self, number: int, offset: int | None, size: int, mask: int) -> bytes:
        """Return a chunk as it lies in the file at `offset`."""
        # Data that cannot be compressed grow by less than this.
        most = self.size + self.size // 1000 + 64
        if offset is None or mask or not CHECKSUM_SIZE < size <= most:
            raise FlawError(f"chunk {number} is not stored as it should be")
        data = os.pread(self._descriptor, size, offset)
        require(len(data) == size, f"chunk {number} is cut short")
        return data

    def unpacked(self, number: int, packed: Iterable[bytes]) -> NDArray[Any]:
        """Return the codes of a chunk from what lies in the file."""
        parts = [
            np.frombuffer(unpack(data, self.size), dtype=np.uint8)[
                : self._slots - number * self.size
            ]
            for data in packed
        ]
        return join_codes(parts)

    def extents(self, color: Color, part: str) -> list[tuple[int | None, int, int]]:
        """Return offset in the file, size and filter mask of all chunks in order."""
        nowhere: tuple[int | None, int, int] = (None, 0, 0)
        extents = [nowhere] * self.count

        def note(info: Any) -> None:
            number = info.chunk_offset[0] // self.size
            if number < len(extents):
                extents[number] = (info.byte_offset, info.size, info.filter_mask)

        with naming_damage(self._path):
            self.dataset(color, part).chunk_iter(note)
        return extents

    def stored(self, color: Color, part: str) -> Iterator[bytes]:
        """Yield the chunks of a data set as they lie in the file, checked by their checksums.

        Raises `CorruptTableError` if a chunk is damaged.
        """
        for number, extent in enumerate(self.extents(color, part)):
            with naming_damage(self._path):
                data = self.read_at(number, *extent)
                check_sum(data)
            yield data
