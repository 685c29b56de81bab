"""An open table file: what kind it is, and its chunks; every byte of them is checked."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import h5py
import numpy as np
from numpy.typing import NDArray

from tablebase.board import MAX_MEN, SIDES, Color, Material, Metric
from tablebase.index import slot_count
from tablebase.storage.chunks import CHECKSUM_SIZE, check_sum, unpack
from tablebase.storage.damage import check_regular, naming_damage
from tablebase.storage.datasets import (
    chunk_size_of,
    find_attribute,
    open_dataset,
    read_attribute,
)
from tablebase.storage.format import (
    CHECKSUM,
    EPOCH_SUFFIX,
    FORMAT,
    VALUED,
    checksum,
    has_epochs,
    join_codes,
    read_metrics,
    require,
)


class ChunkFile:
    """An open table file, as far as its header and its chunks go; a context manager.

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
            self.file = h5py.h5f.open(os.fsencode(self.path), h5py.h5f.ACC_RDONLY)
        self._datasets: dict[tuple[str, Color], Any] = {}
        try:
            with naming_damage(self.path):
                self._check_header()
                self._descriptor = self.file.get_vfd_handle()
        except BaseException:
            self.file.close()
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
        if self.file.valid:
            self.file.close()

    def _check_header(self) -> None:
        require(
            read_attribute(self.file, "format") == FORMAT, "the attribute `format` is another one"
        )
        valued = {name: find_attribute(self.file, name) for name in VALUED}
        stated = find_attribute(self.file, CHECKSUM)
        require(stated in {None, checksum(valued)}, "attributes do not have their checksum")
        self.version = valued["format_version"]
        self.metrics = read_metrics(self.version, valued["metrics"])
        name = str(valued["material"])
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
        epochs = [f"{metric}{EPOCH_SUFFIX}"] if has_epochs(self.version, metric) else []
        return [metric.name, *epochs]

    def open_codes(self, color: Color, part: str) -> Any:
        """Return the data set of a side to move after checking all that reading relies on."""
        if (part, color) not in self._datasets:
            known = [name for metric in self.metrics for name in self.parts(metric)]
            require(part in known, f"there is no {part}")
            dataset = open_dataset(self.file, SIDES[color], part, self.size)
            if (part, color) != (self.metrics[0].name, Color.WHITE):
                same = chunk_size_of(dataset) == self.chunk_size
                require(same, "the data sets have different chunks")
            self._datasets[part, color] = dataset
        return self._datasets[part, color]

    @cached_property
    def chunk_size(self) -> int:
        """Number of codes in a chunk; the last one may hold fewer."""
        with naming_damage(self.path):
            return chunk_size_of(self.open_codes(Color.WHITE, self.metrics[0].name))

    @property
    def chunk_count(self) -> int:
        """The number of chunks of each stored side to move."""
        return -(-self.size // self.chunk_size)

    def read_chunk(self, color: Color, number: int, part: str) -> bytes:
        """Return a chunk as it lies in the file."""
        info = self.open_codes(color, part).get_chunk_info_by_coord((number * self.chunk_size,))
        return self.read_at(number, info.byte_offset, info.size, info.filter_mask)

    def read_at(self, number: int, offset: int | None, size: int, mask: int) -> bytes:
        """Return a chunk as it lies in the file at `offset`."""
        # Data that cannot be compressed grow by less than this.
        most = self.chunk_size + self.chunk_size // 1000 + 64
        if offset is None or mask or not CHECKSUM_SIZE < size <= most:
            message = f"chunk {number} is not stored as it should be"
            raise ValueError(message)
        data = os.pread(self._descriptor, size, offset)
        require(len(data) == size, f"chunk {number} is cut short")
        return data

    def unpacked(self, number: int, packed: Iterable[bytes]) -> NDArray[Any]:
        """Return the codes of a chunk from what lies in the file."""
        parts = [
            np.frombuffer(unpack(data, self.chunk_size), dtype=np.uint8)[
                : self.size - number * self.chunk_size
            ]
            for data in packed
        ]
        return join_codes(parts)

    def chunk_places(self, color: Color, part: str) -> list[tuple[int | None, int, int]]:
        """Return offset in the file, size and filter mask of all chunks in order."""
        nowhere: tuple[int | None, int, int] = (None, 0, 0)
        places = [nowhere] * self.chunk_count

        def note(info: Any) -> None:
            number = info.chunk_offset[0] // self.chunk_size
            if number < len(places):
                places[number] = (info.byte_offset, info.size, info.filter_mask)

        with naming_damage(self.path):
            self.open_codes(color, part).chunk_iter(note)
        return places

    def stored_chunks(self, color: Color, part: str) -> Iterator[bytes]:
        """Yield the chunks of a data set, one of `parts`, as they lie in the file.

        They are checked by their checksums.

        Raises
        ------
        CorruptTableError
            If one is damaged.
        """
        for number, place in enumerate(self.chunk_places(color, part)):
            with naming_damage(self.path):
                data = self.read_at(number, *place)
                check_sum(data)
            yield data
