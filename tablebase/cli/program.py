"""The command line: parse arguments, run a command, report errors in one line.

Exit codes: 0 success, 1 a check found differences, 2 the request cannot be met (one line says why),
70 internal error, 130 interrupted.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from functools import partial
from itertools import groupby
from pathlib import Path

from tablebase._version import __version__
from tablebase.cli.arguments import Parser
from tablebase.cli.choice import add_directory
from tablebase.cli.notice import noticing
from tablebase.cli.terminal import complain, explain, telling_warnings
from tablebase.core.ground.errors import TablebaseError
from tablebase.core.ground.interruptions import INTERRUPTED, interruptions
from tablebase.core.ground.seams import COMMANDS, Command, is_there, load
from tablebase.core.ground.streams import finish_output, set_up_streams

REFUSED, FAILED = 2, 70
# Set to see where the program itself failed.
TRACEBACK = "TABLEBASE_TRACEBACK"


class _Program(Parser):
    """The parser of the program, whose help lists the commands in groups."""

    def format_help(self) -> str:
        """Return the usage, the commands by what they are for, and the options."""
        sections = [
            (group, [argparse.Action([], one.name, help=one.text) for one in some])
            for group, some in groupby(COMMANDS, key=lambda one: one.group)
        ]
        options = [one for one in self._actions if one.option_strings]
        formatter = self._get_formatter()
        formatter.add_usage(self.usage, self._actions, self._mutually_exclusive_groups)
        formatter.add_text(self.description)
        for title, actions in [*sections, ("options", options)]:
            formatter.start_section(title)
            formatter.add_arguments(actions)
            formatter.end_section()
        formatter.add_text(self.epilog)
        return formatter.format_help()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    _open_closed_streams()
    set_up_streams()
    try:
        return _run(arguments)
    finally:
        finish_output()


def _open_closed_streams() -> None:
    """Put a null device where a stream was closed, or a table could get its number."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            stream = Path(os.devnull).open(mode, encoding="utf-8")  # noqa: SIM115 (stays open)
            setattr(sys, name, stream)


def _run(arguments: Sequence[str] | None) -> int:
    completes = "_ARGCOMPLETE" in os.environ
    parser, parsed = make_parser(fill=completes), argparse.Namespace(resumes=False)
    if completes:
        import argcomplete

        argcomplete.autocomplete(parser)
    try:
        parser.parse_args(arguments, parsed)
        if parsed.run is None:
            parser.print_help(sys.stderr)
            return REFUSED
        if parsed.dir_before and "dir" not in parsed:
            parser.error(f"`tablebase {parsed.command}` does not use --dir: leave it out")
        with interruptions(), telling_warnings(), noticing(parsed.command, parsed.task):
            code: int = parsed.run(parsed)
            sys.stdout.flush()
    except KeyboardInterrupt:
        complain("interrupted" + "; run the same command again to resume" * parsed.resumes)
        return INTERRUPTED
    except BrokenPipeError:  # the reader of a pipe has seen enough
        return 0
    except (TablebaseError, OSError, MemoryError) as error:
        complain(explain(error))
        return REFUSED
    except Exception as error:
        if "can't start new thread" in str(error):
            complain(f"{error}: a limit of memory or processes is too low")
            return REFUSED
        if TRACEBACK in os.environ:
            raise
        what = f"{type(error).__name__}: {explain(error)}"
        complain(f"internal error, please report it: {what} ({TRACEBACK}=1 shows where)")
        return FAILED
    return code


def make_parser(*, fill: bool = True) -> argparse.ArgumentParser:
    """Return the parser of all commands, each of which is filled when it is used."""
    parser = _Program(
        prog="tablebase",
        description="Build and use chess endgame tablebases with exact distances to mate.",
        epilog="Run `tablebase COMMAND --help` for details and examples.",
    )
    parser.add_argument("--version", action="version", version=f"tablebase {__version__}")
    add_directory(parser, where="dir_before")
    parser.set_defaults(run=None, resumes=False)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", parser_class=Parser)
    for command in COMMANDS:
        one: Parser = commands.add_parser(
            command.name,
            help=command.text,
            description=f"{command.text[0].upper()}{command.text[1:]}.",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        one.fill = partial(_fill, command)
        if fill and is_there(command.module):
            one.filled()
    return parser


def _fill(command: Command, parser: Parser) -> None:
    load(command.module, f"`tablebase {command.name}`").add_arguments(parser)
