"""The process that solves one position for the server: ``python -m tablebase.solve.solve_one``.

It reads a request as a line of JSON, prints what it finds as lines of JSON, and ends when its
standard input does, so never later than the server.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

import chess

from tablebase.core.compiling import compilation
from tablebase.core.errors import TablebaseError
from tablebase.core.interruptions import INTERRUPTED, interruptions
from tablebase.core.probing import Tablebase
from tablebase.solve.answers import Solution, solve_position
from tablebase.solve.budget import Budget

_WRITING = threading.Lock()  # lines of two threads
_BETWEEN = 0.2  # seconds between looks at the compiler


def describe_solution(solution: Solution) -> dict[str, Any]:
    """Return a solution as JSON has it, the moves of its line with their names."""
    board = chess.Board(solution.fen)
    line = []
    for uci in solution.plan:
        move = chess.Move.from_uci(uci)
        line.append({"uci": uci, "san": board.san(move)})
        board.push(move)
    return solution.as_dict() | {"plan": line}


def _write(line: dict[str, Any]) -> None:
    with _WRITING:
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()


def _tell(solution: Solution, *, done: bool = False) -> None:
    _write({"done": done, "solution": describe_solution(solution)})


def _tell_compiling() -> None:
    """Tell when compiling begins and ends, which takes its time on first use only."""
    told = False
    while True:
        if told != compilation.is_running:
            told = not told
            _write({"compiling": told})
        time.sleep(_BETWEEN)


def _end_with_the_server() -> None:
    sys.stdin.read()
    os._exit(1)


def main() -> None:
    """Solve a position."""
    task = json.loads(sys.stdin.readline())
    for task_of_thread in (_end_with_the_server, _tell_compiling):
        threading.Thread(target=task_of_thread, daemon=True).start()
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
