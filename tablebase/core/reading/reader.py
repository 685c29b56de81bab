"""From positions to outcomes, through open files and the pages kept in memory."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any

import numpy as np

from tablebase.core.board.geometry import Color
from tablebase.core.ground.argument_readers import as_flag
from tablebase.core.ground.errors import MissingTableError, UnsupportedPositionError
from tablebase.core.ground.parallel import as_threads
from tablebase.core.outcomes.metrics import Metric
from tablebase.core.positions.any_position import as_position
from tablebase.core.reading.folders import Folders, FoundTable
from tablebase.core.reading.forks import READERS
from tablebase.core.reading.pages import PageCache
from tablebase.core.rules.material import Material, generation_key
from tablebase.core.rules.rules import Rules
from tablebase.core.storage.reading import TableFile, open_table

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from tablebase.core.reading.given import Given, SquarePositions

DEFAULT_CACHE_SIZE = 192 * 2**20  # bytes: all tables of up to four men


class OutcomeReader(ABC):
    """Reads the outcomes of positions of a game from the tables of some directories.

    It is safe in threads and after a fork; `lock` is held for all but pages in memory. Files stay
    open.
    """

    def __init__(self, cache_size: int, metric: Metric, rules: Rules) -> None:
        metric = metric.offset_by(rules.ply_offset)
        self.metric, self.rules = metric, rules
        self._tells_results = metric.counts_zeroing or rules.distance_tells
        self.lock = RLock()
        self.folders = Folders(rules)
        self._files: dict[Material, tuple[FoundTable, TableFile]] = {}
        self._others: set[FoundTable] = set()  # files without the metric
        self._cache = PageCache(cache_size, metric)
        READERS.add(self)

    def begin_anew_after_fork(self) -> None:
        """Forget the threads of the process that was forked."""
        self.lock = RLock()

    def close(self) -> None:
        """Close all files and forget them; harmless if done before."""
        with self.lock:
            for material, (_, file) in list(self._files.items()):
                self._forget(material)
                file.close()
            self._others.clear()
            self.folders.clear()
            self._cache.clear()

    # Which tables there are

    def add_directory(self, directory: str | os.PathLike[str]) -> int:
        """Make the tables of a folder available and return how many there are.

        Raises `FileNotFoundError` if there is no such folder.
        """
        path = Path(directory)
        with os.scandir(path), self.lock:  # an error if there is no folder
            before = len(self.folders.tables)
            self.folders.add(path)
            self.refresh()
            return len(self.folders.tables) - before

    def other_files(self, suffix: str) -> list[Path]:
        """Return the files with a suffix, of another kind, that are in the folders now."""
        with self.lock:
            self.refresh()
            return [path for path in self.folders.others if path.suffix == suffix]

    def refresh(self) -> bool:
        """Look again at folders that have changed, and return whether their tables have.

        Changed files are opened again when they are needed; removed ones are forgotten.
        """
        with self.lock:
            if not self.folders.refresh():
                return False
            for material, (found, file) in list(self._files.items()):
                if self.folders.tables.get(material) != found:
                    self._forget(material)
                    file.close()
            return True

    def _forget(self, material: Material) -> None:
        """Forget the file of a material, which is to be opened again; the lock is held."""
        del self._files[material]

    def available_tables(self) -> dict[Material, Path]:
        """Return the files that there are now, simpler materials first."""
        self.refresh()
        tables = self.folders.tables
        return {material: tables[material].path for material in sorted(tables, key=generation_key)}

    # One position

    @abstractmethod
    def outcome(self, board: Any) -> int:
        """Return the outcome of a position, its en passant right included.

        Errors are those of `tablebase.Tablebase.probe_dtm`.
        """

    def refusal(self, board: Any) -> MissingTableError | UnsupportedPositionError | None:
        """Return the error for a position that no table has, None if a table has it."""
        try:
            self.outcome(board)
        except (MissingTableError, UnsupportedPositionError) as error:
            return error
        return None

    def _outcome_or_end(self, board: Any, find: Callable[[Any], int]) -> int:
        """Return the outcome that is found; checkmate and stalemate need no table."""
        try:
            return find(board)
        except (MissingTableError, UnsupportedPositionError):
            outcome = as_position(board, self.rules).final_outcome()
            if outcome is None or not self._tells_results:
                raise
            return outcome

    def _add_pages(self, material: Material) -> tuple[int, int]:
        """Open the file of a material and return the first page of each side; the lock is held.

        That of Black is that of White if both sides have the same men, since such a table stores
        White to move only.
        """
        found, file = self._open(material)
        if self.metric not in file.distances:
            file.close()
            self._others.add(found)
            raise self._missing(material)
        first_white = self._cache.add_side(file, Color.WHITE, file.size)
        first_black = first_white
        if not material.is_symmetric:
            first_black = self._cache.add_side(file, Color.BLACK, file.size)
        self._files[material] = found, file
        return first_white, first_black

    def _open(self, material: Material) -> tuple[FoundTable, TableFile]:
        self.refresh()
        while (found := self.folders.tables.get(material)) is not None:
            if found in self._others:
                raise self._missing(material)
            try:
                return found, open_table(found.absolute_path, material)
            except MissingTableError:  # it was there when its folder was looked at
                if not self.refresh():
                    break
        raise MissingTableError.of([material], self.folders.directories)

    def _missing(self, *materials: Material) -> MissingTableError:
        """Return the error for materials without a table, or else for tables without the metric."""
        absent = [material for material in materials if material not in self.folders.tables]
        metric = "" if absent else self.metric.name
        if metric and self.metric.counts_zeroing and not self.rules.fifty_moves:
            names = " ".join(material.name for material in materials)
            return MissingTableError(f"no DTZ of {names}: {self.rules.name} has no 50-move rule")
        if metric and not self._tells_results:
            return MissingTableError(f"no DTM of {self.rules.name}: it does not tell who wins")
        return MissingTableError.of(absent or materials, self.folders.directories, metric=metric)

    # Many positions

    @abstractmethod
    def given(
        self,
        positions: Any,
        material: Material | str | None = None,
        turn: ArrayLike | None = None,
    ) -> Given | SquarePositions:
        """Return positions in any container, ready to be looked up; see `given.read_given`."""

    @abstractmethod
    def given_texts(self, texts: Iterable[str]) -> Given:
        """Return FENs and EPDs as positions, unreadable ones being invalid."""

    @abstractmethod
    def outcomes_of(
        self, given: Any, threads: int | None = None, *, skip_missing: bool = False
    ) -> tuple[NDArray[np.int16], NDArray[np.bool_]]:
        """Return the outcomes of given positions, 0 of invalid ones, and which are valid.

        See `tablebase.Tablebase.probe_dtm_many`.
        """

    def outcomes_many(
        self,
        positions: Any,
        material: Material | str | None = None,
        turn: ArrayLike | None = None,
        *,
        threads: int | None = None,
        skip_missing: bool = False,
    ) -> tuple[NDArray[np.int16], NDArray[np.bool_]]:
        """Return the outcomes of many positions; see `tablebase.Tablebase.probe_dtm_many`."""
        given = self.given(positions, material, turn)
        skip = as_flag("skip_missing", skip_missing)
        return self.outcomes_of(given, as_threads(threads), skip_missing=skip)

    @abstractmethod
    def planes(self, squares: ArrayLike, material: Material, *, turn: bool) -> NDArray[np.uint64]:
        """Return the results of planes; see `tablebase.Tablebase.probe_wdl_planes`."""
