"""The process that solves castling sets for the server; it keeps them for its next tasks.

It is run as ``python -m tablebase.serve.castling_solver``.
"""

from __future__ import annotations

import base64
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablebase.core.answers.tablebase import Tablebase
from tablebase.core.castling.placements import CastlingSet
from tablebase.core.ground.tasks import tell
from tablebase.core.rules.material import Material
from tablebase.serve.beside import carry_out_tasks
from tablebase.serve.lichess import describe_standard, read_legal

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


def solve_sets(tables: Tablebase, task: dict[str, Any]) -> None:
    """Solve what the answer about a position needs, and tell all of it."""
    for sets in tables.castling_sets.values():
        sets.take_down()
    describe_standard(tables, read_legal(task["fen"]), difficulty=task["difficulty"])
    for metric, sets in tables.castling_sets.items():
        for placed, outcomes in sets.take_down().items():
            tell({"set": packed(metric, placed, outcomes)})


if __name__ == "__main__":
    carry_out_tasks(solve_sets, "solving positions with castling rights")
