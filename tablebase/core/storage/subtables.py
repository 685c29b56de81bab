"""The tables that moves of a material lead to, read from folders."""

from __future__ import annotations

import os
from collections.abc import Mapping
from copy import copy
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tablebase.core.board.geometry import Color
from tablebase.core.ground.errors import CorruptTableError, MissingTableError
from tablebase.core.index.numbering import table_index
from tablebase.core.outcomes.codes import DRAW
from tablebase.core.outcomes.metrics import DTM, Metric, make_outcomes
from tablebase.core.rules.material import Material
from tablebase.core.storage.reading import open_table
from tablebase.core.storage.table_names import find_table, tables_folder
from tablebase.core.tables.table import Outcomes, Table


def _bare_kings(material: Material, metric: Metric) -> Table:
    draws = np.full(table_index(material).size, DRAW, dtype=np.uint8)
    outcomes = make_outcomes([]) if metric.outcomes is None else metric.outcomes
    return Table(material, draws, draws, metric, (outcomes, outcomes))


def _lacks(path: Path, material: Material, metric: Metric) -> bool:
    try:
        with open_table(path, material) as file:
            return metric not in file.distances
    except CorruptTableError:
        return False  # reading it raises the error


class Subtables:
    """The sub-tables of a material, each from the first folder that has it, read as far as needed.

    Bare kings draw, and need no file. Raises `MissingTableError` for a file that is missing, or
    lacks the metric.
    """

    def __init__(
        self,
        material: Material,
        *directories: str | os.PathLike[str],
        metric: Metric = DTM,
        threads: int | None = None,
    ) -> None:
        self._metric = metric
        self._threads = threads
        self._other: Subtables | None = None
        self._last: Table | None = None
        needed_ones = material.dependencies()
        self._paths = {
            needed: path
            for needed in needed_ones
            if (path := find_table(needed, directories)) is not None
        }
        missing = [one for one in needed_ones if not one.is_bare and one not in self._paths]
        if missing:
            raise MissingTableError.of(missing, directories, needed_by=material)
        lacking = [one for one, path in self._paths.items() if _lacks(path, one, metric)]
        if lacking:
            folders = {tables_folder(self._paths[one], one): None for one in lacking}
            raise MissingTableError.of(lacking, folders, needed_by=material, metric=metric.name)

    def table(self, material: Material) -> Table:
        """Return a whole table; the last one asked for is kept."""
        if self._last is None or self._last.material != material:
            self._last = self._read(material)
        return self._last

    def _read(self, material: Material) -> Table:
        if material not in self._paths:
            return _bare_kings(material, self._metric)
        with open_table(self._paths[material], material) as file:
            return file.read(self._metric, threads=self._threads)

    def outcomes(self, material: Material) -> Outcomes:
        """Return the outcomes of the codes of a table."""
        path = self._paths.get(material)
        if path is None:
            return _bare_kings(material, self._metric).outcomes
        with open_table(path, material) as file:
            return file.outcomes(self._metric)

    def codes(
        self, material: Material, color: Color, rows: NDArray[np.bool_] | None = None
    ) -> NDArray[np.uint8]:
        """Return the codes of a side to move, or of some rows; see `checking.reach.ReadCodes`."""
        if rows is None or material not in self._paths:
            return self.table(material).codes[color]
        with open_table(self._paths[material], material) as file:
            return file.codes(color, metric=self._metric, rows=rows, threads=self._threads)

    def if_swapped(
        self, material: Material, color: Color, rows: NDArray[np.bool_] | None = None
    ) -> NDArray[np.uint8]:
        """Return codes as `codes` does, of `Metric.swapped`."""
        if self._other is None:
            self._other = copy(self)
            self._other._metric = self._metric.swapped  # noqa: SLF001 (its own kind)
            self._other._last = None  # noqa: SLF001
        return self._other.codes(material, color, rows)

    def problems(self, recorded: Mapping[str, str]) -> list[str]:
        """Return the problems with sub-tables whose SHA-256 is not the one that a file names."""
        problems = []
        for material, path in self._paths.items():
            with open_table(path, material) as file:
                if (digest := file.sha256_of(self._metric)) != recorded.get(material.name, digest):
                    problems.append(f"it was made from another {material} than {path}")
        return problems


def read_subtables(
    material: Material, *directories: str | os.PathLike[str], metric: Metric = DTM
) -> dict[Material, Table]:
    """Read the tables that moves of a material lead to; see `Subtables`.

    Raises
    ------
    MissingTableError
        If one is missing.
    """
    subtables = Subtables(material, *directories, metric=metric)
    return {needed: subtables.table(needed) for needed in material.dependencies()}
