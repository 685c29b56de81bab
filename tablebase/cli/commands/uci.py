"""``tablebase uci``: an engine for chess programs."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any

from tablebase.cli.arguments import add_directory, directories_of, new_command


def add_parser(commands: Any) -> None:
    """Add the command to the parser's commands."""
    text = "play from the tables as an engine for chess programs (UCI)"
    examples = {
        "": "wait for the commands of a chess program",
        "--dir ~/tables": "use this folder unless the program names one",
    }
    add_directory(new_command(commands, "uci", run, text, examples, speaks=True))


def run(arguments: argparse.Namespace) -> int:
    """Carry the command out."""
    from tablebase.uci import Engine

    path = os.pathsep.join(map(str, directories_of(arguments)))
    try:
        Engine(_write, path).run(sys.stdin)
    except KeyboardInterrupt:
        return 0  # from a terminal, the usual way to end an engine
    return 0


def _write(line: str) -> None:
    print(line, flush=True)
