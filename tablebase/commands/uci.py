"""``tablebase uci``: an engine for chess programs."""

from __future__ import annotations

import argparse
import io
import sys
from typing import Any

from tablebase.arguments import add_directory, new_command


def add_parser(commands: Any) -> None:
    """Add the command to the parser's commands."""
    text = "play from the tables as an engine for chess programs (UCI)"
    add_directory(new_command(commands, "uci", run, text))


def run(arguments: argparse.Namespace) -> int:
    """Carry the command out."""
    from tablebase.uci import Engine

    # No byte that a GUI sends may end the engine, and a path has any bytes.
    for stream, errors in ((sys.stdin, "surrogateescape"), (sys.stdout, "backslashreplace")):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=errors)
    try:
        Engine(_write, arguments.dir).run(sys.stdin)
    except KeyboardInterrupt:
        return 0  # from a terminal, the usual way to end an engine
    return 0


def _write(line: str) -> None:
    print(line, flush=True)
