"""The building of one table: read its sub-tables, solve, count, write."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from tablebase.census import take_census
from tablebase.errors import CorruptTableError
from tablebase.estimate import MAX_KEPT_MEN
from tablebase.geometry import Color
from tablebase.material import Material
from tablebase.needs import SubtableNeed, needed_positions, rows_after_promotion
from tablebase.solve import Codes, Progress, solve
from tablebase.storage import open_table, read_table, table_path
from tablebase.table import Table, exchange_colors
from tablebase.writing import write_table


class Stage(Enum):
    """What happens to a material."""

    READING = "reading sub-tables"
    SOLVING = "solving"
    COUNTING = "counting"
    WRITING = "writing"


@dataclass(frozen=True)
class Built:
    """A table that is there.

    Attributes
    ----------
    material : Material
        Its men.
    path : Path
        Its file.
    seconds : float or None
        How long building took; None if it was there before.
    sha256 : str
        Digest of its values, in hexadecimal.
    """

    material: Material
    path: Path
    seconds: float | None
    sha256: str


def digest_of(path: Path, material: Material) -> str | None:
    """Return the SHA-256 that a complete file states for its values, None if there is no file.

    Raises
    ------
    CorruptTableError
        If the file is damaged, or holds another material.
    """
    # What is under this name, nobody wrote half.
    if not path.exists():
        return None
    with open_table(path) as file:
        if file.material != material:
            raise CorruptTableError(f"{path}: this is the table of {file.material}")
        file.check()
        return file.sha256


class Shelf:
    """The tables of a directory, small ones kept in memory once they are read or built.

    Parameters
    ----------
    directory
        Where the files are.
    threads
        How many threads read, solve and write.
    """

    def __init__(self, directory: str | os.PathLike[str], threads: int) -> None:
        self.directory = directory
        self.threads = threads
        self._tables: dict[Material, Table] = {}
        self._digests: dict[Material, str] = {}

    def add(self, table: Table, digest: str) -> None:
        """Keep a table, unless it is large."""
        self._digests[table.material] = digest
        if table.material.piece_count <= MAX_KEPT_MEN:
            self._tables[table.material] = table

    def get(self, material: Material, need: SubtableNeed) -> Table | Codes:
        """Return a table, or only what is needed of a large one."""
        if material in self._tables:
            return self._tables[material]
        path = table_path(self.directory, material)
        with open_table(path) as file:
            self._digests[material] = file.sha256
            if material.piece_count > MAX_KEPT_MEN:
                rows = rows_after_promotion(material, need.promoted)
                white, black = (
                    file.codes(side, rows=rows, threads=self.threads)
                    if side in need.sides
                    else None
                    for side in Color
                )
                return white, black
        self.add(read_table(path, threads=self.threads), self._digests[material])
        return self._tables[material]

    def digest(self, material: Material) -> str:
        """Return the SHA-256 of the values of a table that was got or added."""
        return self._digests[material]

    def keep_only(self, digests: Mapping[Material, str]) -> None:
        """Put all tables back but those with these values."""
        for material in list(self._tables):
            if self._digests[material] != digests.get(material):
                del self._tables[material]


def build_table(
    material: Material, shelf: Shelf, report: Callable[[Stage, Progress | None], None]
) -> Built:
    """Build one table, whose sub-tables are there.

    Parameters
    ----------
    material
        What to build, normalized.
    shelf
        Where its sub-tables are, and where it goes.
    report
        Called at every stage, and several times a second while the table is solved.

    Raises
    ------
    MissingTableError, CorruptTableError
        If a sub-table is not there, or damaged.
    OSError
        If the file cannot be written.
    """
    started = time.perf_counter()
    report(Stage.READING, None)
    subtables = {
        needed: shelf.get(needed, need) for needed, need in needed_positions(material).items()
    }
    report(Stage.SOLVING, None)
    table = solve(
        material,
        subtables,
        threads=shelf.threads,
        report=lambda progress: report(Stage.SOLVING, progress),
    )
    report(Stage.COUNTING, None)
    census = take_census(table, threads=shelf.threads)
    report(Stage.WRITING, None)
    path = table_path(shelf.directory, material)
    digests = {needed.name: shelf.digest(needed) for needed in subtables}
    digest = write_table(table, path, census=census, subtables=digests, threads=shelf.threads)
    shelf.add(table, digest)
    if material == Material():
        # Files of symmetric tables hold one side. What finds the other is compiled with the rest,
        # at the first table of all, so that no later build has to wait for it.
        exchange_colors(material, table.codes[0], threads=1)
    return Built(material, path, time.perf_counter() - started, digest)
