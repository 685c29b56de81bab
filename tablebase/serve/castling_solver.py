"""The process that solves castling sets for the server; it keeps them for its next tasks.

It is run as ``python -m tablebase.serve.castling_solver``.
"""

from __future__ import annotations

import base64
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tablebase.core.answers.tablebase import Tablebase
from tablebase.core.castling.placements import CastlingSet
from tablebase.core.ground.errors import TablebaseError
from tablebase.core.ground.interruptions import INTERRUPTED, interruptions
from tablebase.core.ground.tasks import tasks, tell
from tablebase.core.rules.material import Material
from tablebase.serve.jobs import FAILED
from tablebase.serve.lichess import describe_standard, read_legal

if TYPE_CHECKING:
    from numpy.typing import NDArray

COMMAND = (sys.executable, "-m", "tablebase.serve.castling_solver")
_CODE = np.dtype("<i2")


def packed(metric: str, placed: CastlingSet, outcomes: NDArray[np.int16]) -> dict[str, Any]:
    """Return a solved set as JSON types, for `unpacked`."""
    return {
        "metric": metric,
        "material": placed.material.name,
        "homes": placed.homes,
        "outcomes": base64.b64encode(outcomes.astype(_CODE).tobytes()).decode(),
    }


def unpacked(given: dict[str, Any]) -> tuple[str, CastlingSet, NDArray[np.int16]]:
    """Return a metric, a set and its outcomes.

    >>> placed = CastlingSet(Material.from_name("KRK"), (4, -1, 7))
    >>> unpacked(packed("dtm", placed, np.arange(3, dtype=np.int16)))[2].tolist()
    [0, 1, 2]
    """
    placed = CastlingSet(Material.from_name(given["material"]), tuple(given["homes"]))
    outcomes = np.frombuffer(base64.b64decode(given["outcomes"]), dtype=_CODE)
    return given["metric"], placed, outcomes.astype(np.int16)


def _solve(tables: Tablebase, task: dict[str, Any]) -> None:
    """Solve what the answer about a position needs, and tell all of it."""
    for sets in tables.castling_sets.values():
        sets.take_down()
    describe_standard(tables, read_legal(task["fen"]), difficulty=task["difficulty"])
    for metric, sets in tables.castling_sets.items():
        for placed, outcomes in sets.take_down().items():
            tell({"set": packed(metric, placed, outcomes)})


def main() -> None:
    """Carry out tasks."""
    try:
        with interruptions():
            for task in tasks():
                tell({"done": True, "problem": problem_of(task)})
    except KeyboardInterrupt:  # the server has been interrupted, too
        sys.unraisablehook = lambda _: None  # what was left half done may complain
        sys.exit(INTERRUPTED)


@cache
def _opened(directories: tuple[str, ...]) -> Tablebase:
    return Tablebase(directories=map(Path, directories))


def problem_of(task: dict[str, Any]) -> str | None:
    """Carry out a task, and return the message to clients if that fails."""
    try:
        _solve(_opened(tuple(task["directories"])), task)
    except (TablebaseError, OSError, MemoryError) as error:
        sys.stderr.write(f"solving positions with castling rights failed: {error}\n")
        return FAILED
    return None


if __name__ == "__main__":
    main()
