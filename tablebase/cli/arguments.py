"""Arguments that several commands share."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn, Self
from urllib.parse import urlsplit

from tablebase.core.ground.capacity import MAX_MEN
from tablebase.core.ground.errors import TablebaseError
from tablebase.core.ground.words import did_you_mean, quoted, shortened

BOTH = "both"
RULES = "--rules"
METRIC_CHOICES = ("dtm", "dtz", BOTH, "help")
# More than any machine has, and few enough for arrays of so many: a typing error is no allocation.
MOST_THREADS = 1024
MOST_POSITIONS = 10**9
MOST_BYTES = 10**18
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
# Characters in a line of help.
HELP_WIDTH = 80


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line with a suggestion."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._positionals.title = "arguments"
        self._is_within_passes = False
        self._game = "this command knows only chess"
        # Adds the arguments, which takes the import of a module, when they are first needed.
        self.fill: Callable[[Parser], None] | None = None

    def filled(self) -> Self:
        """Return the parser, complete."""
        if self.fill is not None:
            fill, self.fill = self.fill, None
            fill(self)
        return self

    def set_up(
        self,
        run: Callable[[argparse.Namespace], int],
        examples: Mapping[str, str],
        task: str = "",
        *,
        resumes: bool = False,
        game: str = "",
    ) -> None:
        """Set how a command is carried out, and what help and interruptions say about it.

        `run` returns the exit code; `examples` are descriptions by arguments. People who
        wait read the `task`, like ``checking tables``; a command has none if it reports its own
        progress, or waits for people or programs. One that `resumes` does so when typed again.
        `game` says where a command without --rules takes the game from.
        """
        self._game = game or self._game
        lines = [f"  {self.prog} {arguments}".rstrip() for arguments in examples]
        width = max(map(len, lines))
        is_wide = width + 2 + max(map(len, examples.values())) > HELP_WIDTH
        between = "\n      " if is_wide else "  "
        described = [
            f"{line if is_wide else line.ljust(width)}{between}{what}"
            for line, what in zip(lines, examples.values(), strict=True)
        ]
        self.epilog = "\n".join(["examples:", *described])
        name = self.prog.rpartition(" ")[2]
        self.set_defaults(run=run, command=name, resumes=resumes, task=task)

    def error(self, message: str) -> NoReturn:
        """Print the error and end the program."""
        self.exit(2, f"{self.prog}: {message} (see `{self.prog} --help`)\n")

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Parse arguments; an unknown argument is an error of the command that got it.

        Arguments without a dash may stand before, between and after the options of a command.
        """
        self.filled()
        # The first of two passes leaves what has no dash to the second. A parser of commands must
        # see them at once, and so must argcomplete.
        if self._is_within_passes or self._subparsers or "_ARGCOMPLETE" in os.environ:
            parsed, unknown = super().parse_known_args(args, namespace)
        else:
            self._is_within_passes = True
            try:
                parsed, unknown = self.parse_known_intermixed_args(args, namespace)
            finally:
                self._is_within_passes = False
        if unknown and not self._is_within_passes:
            given = shortened(unknown[0])
            if given.partition("=")[0] == RULES:
                self.error(f"unknown argument {given}: {self._game}")
            options = self._option_string_actions
            meant = did_you_mean(unknown[0], options)
            self.error(f"unknown argument {given}{meant}")
        return parsed, unknown

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            meant = (
                did_you_mean(value, action.choices) or f": choose from {', '.join(action.choices)}"
            )
            is_command = action.nargs == argparse.PARSER
            what = "no command" if is_command else "there is no"
            raise argparse.ArgumentError(
                None if is_command else action, f"{what} {quoted(value)}{meant}"
            )


def positive_number(text: str) -> int:
    """Parse a number of positions, 1 or more."""
    return whole_number(text, 1, MOST_POSITIONS)


# Types of arguments
def whole_number(text: str, least: int = 0, most: int = 10**18) -> int:
    """Parse a whole number of a range."""
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()):
        raise argparse.ArgumentTypeError(f"{quoted(text)} is not a whole number")
    if len(digits.lstrip("0")) > len(str(most)) or not least <= int(text) <= most:
        raise argparse.ArgumentTypeError(
            f"{shortened(text)} is out of range: choose from {least:,} to {most:,}"
        )
    return int(text)


def men_count(text: str) -> int:
    """Parse a number of men that tables may have."""
    return whole_number(text, 2, MAX_MEN)


def parse_size(text: str) -> int:
    """Parse a number of bytes like ``4G`` or ``500M``.

    >>> parse_size("1.5G")
    1500000000
    """
    number = text.strip().upper().removesuffix("B").removesuffix("I")
    unit = number[-1:] if number[-1:] in _UNITS else ""
    try:
        size = float(number.removesuffix(unit)) * _UNITS[unit]
    except ValueError:
        size = -1
    if not 1 <= size <= MOST_BYTES:
        raise argparse.ArgumentTypeError(
            f"{quoted(text)} is not a size of up to {MOST_BYTES // _UNITS['T']:,}T: "
            "write it like 4G or 500M"
        )
    return int(size)


def explorer_address(text: str) -> str:
    """Return the address of an explorer, which ends with a slash or names a page."""
    parts = urlsplit(text)
    on_the_web = parts.scheme in {"http", "https"} and bool(parts.netloc)
    beside = text != "" and not parts.scheme and not parts.netloc
    if not (on_the_web or beside) or parts.query or parts.fragment:
        raise argparse.ArgumentTypeError(
            f"{quoted(text)} is not an address: write it like http://127.0.0.1:8080/"
        )
    return text if text.endswith(("/", ".html")) else f"{text}/"


# Arguments
def add_threads(parser: argparse.ArgumentParser) -> None:
    """Add the number of threads."""
    parser.add_argument(
        "--threads",
        type=thread_count,
        metavar="N",
        help="number of threads (default: one for each processor)",
    )


def thread_count(text: str) -> int:
    """Parse a number of threads or processes, 1 or more."""
    return whole_number(text, 1, MOST_THREADS)


def add_json(parser: Any) -> None:
    """Add the choice of output for programs."""
    parser.add_argument("--json", action="store_true", help="print JSON for programs")


def refuse_existing(path: Path, *, force: bool) -> None:
    """Raise a `TablebaseError` if a file, which may be anything, would be overwritten."""
    if path.exists() and not force:
        raise TablebaseError(f"{path} exists: overwrite it with --force")
