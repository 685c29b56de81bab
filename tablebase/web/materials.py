"""The figures of a material: histograms, longest wins, mutual zugzwangs."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from tablebase.core.board import SIDES
from tablebase.core.outcomes import DTM
from tablebase.core.storage import damaged, open_table
from tablebase.study import (
    MOST_VALUES,
    hardest_positions,
    longest_wins,
    survey_table,
    title_of,
    zugzwang_examples,
)
from tablebase.web.overview import describe_table, table_of

if TYPE_CHECKING:
    from pathlib import Path

    from tablebase.core.probing import Tablebase
    from tablebase.core.rules import Material

EXAMPLES = 8


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
    return summarize_table(*table_of(tablebase, name))


def summarize_table(material: Material, path: Path, state: tuple[int, ...]) -> dict[str, Any]:
    """Return the figures in a file as `describe_material` does.

    Parameters
    ----------
    material
        Its men.
    path
        The file.
    state
        Its state, see `overview.state_of`.
    """
    described = describe_table(path, *state) | _distances(path, *state)
    about = {
        "material": material.name,
        "men": material.piece_count,
        "title": title_of(material),
        "symmetric": material.is_symmetric,
    }
    return about | described


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
    material, path, state = table_of(tablebase, name)
    found = survey_of(path, state)
    return None if found is None else {"material": material.name, **found}


def survey_of(path: Path, state: tuple[int, ...]) -> dict[str, Any] | None:
    """Return the figures of one pass over a file as `survey_material` does, but the material.

    Parameters
    ----------
    path
        The file.
    state
        Its state, see `overview.state_of`.
    """
    return _survey(path, *state)


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
    material, path, state = table_of(tablebase, name)
    found = _difficult(material, tablebase.directories, path, *state)
    return None if found is None else {"material": material.name, "positions": list(found)}


@lru_cache(maxsize=256)
def _difficult(
    material: Material,
    directories: tuple[Path, ...],
    path: Path,
    _inode: int,
    _size: int,
    _written: int,
) -> tuple[dict[str, Any], ...] | None:
    with open_table(path) as file:
        if file.size > MOST_VALUES:
            return None
    hardest = hardest_positions(material, directories, EXAMPLES // 2, threads=1)
    return tuple(
        {
            "fen": position.board().fen(),
            "turn": "w" if turn else "b",
            "result": result,
            "difficulty": round(position.difficulty or 0.0, 4),
        }
        for (turn, result), positions in hardest.items()
        for position in positions
    )


@lru_cache(maxsize=512)
def _distances(path: Path, _inode: int, _size: int, _written: int) -> dict[str, Any]:
    with open_table(path) as file:
        counts = file.counts
        try:
            return {
                "histograms": {
                    metric.name: {
                        side: counts[side]["inequivalent"][f"{metric}_histogram"] for side in SIDES
                    }
                    for metric in file.metrics
                },
                "longest": {
                    metric.name: {
                        side: {
                            result: counts[side][f"{metric.prefix}longest_{result}"]
                            for result in ("win", "loss")
                        }
                        for side in SIDES
                    }
                    for metric in file.metrics
                },
            }
        except (LookupError, TypeError) as error:
            raise damaged(path, "its attributes make no sense") from error


@lru_cache(maxsize=256)
def _survey(path: Path, _inode: int, _size: int, _written: int) -> dict[str, Any] | None:
    with open_table(path) as file:
        if file.size > MOST_VALUES or DTM not in file.metrics:
            return None
        counts, table = file.counts, file.read(threads=1)
    survey = survey_table(table, threads=1)
    longest = longest_wins(table, counts, EXAMPLES)
    return {
        "longest_wins": {side: [board.fen() for board in longest[side]] for side in longest},
        "mutual_zugzwangs": {
            **survey.zugzwang_counts(),
            "examples": [one.as_dict() for one in zugzwang_examples(table, survey, EXAMPLES)],
        },
    }
