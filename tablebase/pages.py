"""The part of table files that is kept in memory: decompressed pages, the oldest dropped first."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from tablebase.errors import CorruptTableError
from tablebase.locate import PAGE_SIZE

if TYPE_CHECKING:
    from concurrent.futures import Executor
    from pathlib import Path

    from numpy.typing import NDArray

    from tablebase.geometry import Color


class ChunkSource(Protocol):
    """What is needed of a table file: its values in compressed chunks."""

    @property
    def path(self) -> Path:
        """The file."""

    @property
    def chunk_size(self) -> int:
        """Codes in each chunk, the last one may be shorter."""

    def chunk(self, color: Color, number: int) -> bytes | NDArray[np.uint8]:
        """Return the codes of one chunk of a side to move, as bytes."""


@dataclass(frozen=True)
class _Side:
    """The values of one side to move of one table."""

    file: ChunkSource
    color: Color
    size: int


class PageCache:
    """Pages of any number of tables, numbered through.

    Only looking up `pages` is safe without a lock. A page is never changed, so whoever has it
    may go on reading it after it is dropped.

    Parameters
    ----------
    capacity
        Most bytes of values to keep; at least one page is kept.

    Attributes
    ----------
    pages : dict[int, bytes]
        The codes of the pages in memory, in the order of loading.
    addresses : NDArray[np.int64]
        The memory address of each page, 0 if it is not in memory, shape [pages or more].
    """

    def __init__(self, capacity: int) -> None:
        self.capacity = max(1, capacity // PAGE_SIZE)
        self.pages: dict[int, bytes] = {}
        self.addresses: NDArray[np.int64] = np.zeros(1, dtype=np.int64)
        self.count = 0
        self._starts: list[int] = []
        self._sides: list[_Side] = []

    def add_side(self, file: ChunkSource, color: Color, size: int) -> int:
        """Make room for the values of one side to move and return the number of its first page.

        Parameters
        ----------
        file
            Where the values are.
        color
            Side to move.
        size
            Number of values.
        """
        first = self.count
        self._starts.append(first)
        self._sides.append(_Side(file, color, size))
        self.count += -(-size // PAGE_SIZE)
        if self.count > len(self.addresses):
            grown = np.zeros(2 * self.count, dtype=np.int64)
            grown[: len(self.addresses)] = self.addresses
            self.addresses = grown
        return first

    def load(self, page: int) -> bytes:
        """Return a page, reading it from its file if it is not in memory.

        Raises
        ------
        CorruptTableError
            If the file is damaged.
        """
        found = self.pages.get(page)
        if found is not None:
            return found
        codes = self._read(page)
        self._keep(page, codes)
        return codes

    def load_many(self, pages: list[int], executor: Executor) -> None:
        """Load pages that are not in memory, at most `capacity`; all of them are there after it.

        Raises
        ------
        CorruptTableError
            If a file is damaged.
        """
        for page, codes in zip(pages, executor.map(self._read, pages), strict=True):
            self._keep(page, codes)

    def _keep(self, page: int, codes: bytes) -> None:
        while len(self.pages) >= self.capacity:
            oldest = next(iter(self.pages))
            self.addresses[oldest] = 0
            del self.pages[oldest]
        self.addresses[page] = np.frombuffer(codes, dtype=np.uint8).ctypes.data
        self.pages[page] = codes

    def _read(self, page: int) -> bytes:
        number = bisect_right(self._starts, page) - 1
        side = self._sides[number]
        start = (page - self._starts[number]) * PAGE_SIZE
        stop = min(start + PAGE_SIZE, side.size)
        chunk_size = side.file.chunk_size
        first = start // chunk_size
        chunks = range(first, -(-stop // chunk_size))
        joined = b"".join(_bytes(side.file.chunk(side.color, n)) for n in chunks)
        codes = joined[start - first * chunk_size : stop - first * chunk_size]
        if len(codes) != stop - start:
            raise CorruptTableError(f"{side.file.path}: values are missing, the file is cut short")
        return codes

    def clear(self) -> None:
        """Forget all tables; numbers of pages are not given again."""
        self.pages.clear()
        self.addresses[:] = 0
        self._starts.clear()
        self._sides.clear()


def _bytes(codes: bytes | NDArray[np.uint8]) -> bytes:
    return codes if isinstance(codes, bytes) else codes.tobytes()
