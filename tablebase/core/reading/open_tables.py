"""The table files of a game that are open: found in folders, and entered in a catalog."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from threading import RLock

from tablebase.core.board.geometry import Color
from tablebase.core.ground.argument_readers import as_path
from tablebase.core.ground.errors import MissingTableError
from tablebase.core.outcomes.metrics import Metric
from tablebase.core.reading.catalog import Catalog
from tablebase.core.reading.folders import Folders, FoundTable
from tablebase.core.reading.forks import READERS
from tablebase.core.reading.pages import PageCache
from tablebase.core.rules.material import Material, generation_key, generation_order
from tablebase.core.rules.rules import Rules
from tablebase.core.storage.reading import TableFile, open_table


class OpenTables:
    """The tables of a game in some folders, opened as they are needed, and their pages in memory.

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
        self.catalog = Catalog(rules)
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
        path = as_path("directory", directory)
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
        self.catalog.forget(material)

    def available_tables(self) -> dict[Material, Path]:
        """Return the files that there are now, simpler materials first."""
        self.refresh()
        tables = self.folders.tables
        return {material: tables[material].path for material in sorted(tables, key=generation_key)}

    def require(self, material: Material) -> None:
        """Open the tables of a material and of all that it can turn into.

        Raises `MissingTableError`, which names all that are missing.
        """
        with self.lock:
            needed = (one for one in generation_order([material]) if one.piece_count > 2)
            if missing := self._open_all(one for one in needed if one not in self._files):
                raise self._missing(*missing)

    def _require_one(self, material: Material) -> None:
        """Open the table of a material, which may be that with colours exchanged."""
        table = material.normalized()
        if table not in self._files and (missing := self._open_all([table])):
            raise self._missing(*missing)

    def _open_all(self, materials: Iterable[Material]) -> list[Material]:
        """Open the files of normalized materials; return which are missing. The lock is held."""
        missing = []
        for material in materials:
            try:
                self._enter(material)
            except MissingTableError:
                missing.append(material)
        return missing

    def _enter(self, material: Material) -> None:
        """Open the file of a material and enter it in the catalog; the lock is held."""
        found, file = self._open(material)
        if self.metric not in file.distances:
            file.close()
            self._others.add(found)
            raise self._missing(material)
        first_white = self._cache.add_side(file, Color.WHITE, file.size)
        first_black = first_white
        if not material.is_symmetric:  # else only White is to move
            first_black = self._cache.add_side(file, Color.BLACK, file.size)
        self._files[material] = found, file
        self.catalog.add(material, (first_white, first_black))

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
