"""Whole tables, or parts of them, from files.

A table is one self-describing HDF5 file. Everything inside is covered by checksums: the values by
fletcher32, and the metadata by HDF5 itself (files in the format of HDF5 1.10, attributes inside the
root's object header). ``docs/format.md`` describes the content for strangers; `writing` makes such
files.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import h5py
import numpy as np
from numpy.typing import NDArray

from tablebase.board import DTM, MAX_MEN, SIDES, Color, Material, Metric, make_outcomes
from tablebase.errors import CorruptTableError, MissingTableError
from tablebase.index import slot_count, table_index
from tablebase.storage.chunks import (
    CHECKSUM_SIZE,
    check_sum,
    map_ahead,
    unpack,
)
from tablebase.storage.damage import check_regular, naming_damage
from tablebase.storage.datasets import (
    all_attributes,
    chunk_size_of,
    open_dataset,
    read_attribute,
)
from tablebase.storage.format import (
    EPOCH_SUFFIX,
    FORMAT,
    ValueDigest,
    has_epochs,
    join_codes,
    merge_counts,
    read_attributes,
    read_digest,
    read_metrics,
    read_outcomes,
    require,
)
from tablebase.storage.order import any_marked, scatter_slots, slot_order
from tablebase.tables import Outcomes, Table, exchange_colors, fixed_outcomes, stored_sides


class TableFile:
    """An open table file; use `open_table`.

    Attributes
    ----------
    path : Path
        The file.
    material : Material
        Its men, normalized.
    metrics : tuple[Metric, ...]
        Which distances it holds.
    chunk_size : int
        Number of codes in a chunk; the last one may hold fewer.
    size : int
        Number of codes for each side to move.

    Raises
    ------
    CorruptTableError
        If the file is not a complete table.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        check_regular(self.path)
        with naming_damage(self.path):
            # With HDF5's own options, so that other parts of a program may have it open too.
            self._file = h5py.h5f.open(os.fsencode(self.path), h5py.h5f.ACC_RDONLY)
        self._datasets: dict[tuple[str, Color], Any] = {}
        try:
            with naming_damage(self.path):
                self._check_header()
                self._descriptor = self._file.get_vfd_handle()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _type: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; nothing happens if it is closed."""
        self._datasets.clear()
        if self._file.valid:
            self._file.close()

    def _check_header(self) -> None:
        require(
            read_attribute(self._file, "format") == FORMAT, "the attribute `format` is another one"
        )
        self._version = version = read_attribute(self._file, "format_version")
        self.metrics = read_metrics(
            version, read_attribute(self._file, "metrics") if version != 2 else None
        )
        name = str(read_attribute(self._file, "material"))
        self.material = Material.from_name(name)
        require(
            self.material.is_normalized and self.material.name == name,
            f"{name} is not how a material is named",
        )
        require(
            self.material.piece_count <= MAX_MEN,
            f"{name} has {self.material.piece_count} men, not up to {MAX_MEN}",
        )
        self.size = slot_count(self.material)

    def parts(self, metric: Metric) -> list[str]:
        """Return the names of the data sets of a metric: codes, and epochs if there are any."""
        epochs = [f"{metric}{EPOCH_SUFFIX}"] if has_epochs(self._version, metric) else []
        return [metric.name, *epochs]

    def _open_codes(self, color: Color, part: str) -> Any:
        """Return the data set of a side to move after checking all that reading relies on."""
        if (part, color) not in self._datasets:
            known = [name for metric in self.metrics for name in self.parts(metric)]
            require(part in known, f"there is no {part}")
            dataset = open_dataset(self._file, SIDES[color], part, self.size)
            if (part, color) != (self.metrics[0].name, Color.WHITE):
                same = chunk_size_of(dataset) == self.chunk_size
                require(same, "the data sets have different chunks")
            self._datasets[part, color] = dataset
        return self._datasets[part, color]

    @cached_property
    def chunk_size(self) -> int:
        """Number of codes in a chunk; the last one may hold fewer."""
        with naming_damage(self.path):
            return chunk_size_of(self._open_codes(Color.WHITE, self.metrics[0].name))

    def sha256_of(self, metric: Metric) -> str:
        """Return the digest of a metric's stored values as the file states it, in hexadecimal."""
        with naming_damage(self.path):
            return read_digest(read_attribute(self._file, f"{metric.prefix}sha256"))

    def outcomes(self, metric: Metric) -> Outcomes:
        """Return what the codes of a metric mean, with White and with Black to move."""
        if metric.outcomes is not None:
            return fixed_outcomes(metric, long=has_epochs(self._version, metric))
        with naming_damage(self.path):
            found = read_outcomes(read_attribute(self._file, f"{metric.prefix}outcomes"))
        white, black = (make_outcomes(found[side]) for side in SIDES)
        return white, black

    def require_metric(self, metric: Metric) -> None:
        """Raise `MissingTableError` unless the file has a metric."""
        if metric not in self.metrics:
            raise MissingTableError.of([self.material], [self.path.parent], metric=metric.name)

    def check(self) -> None:
        """Check everything but the values, which are checked as they are read.

        Raises
        ------
        CorruptTableError
            If the file is not a complete table.
        """
        with naming_damage(self.path):
            for metric in self.metrics:
                for color in stored_sides(self.material):
                    for part in self.parts(metric):
                        self._open_codes(color, part)
        _ = self.attributes

    @property
    def chunk_count(self) -> int:
        """The number of chunks of each stored side to move."""
        return -(-self.size // self.chunk_size)

    def side_stored(self, color: Color) -> bool:
        """Return whether the values of a side to move are in the file.

        If both sides have the same men, only those with White to move are.
        """
        return color in stored_sides(self.material)

    @cached_property
    def attributes(self) -> dict[str, Any]:
        """The attributes of the file by name; those in JSON as Python objects.

        Raises
        ------
        CorruptTableError
            If one is missing, malformed, or not that of the material.
        """
        with naming_damage(self.path):
            return read_attributes(self.stored_attributes(), self.material)

    @property
    def counts(self) -> dict[str, dict[str, Any]]:
        """What the table holds by side to move, all metrics together; see ``docs/format.md``."""
        counts: dict[str, dict[str, Any]] = {side: {} for side in SIDES}
        for metric in self.metrics:
            for side, found in self.attributes[f"{metric.prefix}counts"].items():
                merge_counts(counts[side], found, metric)
        return counts

    def stored_attributes(self) -> dict[str, str | int]:
        """Return the attributes of the file as they are stored, by name."""
        with naming_damage(self.path):
            return all_attributes(self._file)

    def _read(self, color: Color, number: int, part: str) -> bytes:
        """Return a chunk as it lies in the file."""
        info = self._open_codes(color, part).get_chunk_info_by_coord((number * self.chunk_size,))
        return self._read_at(number, info.byte_offset, info.size, info.filter_mask)

    def _read_at(self, number: int, offset: int | None, size: int, mask: int) -> bytes:
        """Return a chunk as it lies in the file at `offset`."""
        # Data that cannot be compressed grow by less than this.
        most = self.chunk_size + self.chunk_size // 1000 + 64
        if offset is None or mask or not CHECKSUM_SIZE < size <= most:
            message = f"chunk {number} is not stored as it should be"
            raise ValueError(message)
        data = os.pread(self._descriptor, size, offset)
        require(len(data) == size, f"chunk {number} is cut short")
        return data

    def chunk(self, color: Color, number: int, metric: Metric = DTM) -> NDArray[np.uint8]:
        """Return the codes of a chunk.

        Parameters
        ----------
        color
            Side to move; its values must be stored.
        number
            Slot of the first code, divided by `chunk_size`.
        metric
            One of `metrics`.

        Returns
        -------
        NDArray[np.uint8]
            Stored codes, read-only; uint16 where there are epochs.

        Raises
        ------
        CorruptTableError
            If the chunk is damaged.
        ValueError
            If the file is closed.
        """
        if not self._file.valid:
            message = f"{self.path} is closed"
            raise ValueError(message)
        with naming_damage(self.path):
            packed = [self._read(color, number, part) for part in self.parts(metric)]
            return self._unpacked(number, packed)

    def _unpacked(self, number: int, packed: Iterable[bytes]) -> NDArray[Any]:
        """Return the codes of a chunk from what lies in the file."""
        parts = [
            np.frombuffer(unpack(data, self.chunk_size), dtype=np.uint8)[
                : self.size - number * self.chunk_size
            ]
            for data in packed
        ]
        return join_codes(parts)

    def codes(
        self,
        color: Color,
        *,
        metric: Metric = DTM,
        rows: NDArray[np.bool_] | None = None,
        threads: int | None = None,
    ) -> NDArray[np.uint8]:
        """Return the codes of a stored side to move.

        Parameters
        ----------
        color
            Side to move; its values must be stored.
        metric
            Which distance.
        rows
            Which rows to read (a row is the codes of all pairs of kings); by default all. What
            is not read takes no memory, and its codes mean nothing.
        threads
            How many threads to use; by default one for each processor.

        Returns
        -------
        NDArray[np.uint8]
            Stored codes, shape [size]; uint16 where there are epochs.

        Raises
        ------
        CorruptTableError
            If the file is damaged.
        MissingTableError
            If it has no such metric.
        """
        self.require_metric(metric)
        return self._codes(color, metric, rows, threads or os.cpu_count() or 1)

    def _codes(
        self,
        color: Color,
        metric: Metric,
        rows: NDArray[np.bool_] | None,
        threads: int,
        digest: ValueDigest | None = None,
    ) -> NDArray[np.uint8]:
        """Return codes, and add the values as they lie in the file to a digest."""
        parts = self.parts(metric)
        places = list(zip(*(self._chunk_places(color, part) for part in parts), strict=True))
        order = slot_order(self.material)
        dtype = np.dtype(np.uint8 if len(parts) == 1 else np.uint16)
        if rows is None:
            codes = np.empty(self.size, dtype=dtype)
            rows = np.ones(self.size // order.king_pairs, dtype=np.bool_)
        else:
            # NumPy would ask for huge pages, and a few codes in each would fill them all.
            codes = np.frombuffer(mmap.mmap(-1, self.size * dtype.itemsize), dtype=dtype)

        def fill(number: int) -> NDArray[Any]:
            slot = number * self.chunk_size
            size = min(self.chunk_size, self.size - slot)
            if digest is None and not any_marked(order, slot, size, rows):
                return codes[:0]
            with naming_damage(self.path):
                packed = [self._read_at(number, *place) for place in places[number]]
                chunk = self._unpacked(number, packed)
            scatter_slots(order, slot, chunk, rows, codes)
            return chunk

        with ThreadPoolExecutor(threads) as pool:
            for chunk in map_ahead(pool, fill, iter(range(self.chunk_count)), 16 * threads):
                if digest is not None:
                    digest.update(chunk)
        return codes

    def _chunk_places(self, color: Color, part: str) -> list[tuple[int | None, int, int]]:
        """Return offset in the file, size and filter mask of all chunks in order."""
        nowhere: tuple[int | None, int, int] = (None, 0, 0)
        places = [nowhere] * self.chunk_count

        def note(info: Any) -> None:
            number = info.chunk_offset[0] // self.chunk_size
            if number < len(places):
                places[number] = (info.byte_offset, info.size, info.filter_mask)

        with naming_damage(self.path):
            self._open_codes(color, part).chunk_iter(note)
        return places

    def read_sides(
        self,
        sides: Iterable[Color],
        rows: NDArray[np.bool_] | None = None,
        *,
        metric: Metric = DTM,
        check: bool,
        threads: int | None = None,
    ) -> tuple[NDArray[np.uint8] | None, NDArray[np.uint8] | None]:
        """Return the codes with White and with Black to move, None for sides not asked for.

        Parameters
        ----------
        sides
            Sides to move; their values must be stored.
        rows
            Which rows to read, as for `codes`.
        metric
            Which distance.
        check
            Compare all its values with their SHA-256, those included that are not asked for.
        threads
            How many threads to use; by default one for each processor.

        Raises
        ------
        CorruptTableError
            If the file is damaged.
        """
        self.require_metric(metric)
        threads = threads or os.cpu_count() or 1
        digest = ValueDigest(metric, self.outcomes(metric)) if check else None
        found: list[NDArray[np.uint8] | None] = [None, None]
        for color in stored_sides(self.material):
            if color in sides:
                found[color] = self._codes(color, metric, rows, threads, digest)
            elif digest is not None:
                no_rows = np.zeros(
                    self.size // table_index(self.material).king_pairs, dtype=np.bool_
                )
                self._codes(color, metric, no_rows, threads, digest)
        if digest is not None and digest.hexdigest() != self.sha256_of(metric):
            raise CorruptTableError(f"{self.path} is damaged: its values do not have their SHA-256")
        return found[Color.WHITE], found[Color.BLACK]

    def stored_chunks(self, color: Color, part: str) -> Iterator[bytes]:
        """Yield the chunks of a data set, one of `parts`, as they lie in the file.

        They are checked by their checksums.

        Raises
        ------
        CorruptTableError
            If one is damaged.
        """
        for number, place in enumerate(self._chunk_places(color, part)):
            with naming_damage(self.path):
                data = self._read_at(number, *place)
                check_sum(data)
            yield data

    def read(self, metric: Metric = DTM, *, threads: int | None = None) -> Table:
        """Return the whole table of a metric; see `read_table`."""
        sides = stored_sides(self.material)
        white, black = self.read_sides(sides, metric=metric, check=True, threads=threads)
        assert white is not None
        if black is None:
            black = exchange_colors(self.material, white, threads=threads)
        return Table(self.material, white, black, metric, self.outcomes(metric))


def open_table(path: str | os.PathLike[str]) -> TableFile:
    """Open a table file to read parts of it; a context manager.

    Only what reading relies on is checked now; values are checked as they are read. Raises what
    `read_table` does, if there is no such file or it is no table.
    """
    return TableFile(path)


def read_table(
    path: str | os.PathLike[str], metric: Metric = DTM, *, threads: int | None = None
) -> Table:
    """Read a table into memory and compare its values with their SHA-256.

    Parameters
    ----------
    path
        The file.
    metric
        Which distance.
    threads
        How many threads to use; by default one for each processor.

    Raises
    ------
    MissingTableError
        If there is no such file, or it has no such metric.
    CorruptTableError
        If it is damaged, cut short, or something else than a table.
    """
    with open_table(path) as file:
        return file.read(metric, threads=threads)
