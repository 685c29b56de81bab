"""Which tables and regions there are in some folders, and who reads them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Self

from tablebase.board import DTM, DTZ, Material, Metric
from tablebase.probing.reader import DEFAULT_CACHE_SIZE, CodeReader
from tablebase.probing.regions import Regions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import chess


class AvailableTables:
    """The files of some directories, opened when they are first needed: see `Tablebase`."""

    def __init__(
        self, *, cache_size: int = DEFAULT_CACHE_SIZE, directories: Iterable[Path] = ()
    ) -> None:
        self._cache_size = cache_size
        self._reader = CodeReader(cache_size)
        self._regions = Regions(self._reader)
        self._code = self._reader.code  # one look-up less in each probe
        self._zeroing_reader: CodeReader | None = None
        self._zeroing: Callable[[chess.Board], int] = lambda board: self._reader_of(DTZ).code(board)
        for directory in directories:
            self._reader.add_directory(directory)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __repr__(self) -> str:
        places = ", ".join(map(str, self.directories)) or "no directory"
        return f"<Tablebase: {len(self.available_tables)} tables in {places}>"

    def close(self) -> None:
        """Close all files and forget them; harmless if done before."""
        self._regions.close()
        with self._reader.lock:
            self._reader.close()
            if self._zeroing_reader is not None:
                self._zeroing_reader.close()

    def _reader_of(self, metric: Metric) -> CodeReader:
        """Return the reader of a metric; that of distances to zeroing is made when it is needed."""
        if metric == DTM:
            return self._reader
        with self._reader.lock:
            if self._zeroing_reader is None:
                reader = CodeReader(self._cache_size, metric)
                for place in self._reader.folders.places:
                    reader.add_directory(place)
                self._zeroing_reader = reader
                self._zeroing = reader.code
            return self._zeroing_reader

    def add_directory(self, directory: str | os.PathLike[str]) -> int:
        """Make the tables in a directory available.

        Parameters
        ----------
        directory
            Folder of files named like ``KRNK.h5``; others are left alone. A material that is
            available already stays with its file.

        Returns
        -------
        int
            How many tables were added.

        Raises
        ------
        FileNotFoundError
            If there is no such directory.
        """
        with self._reader.lock:
            if self._zeroing_reader is not None:
                self._zeroing_reader.add_directory(directory)
            return self._reader.add_directory(directory)

    @property
    def directories(self) -> tuple[Path, ...]:
        """The directories in the order in which they are searched."""
        return tuple(self._reader.folders.directories)

    @property
    def available_materials(self) -> tuple[Material, ...]:
        """The materials whose tables are available now, simpler ones first."""
        return tuple(self._reader.available_tables())

    @property
    def available_tables(self) -> dict[str, Path]:
        """The file of each material that is available now, by name."""
        found = self._reader.available_tables()
        return {material.name: path for material, path in found.items()}
