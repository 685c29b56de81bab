"""Tables into files section by section, as they are solved: none is ever whole in memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import h5py
import numpy as np
from numpy.typing import NDArray

from tablebase.core.board.geometry import Color
from tablebase.core.ground.parallel import as_threads, map_ahead
from tablebase.core.outcomes.codes import DRAW
from tablebase.core.storage.chunks import pack, unpack
from tablebase.core.storage.datasets import read_packed, write_packed
from tablebase.core.storage.encodings import EPOCH_SUFFIX
from tablebase.core.storage.format import (
    ValueDigest,
    join_codes,
    long_attributes,
    split_codes,
)
from tablebase.core.storage.order import (
    are_legal,
    chunks_at_once,
    fill_gaps,
    gather_chunks,
    indices_of,
    slot_order,
)
from tablebase.core.storage.writing import COMPRESSION_LEVEL, create_codes, describe, replace_file
from tablebase.core.tables.census import Census
from tablebase.core.tables.table import Table, stored_sides

# Writes some slots of a table, whole rows, given which positions are legal, as by
# `index.find_legal`. Both are by index, and what is of other slots is not read.
WriteSection = Callable[[range, NDArray[np.uint64]], None]


class _Torn(NamedTuple):
    """A chunk of which sections before had a part."""

    codes: NDArray[np.uint16]
    legal: NDArray[np.bool_]
    written: NDArray[np.bool_]


class _Sections:
    """The data sets of a file while sections are written to them, in any order."""

    def __init__(
        self, file: h5py.File, table: Table, chunk_size: int, pool: ThreadPoolExecutor, threads: int
    ) -> None:
        self._table, self._chunk_size = table, chunk_size
        self._pool, self._threads, self._ahead = pool, threads, 4 * threads
        self._order, self._size = slot_order(table.material), table.index.size
        self._file, self._sides = file, stored_sides(table.material)
        # Of codes, and of epochs once there are some.
        self._datasets = {color: self._create(color, table.metric.name) for color in self._sides}
        self._epochs: dict[Color, h5py.h5d.DatasetID] = {}
        self._with_epochs: set[tuple[Color, int]] = set()  # chunks
        self._torn: dict[tuple[Color, int], _Torn] = {}

    def _create(self, color: Color, part: str) -> h5py.h5d.DatasetID:
        return create_codes(self._file, color, part, self._size, self._chunk_size)

    def _slots(self, first: int) -> range:
        """Return the slots of the chunk that begins at `first`."""
        return range(first, min(first + self._chunk_size, self._size))

    def _chunks(self, slots: range) -> Iterator[tuple[Color, range]]:
        """Yield the slots of all chunks of which some slots are a part."""
        for color in self._sides:
            first = slots.start // self._chunk_size * self._chunk_size
            for start in range(first, slots.stop, self._chunk_size):
                yield color, self._slots(start)

    def _write(self, color: Color, first: int, packed: Sequence[bytes]) -> None:
        codes, *epochs = packed
        write_packed(self._datasets[color], first, codes)
        for data in epochs:
            if not self._epochs:
                part = f"{self._table.metric}{EPOCH_SUFFIX}"
                self._epochs = {side: self._create(side, part) for side in self._sides}
            write_packed(self._epochs[color], first, data)
            self._with_epochs.add((color, first))

    def _pack(self, low: NDArray[np.uint8], *epochs: NDArray[np.uint8]) -> list[bytes]:
        """Return codes compressed, and their epochs unless all are zero."""
        parts = [low, *(part for part in epochs if part.any())]
        return [pack(part, self._chunk_size, COMPRESSION_LEVEL) for part in parts]

    def _sources(self, color: Color, slots: range) -> list[NDArray[np.uint8]]:
        """Return the table's codes, and their upper bytes if some slots have any."""
        low, epochs = self._table.codes[color], self._table.epochs
        if epochs is None or not epochs[color][slots.start : slots.stop].max(initial=0):
            return [low]
        return [low, epochs[color]]

    def write(self, slots: range, legal: NDArray[np.uint64], report: Callable[[], None]) -> None:
        """Write the chunks that are complete with a section."""
        whole: dict[Color, list[range]] = {color: [] for color in self._sides}
        torn: list[tuple[Color, range]] = []
        for color, chunk in self._chunks(slots):
            inside = slots.start <= chunk.start and chunk.stop <= slots.stop
            if inside:
                whole[color].append(chunk)
            else:
                torn.append((color, chunk))

        sources = {color: self._sources(color, slots) for color in self._sides}
        at_once = chunks_at_once(len(whole[self._sides[0]]), self._threads)
        windows = [
            (color, range(chunks[0].start, chunks[-1].stop))
            for color in self._sides
            for first in range(0, len(whole[color]), at_once)
            if (chunks := whole[color][first : first + at_once])
        ]

        def packed(window: tuple[Color, range]) -> list[list[bytes]]:
            color, part = window
            low, *epochs = gather_chunks(
                self._order, part, self._chunk_size, sources[color], legal[color]
            )
            for above in epochs:
                above[low == DRAW] = 0  # also where no position is legal
            return [
                self._pack(*(codes[first : first + self._chunk_size] for codes in (low, *epochs)))
                for first in range(0, len(part), self._chunk_size)
            ]

        found = map_ahead(self._pool, packed, iter(windows), self._ahead)
        for (color, part), data_of_chunks in zip(windows, found, strict=True):
            for number, data in enumerate(data_of_chunks):
                report()
                self._write(color, part.start + number * self._chunk_size, data)
        for color, chunk in torn:
            self._add_torn(color, chunk, slots, legal)

    def _add_torn(
        self, color: Color, chunk: range, slots: range, legal: NDArray[np.uint64]
    ) -> None:
        """Note the part of a chunk that lies in a section; write it if no other part is missing."""
        torn = self._torn.setdefault(
            (color, chunk.start),
            _Torn(
                codes=np.zeros(len(chunk), dtype=np.uint16),
                legal=np.zeros(len(chunk), dtype=np.bool_),
                written=np.zeros(len(chunk), dtype=np.bool_),
            ),
        )
        part = range(max(chunk.start, slots.start), min(chunk.stop, slots.stop))
        indices = indices_of(self._order, np.arange(part.start, part.stop))
        within = slice(part.start - chunk.start, part.stop - chunk.start)
        torn.codes[within] = self._table.whole_codes(color, indices)
        torn.legal[within] = are_legal(self._order, legal[color], indices)
        torn.written[within] = True
        if torn.written.all():
            filled = split_codes(fill_gaps(torn.codes, torn.legal))
            self._write(color, chunk.start, self._pack(*filled))
            del self._torn[color, chunk.start]

    def fill_epochs(self) -> bool:
        """Return whether there are epochs; if so, write zeros where there are none."""
        zeros = pack(np.zeros(1, dtype=np.uint8), self._chunk_size, COMPRESSION_LEVEL)
        for color, dataset in self._epochs.items():
            for first in range(0, self._size, self._chunk_size):
                if (color, first) not in self._with_epochs:
                    write_packed(dataset, first, zeros)
        return bool(self._epochs)

    def digest(self, report: Callable[[], None]) -> str:
        """Return the SHA-256 of all values, read in the order of the file."""
        digest = ValueDigest(self._table.metric, self._table.outcomes, self._table.material.rules)

        def read(part: tuple[Color, range]) -> NDArray[Any]:
            color, chunk = part
            parts = []
            for datasets in (self._datasets, self._epochs):
                if datasets:
                    packed = read_packed(datasets[color], chunk.start)
                    codes = unpack(packed, self._chunk_size)
                    parts.append(np.frombuffer(codes, dtype=np.uint8)[: len(chunk)])
            return join_codes(parts)

        chunks = self._chunks(range(self._size))
        for codes in map_ahead(self._pool, read, chunks, self._ahead):
            report()
            digest.update(codes)
        return digest.hexdigest()


def write_sections(
    table: Table,
    path: str | os.PathLike[str],
    fill: Callable[[WriteSection], tuple[Census, Mapping[str, str]]],
    *,
    threads: int | None = None,
    report: Callable[[], None] | None = None,
) -> str:
    """Write a table of which only a part is ever in memory, and return the SHA-256 of its values.

    `fill` writes every slot once, section by section, by the function that it gets, and returns the
    counts and the SHA-256 of each sub-table. Distances have fixed codes, upper bytes apart.
    """
    threads = as_threads(threads)

    def tell() -> None:
        if report is not None:
            report()

    def write_codes(file: h5py.File, chunk_size: int) -> Mapping[str, str | int]:
        with ThreadPoolExecutor(threads) as pool:
            sections = _Sections(file, table, chunk_size, pool, threads)
            found = fill(lambda slots, legal: sections.write(slots, legal, tell))
            described = describe(table, *found)
            if sections.fill_epochs():
                described |= long_attributes(table.material, table.metric)
            return {**described, f"{table.metric.prefix}sha256": sections.digest(tell)}

    return replace_file(Path(path), table, {}, write_codes)
