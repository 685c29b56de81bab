"""``tablebase uci``: an engine for chess programs."""

from __future__ import annotations

import argparse
import os
import sys

from tablebase.cli.arguments import Parser
from tablebase.cli.choice import add_directory, choose


def add_arguments(command: Parser) -> None:
    """Add the arguments of the command to its parser."""
    examples = {
        "": "wait for the commands of a chess program",
        "--dir ~/tables": "use this folder unless the program names one",
    }
    command.set_up(run, examples, game="the game is that of the engine's option UCI_Variant")
    add_directory(command)


def run(arguments: argparse.Namespace) -> int:
    """Carry the command out."""
    from tablebase.uci.engine import Engine

    path = os.pathsep.join(map(str, choose(arguments).named))
    try:
        Engine(_write, path).run(sys.stdin)
    except KeyboardInterrupt:
        return 0  # from a terminal, the usual way to end an engine
    return 0


def _write(line: str) -> None:
    print(line, flush=True)
