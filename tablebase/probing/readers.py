"""The readers of both metrics, over the same folders."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablebase.board import DTM, DTZ, Metric
from tablebase.probing.reader import CodeReader

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable
    from pathlib import Path

    import chess


class Readers:
    """The readers of both metrics; that of distances to zeroing is made when it is needed.

    Parameters
    ----------
    cache_size
        Most bytes of decompressed values to keep in memory, of each metric.
    directories
        Folders of tables.

    Attributes
    ----------
    to_mate : CodeReader
        That of distances to mate.
    zeroing : Callable
        From a position to its outcome by distance to zeroing.
    """

    def __init__(self, cache_size: int, directories: Iterable[Path]) -> None:
        self.cache_size = cache_size
        self.to_mate = CodeReader(cache_size)
        self._to_zeroing: CodeReader | None = None
        self.zeroing: Callable[[chess.Board], int] = lambda board: self.of(DTZ).code(board)
        for directory in directories:
            self.to_mate.add_directory(directory)

    def of(self, metric: Metric) -> CodeReader:
        """Return the reader of a metric."""
        if metric == DTM:
            return self.to_mate
        with self.to_mate.lock:
            if self._to_zeroing is None:
                reader = CodeReader(self.cache_size, metric)
                for place in self.to_mate.folders.places:
                    reader.add_directory(place)
                self._to_zeroing = reader
                self.zeroing = reader.code
            return self._to_zeroing

    def close(self) -> None:
        """Close all files and forget them; harmless if done before."""
        with self.to_mate.lock:
            self.to_mate.close()
            if self._to_zeroing is not None:
                self._to_zeroing.close()

    def add_directory(self, directory: str | os.PathLike[str]) -> int:
        """Make the tables of a folder available and return how many they are."""
        with self.to_mate.lock:
            if self._to_zeroing is not None:
                self._to_zeroing.add_directory(directory)
            return self.to_mate.add_directory(directory)
