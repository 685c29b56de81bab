"""The command line: read the arguments, carry out a command, say in one line what went wrong.

Exit codes: 0 all is well, 1 a check found differences, 2 the request cannot be met (one line says
why), 130 interrupted.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from tablebase._version import __version__
from tablebase.commands import (
    build,
    butterfly,
    count,
    info,
    plan,
    play,
    probe,
    report,
    serve,
    stats,
    uci,
    verify,
)
from tablebase.errors import TablebaseError

# In the order of the help.
COMMANDS = (build, plan, probe, play, serve, info, count, stats, report, butterfly, verify, uci)
REFUSED, INTERRUPTED = 2, 130


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    parser = argparse.ArgumentParser(
        prog="tablebase",
        description="Generate, store and probe chess endgame tablebases: exact distances to mate.",
    )
    parser.add_argument("--version", action="version", version=f"tablebase {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add_parser(commands)
    return parser


def explain(error: BaseException) -> str:
    """Return what went wrong in one line."""
    if isinstance(error, OSError) and error.strerror and not isinstance(error, TablebaseError):
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror}"
    return " ".join(str(error).split()) or type(error).__name__


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    parsed = make_parser().parse_args(arguments)
    try:
        code: int = parsed.run(parsed)
        sys.stdout.flush()
    except KeyboardInterrupt:
        print("tablebase: interrupted; the same command goes on", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # the reader of a pipe has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (TablebaseError, OSError, MemoryError) as error:
        print(f"tablebase: {explain(error)}", file=sys.stderr)
        return REFUSED
    return code
