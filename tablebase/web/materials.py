"""The figures of a material: counts, histograms, longest wins, hard positions, zugzwangs."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import chess
import numpy as np

from tablebase.core.board import SIDES
from tablebase.core.errors import MissingTableError
from tablebase.core.outcomes import DTM, Metric, metric_named
from tablebase.core.positions import COLORS
from tablebase.core.rules import Material
from tablebase.core.storage import TableFile, damaged, open_table
from tablebase.core.words import winner_moves
from tablebase.study import (
    MOST_VALUES,
    hardest_positions,
    longest_wins,
    survey_table,
    title_of,
    zugzwang_examples,
)

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from numpy.typing import NDArray

    from tablebase.core.probing import Tablebase

EXAMPLES = 8
_RESULTS = ("win", "draw", "loss")
_RESULTS_OF_ZEROING = ("cursed_win", "blessed_loss")  # among the above


class Version(NamedTuple):
    """What changes when a file is rewritten."""

    inode: int
    size: int
    written: int

    @classmethod
    def of(cls, path: Path) -> Self:
        """Return the version of a file."""
        state = path.stat()
        return cls(state.st_ino, state.st_size, state.st_mtime_ns)


class TableSummary:
    """The figures of a table file: each is found when it is first asked for, and kept.

    Parameters
    ----------
    path
        The file.
    version
        Its version.
    directories
        Where sub-tables are, which `difficult` reads.
    """

    def __init__(self, path: Path, version: Version, directories: tuple[Path, ...]) -> None:
        self.path = path
        self._version = version
        self._directories = directories

    @cached_property
    def contents(self) -> dict[str, Any]:
        """The fields of `schemas.Table`, but for the material's."""
        with open_table(self.path) as file:
            try:
                return {"bytes": self._version.size} | _describe_file(file)
            except (LookupError, TypeError, AttributeError) as error:
                raise damaged(self.path, "its attributes make no sense") from error

    @cached_property
    def figures(self) -> dict[str, Any]:
        """The fields of `schemas.Material`, found without reading values."""
        with open_table(self.path) as file:
            material, counts = file.material, file.counts
            try:
                distances = _distances(counts, file.metrics)
            except (LookupError, TypeError) as error:
                raise damaged(self.path, "its attributes make no sense") from error
        about = {
            "material": material.name,
            "men": material.piece_count,
            "title": title_of(material),
            "symmetric": material.is_symmetric,
        }
        return about | self.contents | distances

    @cached_property
    def survey(self) -> dict[str, Any] | None:
        """The fields of `schemas.Survey` but the material, found in one pass over the values.

        None if the table is too large, or has no distances to mate.
        """
        with open_table(self.path) as file:
            if file.size > MOST_VALUES or DTM not in file.metrics:
                return None
            counts, table = file.counts, file.read(threads=1)
        survey = survey_table(table, threads=1)
        longest = longest_wins(table, counts, EXAMPLES)
        return {
            "longest_wins": {side: [one.fen for one in longest[side]] for side in longest},
            "mutual_zugzwangs": {
                **survey.zugzwang_counts(),
                "examples": [one.as_dict() for one in zugzwang_examples(table, survey, EXAMPLES)],
            },
        }

    @cached_property
    def difficult(self) -> list[dict[str, Any]] | None:
        """The positions that are hardest to win and to hold; None if the table is too large."""
        with open_table(self.path) as file:
            material = file.material
            if file.size > MOST_VALUES:
                return None
        hardest = hardest_positions(material, self._directories, EXAMPLES // 2, threads=1)
        return [
            {
                "fen": position.board().fen(),
                "turn": "w" if turn else "b",
                "result": result,
                "difficulty": round(position.difficulty or 0.0, 4),
            }
            for (turn, result), positions in hardest.items()
            for position in positions
        ]

    @property
    def metric(self) -> Metric:
        """The first metric of the file."""
        return metric_named(self.contents["metrics"][0])

    @property
    def longest_win(self) -> dict[str, Any] | None:
        """The longest win of that metric, None if nothing is won."""
        longest: dict[str, Any] | None = self.contents[f"{self.metric.prefix}longest_win"]
        return longest

    @cached_property
    def longest_slots(self) -> NDArray[np.int64]:
        """The slots with the longest win, none if there are too many values to scan."""
        longest = self.longest_win
        assert longest is not None
        color = COLORS[chess.Board(longest["fen"]).turn]
        with open_table(self.path) as file:
            if file.size > MOST_VALUES or not file.side_stored(color):
                return np.empty(0, dtype=np.int64)
            wanted = file.outcomes(self.metric)[color] == longest["plies"]
            return np.flatnonzero(wanted[file.codes(color, metric=self.metric, threads=1)])


_summaries = lru_cache(maxsize=512)(TableSummary)


def summary_of(path: Path, directories: tuple[Path, ...] = ()) -> TableSummary:
    """Return the figures of a file, the same ones until it is rewritten."""
    return _summaries(path, Version.of(path), directories)


def available_material(tablebase: Tablebase, name: str) -> Material:
    """Return a material by name, the stronger side White, if its table is available.

    Raises
    ------
    InvalidMaterialError
        If the name is not one of a material.
    MissingTableError
        If the table is not available.
    """
    material = Material.from_name(name).normalized()
    if material not in tablebase.available_materials:
        raise MissingTableError(f"no table of {material}")
    return material


def table_of(tablebase: Tablebase, name: str) -> tuple[Material, TableSummary]:
    """Return a material and the figures of its table.

    Raises what `available_material` does.
    """
    material = available_material(tablebase, name)
    try:
        path = tablebase.available_tables[material.name]
        return material, summary_of(path, tablebase.directories)
    except (KeyError, FileNotFoundError) as error:  # it has just been removed
        raise MissingTableError(f"no table of {material}") from error


def describe_material(tablebase: Tablebase, name: str) -> dict[str, Any]:
    """Return the figures in the file of a material, without reading values.

    Parameters
    ----------
    tablebase
        The tables.
    name
        The material, whichever side is the stronger one.

    Returns
    -------
    dict
        The fields of `schemas.Material`.

    Raises
    ------
    InvalidMaterialError
        If the name is not one of a material.
    MissingTableError
        If the table is not available.
    CorruptTableError
        If the file is damaged.
    """
    return table_of(tablebase, name)[1].figures


def survey_material(tablebase: Tablebase, name: str) -> dict[str, Any] | None:
    """Return the figures of one pass over a table; None if the table is too large.

    Parameters
    ----------
    tablebase, name
        As for `describe_material`.

    Returns
    -------
    dict or None
        The fields of `schemas.Survey`. None also for a table without distances to mate.

    Raises what `describe_material` does.
    """
    material, table = table_of(tablebase, name)
    return table.survey and {"material": material.name, **table.survey}


def difficult_positions(tablebase: Tablebase, name: str) -> dict[str, Any] | None:
    """Return the positions of a table that are hardest to win and to hold.

    Parameters
    ----------
    tablebase, name
        As for `describe_material`.

    Returns
    -------
    dict or None
        The fields of `schemas.Difficult`; None if the table is too large.

    Raises what `describe_material` does; `MissingTableError` also if there are no distances to
    zeroing.
    """
    material, table = table_of(tablebase, name)
    found = table.difficult
    return None if found is None else {"material": material.name, "positions": found}


def _describe_file(file: TableFile) -> dict[str, Any]:
    sides = {
        side: {
            result: counts["inequivalent"][result]
            for result in (*_RESULTS, *_RESULTS_OF_ZEROING)
            if result in _RESULTS or result in counts["inequivalent"]
        }
        for side, counts in file.counts.items()
    }
    described: dict[str, Any] = {
        "metrics": [metric.name for metric in file.metrics],
        "positions": sum(side[result] for side in sides.values() for result in _RESULTS),
        **sides,
    }
    for metric in file.metrics:
        described[f"{metric.prefix}sha256"] = file.attributes[f"{metric.prefix}sha256"]
        described[f"{metric.prefix}longest_win"] = _longest_win(file, metric)
    return described


def _longest_win(file: TableFile, metric: Metric) -> dict[str, Any] | None:
    wins = [win for win in file.attributes[f"{metric.prefix}longest_wins"].values() if win]
    if not wins:
        return None
    longest = max(wins, key=lambda win: win["plies"])
    plies, fen = longest["plies"], longest["fen"]
    moves = {"moves": winner_moves(plies)} if metric == DTM else {}
    return {"plies": plies, **moves, "fen": fen}


def _distances(counts: dict[str, Any], metrics: Iterable[Metric]) -> dict[str, Any]:
    return {
        "histograms": {
            metric.name: {
                side: counts[side]["inequivalent"][f"{metric}_histogram"] for side in SIDES
            }
            for metric in metrics
        },
        "longest": {
            metric.name: {
                side: {
                    result: counts[side][f"{metric.prefix}longest_{result}"]
                    for result in ("win", "loss")
                }
                for side in SIDES
            }
            for metric in metrics
        },
    }
