"""The figures of a material: counts, histograms, longest wins, hard positions, zugzwangs."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple, Self

from tablebase.core.board.geometry import SIDES
from tablebase.core.ground.words import winner_moves
from tablebase.core.outcomes.metrics import DTM, Metric
from tablebase.core.rules.refusals import has_mates
from tablebase.core.storage.damage import damaged
from tablebase.core.storage.reading import TableFile, open_table
from tablebase.finding.find import MOST_VALUES, hardest_positions
from tablebase.report.analysis import longest_wins, zugzwang_examples
from tablebase.report.document import title_of
from tablebase.report.survey import survey_table

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
    """The figures of a version of a table file, each found when it is first asked for, and kept.

    `difficult` reads sub-tables from `directories`.
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
        """The contents, and the distances of both sides to move, found without reading values."""
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
        """Longest wins and mutual zugzwangs, found in one pass over the values.

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
        """The positions that are hardest to win and to hold.

        None if the table is too large, or of a game without mates.
        """
        with open_table(self.path) as file:
            material = file.material
            if file.size > MOST_VALUES or not has_mates(material.rules):
                return None
        hardest = hardest_positions(material, self._directories, EXAMPLES // 2, threads=1)
        return [
            {
                "fen": position.setup().fen,
                "turn": "w" if turn else "b",
                "result": result,
                "difficulty": round(position.difficulty or 0.0, 4),
            }
            for (turn, result), positions in hardest.items()
            for position in positions
        ]


_summaries = lru_cache(maxsize=512)(TableSummary)


def summary_of(path: Path, directories: tuple[Path, ...] = ()) -> TableSummary:
    """Return the figures of a file, which are kept until it is rewritten."""
    return _summaries(path, Version.of(path), directories)


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
