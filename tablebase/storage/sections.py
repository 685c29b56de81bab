"""Tables into files section by section, as they are solved: none is ever whole in memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import h5py
import numpy as np
from numpy.typing import NDArray

from tablebase.board import Color
from tablebase.index import MAY_MOVE, is_legal
from tablebase.storage.chunks import map_ahead, pack, unpack
from tablebase.storage.format import ValueDigest
from tablebase.storage.order import fill_gaps, gather_slots, indices_of, slot_order
from tablebase.storage.writing import COMPRESSION_LEVEL, create_codes, describe, replace_file
from tablebase.tables import Census, Table, stored_sides

# Writes some slots of a table, given marks as by `mark_slots`, uint8 [size]; both are by index, and
# only what concerns these slots is looked at.
WriteSection = Callable[[range, NDArray[np.uint8]], None]


class _Torn(NamedTuple):
    """A chunk of which sections before had a part."""

    codes: NDArray[np.uint8]
    legal: NDArray[np.bool_]
    written: NDArray[np.bool_]


class _Sections:
    """The data sets of a file while sections are written to them, in any order."""

    def __init__(
        self, file: h5py.File, table: Table, chunk_size: int, pool: ThreadPoolExecutor, ahead: int
    ) -> None:
        self._table, self._chunk_size, self._pool, self._ahead = table, chunk_size, pool, ahead
        self._order, self._size = slot_order(table.material), table.index.size
        self._datasets = {
            color: create_codes(file, color, table.metric.name, self._size, chunk_size)
            for color in stored_sides(table.material)
        }
        self._torn: dict[tuple[Color, int], _Torn] = {}

    def _slots(self, first: int) -> range:
        """Return the slots of the chunk that begins at `first`."""
        return range(first, min(first + self._chunk_size, self._size))

    def _chunks(self, slots: range) -> Iterator[tuple[Color, range]]:
        """Yield the slots of all chunks of which these slots are a part."""
        for color in self._datasets:
            first = slots.start // self._chunk_size * self._chunk_size
            for start in range(first, slots.stop, self._chunk_size):
                yield color, self._slots(start)

    def _write(self, color: Color, first: int, packed: bytes) -> None:
        self._datasets[color].write_direct_chunk((first,), packed)

    def _pack(self, codes: NDArray[np.uint8]) -> bytes:
        return pack(codes, self._chunk_size, COMPRESSION_LEVEL)

    def write(self, slots: range, marks: NDArray[np.uint8], report: Callable[[], None]) -> None:
        """Write the chunks that are complete with a section."""
        whole: list[tuple[Color, range]] = []
        torn: list[tuple[Color, range]] = []
        for color, chunk in self._chunks(slots):
            inside = slots.start <= chunk.start and chunk.stop <= slots.stop
            (whole if inside else torn).append((color, chunk))

        def packed(place: tuple[Color, range]) -> bytes:
            color, chunk = place
            codes = np.empty(len(chunk), dtype=np.uint8)
            source = self._table.codes[color]
            gather_slots(self._order, chunk.start, source, marks, MAY_MOVE[color], codes)
            return self._pack(codes)

        found = map_ahead(self._pool, packed, iter(whole), self._ahead)
        for (color, chunk), data in zip(whole, found, strict=True):
            report()
            self._write(color, chunk.start, data)
        for color, chunk in torn:
            self._add_torn(color, chunk, slots, marks)

    def _add_torn(self, color: Color, chunk: range, slots: range, marks: NDArray[np.uint8]) -> None:
        """Note the part of a chunk that lies in a section; write it if no other part is missing."""
        torn = self._torn.setdefault(
            (color, chunk.start),
            _Torn(
                codes=np.zeros(len(chunk), dtype=np.uint8),
                legal=np.zeros(len(chunk), dtype=np.bool_),
                written=np.zeros(len(chunk), dtype=np.bool_),
            ),
        )
        part = range(max(chunk.start, slots.start), min(chunk.stop, slots.stop))
        indices = indices_of(self._order, np.arange(part.start, part.stop))
        place = slice(part.start - chunk.start, part.stop - chunk.start)
        torn.codes[place] = self._table.codes[color][indices]
        torn.legal[place] = is_legal(marks[indices], color)
        torn.written[place] = True
        if torn.written.all():
            self._write(color, chunk.start, self._pack(fill_gaps(torn.codes, torn.legal)))
            del self._torn[color, chunk.start]

    def digest(self, report: Callable[[], None]) -> str:
        """Return the SHA-256 of all values, read in the order of the file."""
        digest = ValueDigest(self._table.metric, self._table.outcomes)

        def read(place: tuple[Color, range]) -> NDArray[np.uint8]:
            color, chunk = place
            _, packed = self._datasets[color].read_direct_chunk((chunk.start,))
            codes = unpack(packed, self._chunk_size)
            return np.frombuffer(codes, dtype=np.uint8)[: len(chunk)]

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
    """Write a table of which never more than a part is in memory.

    Parameters
    ----------
    table
        The table, with distances of fixed codes of one byte; of its codes those count which are
        written at the moment.
    path
        The file; see `write_table`.
    fill
        Writes every slot once, a section at a time, with the function that it is given, and returns
        the table's counts, and the SHA-256 of each of its sub-tables.
    threads, report
        As for `write_table`.

    Returns
    -------
    str
        SHA-256 of the stored values.

    Raises
    ------
    OSError
        If the file cannot be written; then nothing is left of it.
    """
    threads = threads or os.cpu_count() or 1

    def tell() -> None:
        if report is not None:
            report()

    def write_codes(file: h5py.File, chunk_size: int) -> Mapping[str, str | int]:
        with ThreadPoolExecutor(threads) as pool:
            sections = _Sections(file, table, chunk_size, pool, 4 * threads)
            found = fill(lambda slots, marks: sections.write(slots, marks, tell))
            described = describe(table, *found)
            return {**described, f"{table.metric.prefix}sha256": sections.digest(tell)}

    return replace_file(Path(path), table, {}, write_codes)
