"""The process that searches for mates: ``python -m tablebase.serve.mating_search``."""

from __future__ import annotations

import sys
from typing import Any

from tablebase.core.answers.tablebase import Tablebase
from tablebase.core.ground.tasks import tell
from tablebase.serve.beside import carry_out_tasks
from tablebase.serve.chances import describe_chances
from tablebase.serve.lichess import read_legal

COMMAND = (sys.executable, "-m", "tablebase.serve.mating_search")


def search_position(tables: Tablebase, task: dict[str, Any]) -> None:
    """Search for a mate by each side, and tell what was found."""
    tell({"chances": describe_chances(tables, read_legal(task["fen"]), search=True)})


if __name__ == "__main__":
    carry_out_tasks(search_position, "searching for a mate")
