"""What is attacked: how to make and change valid input, and how to judge the answers to it."""

from __future__ import annotations

import contextlib
import io
import random
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from tablebase.core.ground.errors import TablebaseError

RIGHT, REFUSED, FAILURE = "right", "refused", "FAILURE"
EXAMPLES = Path(__file__).parents[2] / "examples"


class Mutant(NamedTuple):
    """A changed input."""

    name: str  # of the file that holds it
    how: str  # the change
    data: bytes


class WrongAnswerError(Exception):
    """An answer was given, and it is wrong."""


class Target(ABC):
    """One kind of input, and its reader; `base` is a folder for what all targets make once."""

    name: str

    def __init__(self, base: Path) -> None:
        self.base = base

    @abstractmethod
    def valid(self) -> list[Mutant]:
        """Return unchanged input; the answers to it must be right."""

    @abstractmethod
    def mutant(self, rng: random.Random) -> Mutant:
        """Return a changed input, which is the same for equal random numbers."""

    @abstractmethod
    def judge(self, mutant: Mutant, path: Path) -> str:
        """Return RIGHT or REFUSED for a mutant in a file; raise anything if the program failed."""

    def close(self) -> None:  # noqa: B027 (most have started nothing)
        """End what the target started."""


class Answers:
    """Answers to questions, each compared with the truth or refused."""

    def __init__(self) -> None:
        self.verdict = RIGHT

    def ask(self, question: Callable[[], Any], truth: Any = None) -> Any:
        """Return an answer, None if it was refused by a `TablebaseError`.

        Raises `WrongAnswerError` if it is not the `truth`; without one any answer will do.
        """
        try:
            answer = question()
        except TablebaseError:
            self.verdict = REFUSED
            return None
        if truth is not None and answer != truth:
            name = getattr(getattr(question, "func", question), "__name__", "")
            raise WrongAnswerError(f"{name}: {_short(answer)} instead of {_short(truth)}")
        return answer


class Ended(NamedTuple):
    """What a program ended with: its exit code, output and errors."""

    code: int
    out: str
    err: str


def _short(answer: Any) -> str:
    text = repr(answer)
    return text if len(text) <= 60 else f"{text[:60]} ..."


def run_command(*arguments: str, shown: bool = True) -> Ended:
    """Run a command of the program in this process; its errors are lines of plain text.

    Raises `WrongAnswerError` after an internal error, or, if the output is `shown` on a terminal,
    for control characters.
    """
    from tablebase.cli.program import main

    return _plain(f"tablebase {arguments[0]}", _ended(partial(main, arguments)), shown=shown)


def _plain(name: str, ended: Ended, *, shown: bool = True) -> Ended:
    """Return what a program ended with if it may end so."""
    text = ended.out + ended.err if shown else ended.err
    if ended.code not in {0, 1, 2}:
        raise WrongAnswerError(f"{name} ended with {ended.code}: {text.strip()}")
    if not all(sign.isprintable() or sign == "\n" for sign in text):
        raise WrongAnswerError(f"{name} printed control characters")
    return ended


def _ended(main: Callable[[], int | None]) -> Ended:
    """Return what a program in this process ended with."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main() or 0
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 1
            if isinstance(stop.code, str):  # Python would print it
                err.write(f"{stop.code}\n")
    return Ended(code, out.getvalue(), err.getvalue())


def run_program(path: Path, *arguments: str) -> Ended:
    """Run a program of examples/ in this process, as `run_command` runs a command."""
    # As if Python had been started with it: its folder comes first.
    with (
        patch.object(sys, "argv", [str(path), *arguments]),
        patch.object(sys, "path", [str(path.parent), *sys.path]),
    ):
        ended = _ended(import_module(path.stem).main)
    return _plain(path.name, ended)
