"""What a server needs to know to have positions solved on demand, each by a process of its own."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import chess

from tablebase.solve.budget import Budget, read_budget
from tablebase.solve.places import check_solvable

# What solves a position: it takes a task as `tablebase.core.ground.tasks` says.
COMMAND = (sys.executable, "-m", "tablebase.solve.solve_one")
GRACE = 60.0  # seconds beyond the budget: to load what is needed, and for the winning line


def budget_of(text: str) -> Budget:
    """Return the budget for a position, from the text of `serve --solve`."""
    return read_budget(text)


def task_of(
    board: chess.Board, budget: Budget, directories: Iterable[Path], *, moves: bool
) -> dict[str, Any]:
    """Return the task to solve a position, and every move with `moves`, with the tables there.

    Raises `UnsupportedPositionError` if the position cannot be solved.
    """
    check_solvable(board)
    return {
        "fen": board.fen(),
        "moves": moves,
        "budget": budget,
        "directories": [str(directory) for directory in directories],
    }
