"""The part of table files that is kept in memory: decompressed pages, the oldest dropped first."""

from __future__ import annotations

from bisect import bisect_right
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from tablebase.core.board.geometry import Color
from tablebase.core.outcomes.metrics import DTM, Metric
from tablebase.core.reading.locate import PAGE_SIZE
from tablebase.core.storage.damage import damaged
from tablebase.core.tables.table import Outcomes

Page = bytes | memoryview


class ChunkSource(Protocol):
    """A table file, or an object with its compressed chunks of codes."""

    @property
    def path(self) -> Path:
        """The file."""

    @property
    def chunk_size(self) -> int:
        """Codes in each chunk; the last chunk may be shorter."""

    def chunk(self, color: Color, number: int, metric: Metric) -> NDArray[Any]:
        """Return the codes of one chunk of a side to move, uint8 or uint16."""

    def outcomes(self, metric: Metric) -> Outcomes:
        """Return the outcomes of the codes of a metric, with White and with Black to move."""


@dataclass(frozen=True)
class _Side:
    """The values of one side to move of one table."""

    file: ChunkSource
    color: Color
    size: int
    outcomes: NDArray[np.int16]  # by code


class _Span(NamedTuple):
    """Some chunks of one side to move."""

    side: int
    first: int
    stop: int


class PageCache:
    """Pages of any number of tables, numbered consecutively; at most `capacity` bytes, or one page.

    `pages`, in the order of loading, may be read without a lock, and never change. `addresses`
    int64 are 0 for pages not in memory, negative for values of two bytes. If
    `meanings` int16 is empty, values are outcomes; else they are codes, and it has their outcomes.
    """

    def __init__(self, capacity: int, metric: Metric = DTM) -> None:
        self._metric = metric
        shared = metric.outcomes if metric.long_outcomes is None else metric.long_outcomes
        self.meanings = np.zeros(0, dtype=np.int16) if shared is None else shared
        self.capacity = max(1, capacity // (PAGE_SIZE * (2 if metric.outcomes is None else 1)))
        self.pages: dict[int, Page] = {}
        self.addresses: NDArray[np.int64] = np.zeros(1, dtype=np.int64)
        self.count = 0
        self._starts: list[int] = []
        self._sides: list[_Side] = []

    def add_side(self, file: ChunkSource, color: Color, size: int) -> int:
        """Make room for the values of one side to move, and return the number of its first page."""
        first = self.count
        self._starts.append(first)
        outcomes = file.outcomes(self._metric)[color]
        self._sides.append(_Side(file, color, size, outcomes))
        self.count += -(-size // PAGE_SIZE)
        if self.count > len(self.addresses):
            grown = np.zeros(2 * self.count, dtype=np.int64)
            grown[: len(self.addresses)] = self.addresses
            self.addresses = grown
        return first

    def load(self, page: int) -> Page:
        """Return a page, which is read from its file if it is not in memory.

        Raises `CorruptTableError` if the file is damaged.
        """
        found = self.pages.get(page)
        if found is not None:
            return found
        read = self._read(self._span(page))
        codes = read.pop(page)
        # Others of the same chunk come with it; the page itself is the last to be dropped.
        for other in list(read.keys() - self.pages.keys())[: self.capacity - 1]:
            self._keep(other, read[other])
        self._keep(page, codes)
        return codes

    def load_many(self, pages: list[int], executor: Executor) -> None:
        """Load pages that are not in memory, at most `capacity`; all of them stay until it returns.

        Raises `CorruptTableError` if a file is damaged.
        """
        wanted: dict[_Span, list[int]] = {}
        for page in pages:
            wanted.setdefault(self._span(page), []).append(page)
        for read, here in zip(executor.map(self._read, wanted), wanted.values(), strict=True):
            for page in here:
                self._keep(page, read[page])

    def _keep(self, page: int, codes: Page) -> None:
        while len(self.pages) >= self.capacity:
            oldest = next(iter(self.pages))
            self.addresses[oldest] = 0
            del self.pages[oldest]
        address = np.frombuffer(codes, dtype=np.uint8).ctypes.data
        self.addresses[page] = address if isinstance(codes, bytes) else -address
        self.pages[page] = codes

    def _span(self, page: int) -> _Span:
        """Return the chunks that a page lies in."""
        number = bisect_right(self._starts, page) - 1
        side = self._sides[number]
        start = (page - self._starts[number]) * PAGE_SIZE
        stop = min(start + PAGE_SIZE, side.size)
        chunk_size = side.file.chunk_size
        return _Span(number, start // chunk_size, -(-stop // chunk_size))

    def _read(self, span: _Span) -> dict[int, Page]:
        """Return by number the pages that lie wholly in some chunks."""
        side, first_page = self._sides[span.side], self._starts[span.side]
        numbers = range(span.first, span.stop)
        chunks = [side.file.chunk(side.color, number, self._metric) for number in numbers]
        codes = np.concatenate(chunks)
        start = span.first * side.file.chunk_size
        stop = min(span.stop * side.file.chunk_size, side.size)
        if len(codes) != stop - start:
            raise damaged(side.file.path, "values are missing, the file is cut short")
        pages = {}
        for page in range(-(-start // PAGE_SIZE), -(-side.size // PAGE_SIZE)):
            begin, end = page * PAGE_SIZE, min((page + 1) * PAGE_SIZE, side.size)
            if end > stop:
                break
            pages[first_page + page] = self._page(codes[begin - start : end - start], side.outcomes)
        return pages

    def _page(self, codes: NDArray[Any], outcomes: NDArray[np.int16]) -> Page:
        """Return the values of a page in the form from which a value is read fastest."""
        if codes.itemsize == 1 and self._metric.outcomes is not None:
            return codes.tobytes()
        values = outcomes[codes] if self._metric.outcomes is None else codes.copy()
        return values.data

    def clear(self) -> None:
        """Forget all tables; numbers of pages are not given again."""
        self.pages.clear()
        self.addresses[:] = 0
        self._starts.clear()
        self._sides.clear()
