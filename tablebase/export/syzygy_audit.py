"""Syzygy files of any origin, compared cell by cell with our tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tablebase.core.board.geometry import Color
from tablebase.core.checking.reach import load_successors
from tablebase.core.ground.errors import MissingTableError
from tablebase.core.outcomes.codes import DRAW
from tablebase.core.outcomes.metrics import DTZ, signed
from tablebase.core.positions.setup import Setup
from tablebase.core.rules.material import Material
from tablebase.core.storage.reading import open_table
from tablebase.core.storage.subtables import Subtables
from tablebase.core.storage.table_names import find_table
from tablebase.export.reports import Audit, Mismatch
from tablebase.export.syzygy_cells import (
    LISTED,
    CellSource,
    Distances,
    by_threats,
    gather,
    squares_at,
    wrong_distances,
    wrong_results,
)
from tablebase.export.syzygy_facts import SYZYGY_RESULTS, UP_TO, find_facts
from tablebase.export.syzygy_games import named_file
from tablebase.export.syzygy_layout import PAWN_FILES
from tablebase.export.syzygy_reading import (
    EXACT_LOSSES,
    EXACT_WINS,
    Part,
    read_syzygy,
)

_NAMES = ("a loss", "a blessed loss", "a draw", "a cursed win", "a win")
_CELLS_AT_ONCE = 1 << 22


class Sources:
    """The positions of a material by side to move, from files of ours; the last side is kept."""

    def __init__(
        self, material: Material, folders: Sequence[Path], threads: int | None = None
    ) -> None:
        self._material, self._folders, self._threads = material, folders, threads
        path = find_table(material, folders)
        if path is None:
            raise MissingTableError.of([material], folders)
        with open_table(path, material) as file:
            self._table = file.read(DTZ, threads=threads)
        self._last: CellSource | None = None

    def of(self, color: Color) -> CellSource:
        """Return the positions with a side to move."""
        if self._last is None or self._last.color != color:
            self._last = None
            self._last = self._make(color)
        return self._last

    def _make(self, color: Color) -> CellSource:
        table, threads = self._table, self._threads
        # Read for each side to move: they would take room while tables are made.
        subtables = Subtables(self._material, *self._folders, metric=DTZ, threads=threads)
        successors = load_successors(table, subtables.codes, subtables.outcomes, threads=threads)
        facts = find_facts(table, successors, color, threads=threads)
        offset = self._material.rules.ply_offset
        outcomes = _less(table.outcomes[color], offset) if offset else table.outcomes[color]
        return CellSource(table.index, color, table.codes[color], outcomes, facts)


def _less(outcomes: NDArray[np.int16], offset: int) -> NDArray[np.int16]:
    """Return outcomes with some plies less, which all but draws have."""
    fewer: NDArray[np.int16] = outcomes - offset * np.sign(outcomes)
    return fewer


@dataclass
class Comparison:
    """Result of comparing cells so far; see `Audit`."""

    compared: int = 0
    different: int = 0
    first: Mismatch | None = None

    def add(self, source: CellSource, part: Part, *, is_wdl: bool) -> None:
        """Compare a table of a file."""
        distances = Distances.of(
            source.outcomes,
            exact_wins=bool(part.flags & EXACT_WINS),
            exact_losses=bool(part.flags & EXACT_LOSSES),
        )
        for start in range(0, len(part.values), _CELLS_AT_ONCE):
            cells = range(start, min(start + _CELLS_AT_ONCE, len(part.values)))
            expected = gather(source, part.cells, distances=not is_wdl, cell_range=cells)
            if not is_wdl:
                expected[np.isin(expected, by_threats(source))] = DRAW
            values = part.values[cells.start : cells.stop]
            if is_wdl:
                compared, different, wrong = wrong_results(expected, values)
            else:
                compared, different, wrong = wrong_distances(expected, values, distances, part.maps)
            self.compared += compared
            self.different += different
            if different and self.first is None:
                words = _words(expected[wrong], values[wrong], source, part, is_wdl=is_wdl)
                squares = squares_at(source.material, part.cells, start + wrong)
                wrongly = Setup(source.material, tuple(squares), source.color)
                self.first = Mismatch(wrongly.fen, *words)


def _words(
    expected: np.uint8, value: np.uint16, source: CellSource, part: Part, *, is_wdl: bool
) -> tuple[str, str]:
    """Return the results of a cell in words: its own, and the expected result."""
    if is_wdl:
        fact = int(expected)
        right = _NAMES[fact] if fact < SYZYGY_RESULTS else f"{_NAMES[fact - UP_TO]} or less"
        return _NAMES[value], right
    outcome = int(source.outcomes[expected])
    result = Distances.of(source.outcomes, exact_wins=True, exact_losses=True).results[expected]
    stored: int | None = int(value)
    if part.maps:
        listed = part.maps[LISTED.index(result)]
        stored = int(listed[value]) if value < len(listed) else None
    found = "no distance at all" if stored is None else f"{stored} as the distance stored"
    return found, f"a DTZ of {signed(outcome, DTZ)}"


def audit_syzygy(
    path: Path,
    folders: Sequence[Path],
    *,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Audit:
    """Compare every cell of a Syzygy file with our tables.

    Parameters
    ----------
    path
        The file, like ``KRvK.rtbw`` or ``KRvK.rtbz``; its suffix tells the game.
    folders
        Where our tables are, with distances to zeroing.
    threads
        How many threads to use; by default one for each processor.
    progress
        Called with the numbers of tables compared and of all.

    Returns
    -------
    Audit
        What was found.

    Raises
    ------
    CorruptTableError
        If the file, or one of ours, is damaged.
    MissingTableError
        If one of ours is missing.
    InvalidMaterialError
        If the file is not named as Syzygy files are.
    """
    material, kind = named_file(path)
    is_wdl = not kind.has_distances
    comparison = Comparison()
    sources = Sources(material, folders, threads)
    total = PAWN_FILES if material.has_pawns else 1
    total *= 2 if is_wdl and not material.is_symmetric else 1
    for done, part in enumerate(read_syzygy(path), 1):
        comparison.add(sources.of(part.color), part, is_wdl=is_wdl)
        if progress is not None:
            progress(done, total)
    return Audit(path, material, comparison.compared, comparison.different, comparison.first)
