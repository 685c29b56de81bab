"""Whole tables as data: every legal position with its value, in columns."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from html import escape
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablebase.core.answers.notebooks import table_html
from tablebase.core.board.geometry import SIDES, Color
from tablebase.core.ground.argument_readers import require_function
from tablebase.core.ground.errors import MissingTableError
from tablebase.core.ground.locations import folders_of
from tablebase.core.ground.words import side_in_words
from tablebase.core.outcomes.metrics import DTM, DTZ, HELPMATES
from tablebase.core.reading.given import as_material, as_turn
from tablebase.core.rules.material import Material
from tablebase.core.rules.refusals import require_helpmates
from tablebase.core.storage.reading import open_table
from tablebase.core.storage.subtables import read_subtables
from tablebase.core.storage.table_names import find_table
from tablebase.core.tables.table import Table
from tablebase.finding.choices import CANONICAL
from tablebase.finding.conditions import Conditions
from tablebase.finding.positions import FoundPosition, Positions
from tablebase.finding.scan import Search

_RESULTS = ("win", "draw", "loss")
_BLOCK = 1 << 18  # positions at once, which bounds the memory of their moves


@dataclass(frozen=True, eq=False, repr=False)
class TableData:
    """A whole table in memory."""

    table: Table  # codes of distances to mate, for both sides to move
    zeroing: Table | None = None  # of distances to zeroing, None without them
    directories: Sequence[Path] = ()  # where the sub-tables are

    def __repr__(self) -> str:
        metrics = f"{DTM.name} and {DTZ.name}" if self.zeroing is not None else DTM.name
        return f"<TableData: {self.material} with {metrics}>"

    def _repr_html_(self) -> str:
        path = find_table(self.material, self.directories)
        if path is None:
            return escape(repr(self))
        with open_table(path, self.material) as file:
            counts = file.counts
        rows = [
            (
                side_in_words(side),
                *(f"{counts[side][one]:,}" for one in _RESULTS),
                str((counts[side]["longest_win"] or {"plies": ""})["plies"]),
            )
            for side in SIDES
        ]
        return table_html([(str(self.material), *_RESULTS, "longest win in plies"), *rows])

    @property
    def material(self) -> Material:
        """The men."""
        return self.table.material

    def subtables(self) -> dict[Material, Table]:
        """Read the tables that moves lead to; `MissingTableError` if one is missing."""
        there = [directory for directory in self.directories if directory.is_dir()]
        return read_subtables(self.material, *there)

    def helpmates(self, conditions: Conditions) -> dict[Color, Table]:
        """Read the helpmates that conditions need, by the colour that mates.

        Raises `MissingTableError` if the table has none, `InvalidRulesError` if the game has none.
        """
        if not conditions.need_helpmates:
            return {}
        require_helpmates(self.material.rules)
        path = find_table(self.material, self.directories)
        if path is None:
            return {}
        with open_table(path, self.material) as file:
            return {color: file.read(HELPMATES[color]) for color in conditions.need_helpmates}

    def positions(
        self,
        keep: Callable[[Positions], NDArray[np.bool_]] | None = None,
        *,
        turn: bool | None = None,
        images: str = CANONICAL,
        columns: str | Sequence[str] = (),
        split_seed: int = 0,
    ) -> Positions:
        """Return the legal positions, by index, with a side to move or both (White first).

        `keep` chooses among all positions of a side; `images` are ``canonical``, one of each, or
        ``all``. A symmetric material has Black's positions as well, which are twins of White's.
        `columns` are further ones: ``orbit``, ``split`` by `split_seed`, ``best``, which needs
        the sub-tables, and ``help``, which needs helpmates, with `MissingTableError` without them.
        """
        require_function("keep", keep)
        asked: Any = {"images": images, "columns": columns, "split_seed": split_seed}
        if keep is None:
            return Positions.joined(list(self.iter_blocks(turn=turn, **asked)))
        sides = [self.positions(turn=one, **asked) for one in _turns(turn)]
        return Positions.joined([side.where(keep(side)) for side in sides])

    def iter_blocks(
        self,
        *,
        turn: bool | None = None,
        images: str = CANONICAL,
        columns: str | Sequence[str] = (),
        split_seed: int = 0,
        progress: Callable[[int, int], None] | None = None,
    ) -> Iterator[Positions]:
        """Yield the positions in blocks, at least one, in the order of `positions`.

        `progress` gets the rows that were looked through, and all, for each side to move.
        """
        sides = _turns(turn)
        asked = Conditions(images=images, columns=columns, split_seed=split_seed)
        subtables = self.subtables() if asked.need_subtables else None
        helpmates = self.helpmates(asked)
        for number, one in enumerate(sides):
            only = replace(asked, turn=one)
            search = Search(self.table, self.zeroing, only, subtables, helpmates=helpmates)
            one_of_all = progress and partial(_after, progress, number, len(sides))
            for found in search.matches(progress=one_of_all):
                for start in range(0, len(found.slots) or 1, _BLOCK):
                    yield search.positions_of(found.at(slice(start, start + _BLOCK)))

    def iter_positions(
        self, *, turn: bool | None = None, images: str = CANONICAL
    ) -> Iterator[FoundPosition]:
        """Yield the positions one by one; see `positions`."""
        return chain.from_iterable(self.iter_blocks(turn=turn, images=images))


def _after(
    progress: Callable[[int, int], None], before: int, passes: int, done: int, total: int
) -> None:
    """Return the progress of one pass over rows as part of the progress of several passes."""
    progress(before * total + done, passes * total)


def _turns(turn: bool | None) -> list[bool]:  # noqa: FBT001 (a side to move, as in python-chess)
    return [True, False] if turn is None else [as_turn(turn)]


def load_table(
    material: str | Material, directory: str | os.PathLike[str] | None = None
) -> TableData:
    """Read a whole table into memory.

    Parameters
    ----------
    material
        The men, by name or as a `Material`. White is the stronger side.
    directory
        Folder of files named like ``KRNK.h5``; by default those of `open_tablebase`.

    Returns
    -------
    TableData
        The table.

    Raises
    ------
    InvalidMaterialError
        If there is no such material.
    MissingTableError
        If there is no such file, or it has no distances to mate.
    CorruptTableError
        If the file is damaged.

    Examples
    --------
    >>> load_table("KRK", "data")
    <TableData: KRK with dtm and dtz>
    """
    directories = folders_of(directory)
    return load_first(as_material(material).normalized(), directories)


def load_first(wanted: Material, directories: Sequence[Path]) -> TableData:
    """Read the table of a normalized material from the first folder that has it.

    Errors are those of `load_table`.
    """
    path = find_table(wanted, directories)
    if path is None:
        raise MissingTableError.of([wanted], directories)
    with open_table(path, wanted) as file:
        zeroing = file.read(DTZ) if DTZ in file.metrics else None
        tables = (table and replace(table, material=wanted) for table in (file.read(DTM), zeroing))
        return TableData(*tables, directories=directories)  # type: ignore[arg-type, misc]
