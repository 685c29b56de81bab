"""A process beside the server: it carries out tasks with the tables of the server's folders."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from tablebase.core.answers.tablebase import Tablebase
from tablebase.core.ground.errors import TablebaseError
from tablebase.core.ground.interruptions import INTERRUPTED, interruptions
from tablebase.core.ground.tasks import tasks, tell
from tablebase.serve.jobs import FAILED

Work = Callable[[Tablebase, dict[str, Any]], None]


def carry_out_tasks(work: Work, doing: str) -> None:
    """Carry out tasks, which name ``directories``; `work` tells what it finds."""
    try:
        with interruptions():
            for task in tasks():
                tell({"done": True, "problem": problem_of(work, doing, task)})
    except KeyboardInterrupt:  # the server has been interrupted, too
        sys.unraisablehook = lambda _: None  # what was left half done may complain
        sys.exit(INTERRUPTED)


def problem_of(work: Work, doing: str, task: dict[str, Any]) -> str | None:
    """Carry out a task, and return the message to clients if that fails."""
    try:
        work(_opened(tuple(task["directories"])), task)
    except (TablebaseError, OSError, MemoryError) as error:
        sys.stderr.write(f"{doing} failed: {error}\n")
        return FAILED
    return None


@cache
def _opened(directories: tuple[str, ...]) -> Tablebase:
    return Tablebase(directories=map(Path, directories))
