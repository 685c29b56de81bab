"""The process that solves one position for the server: ``python -m tablebase.solve.solve_one``.

It reads what to do as a line of JSON, and prints what is known by then as lines of JSON. It ends
when its standard input does, so never later than the server.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from pathlib import Path
from typing import Any

import chess

from tablebase.core.errors import TablebaseError
from tablebase.core.interruptions import INTERRUPTED, interruptions
from tablebase.core.probing import Tablebase
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
    json.dump({"done": done, "solution": describe_solution(solution)}, sys.stdout)
    sys.stdout.write("\n")
    sys.stdout.flush()


def _end_with_the_server() -> None:
    sys.stdin.read()
    os._exit(1)


def main() -> None:
    """Solve a position."""
    task = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with_the_server, daemon=True).start()
    if hasattr(os, "nice"):
        os.nice(10)  # the server's answers come first
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
