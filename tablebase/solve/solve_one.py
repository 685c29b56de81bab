"""The process that solves one position for the server: ``python -m tablebase.solve.solve_one``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import chess

from tablebase.core.answers.tablebase import Tablebase
from tablebase.core.ground.errors import TablebaseError
from tablebase.core.ground.interruptions import INTERRUPTED, interruptions
from tablebase.core.ground.tasks import tasks, tell
from tablebase.solve.answers import Solution, solve_position
from tablebase.solve.budget import Budget


def describe_solution(solution: Solution) -> dict[str, Any]:
    """Return a solution as JSON has it, the moves of its line with their names."""
    board = chess.Board(solution.fen)
    line = []
    for uci in solution.plan:
        move = chess.Move.from_uci(uci)
        line.append({"uci": uci, "san": board.san(move)})
        board.push(move)
    return solution.as_dict() | {"plan": line}


def _tell(solution: Solution, *, done: bool = False) -> None:
    tell({"done": done, "solution": describe_solution(solution)})


def main() -> None:
    """Solve a position."""
    task = next(tasks())
    try:
        with interruptions(), Tablebase(directories=map(Path, task["directories"])) as tables:
            solution = solve_position(
                chess.Board(task["fen"]),
                Budget(*task["budget"]),
                moves=task["moves"],
                tables=tables,
                progress=_tell,
            )
    except (TablebaseError, MemoryError) as error:
        sys.exit(f"solving {task['fen']} failed: {error}")
    except KeyboardInterrupt:  # before or after solving; the server has been interrupted, too
        sys.unraisablehook = lambda _: None  # what was left half done may complain
        sys.exit(INTERRUPTED)
    _tell(solution, done=True)


if __name__ == "__main__":
    main()
