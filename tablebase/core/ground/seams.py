"""The seams at which a capability meets the core, which names none: places for names of modules.

Nothing is imported before it is used, and a capability whose folder is missing brings nothing.

- Commands: of the shell, by name.
- Kinds of files besides tables, by suffix: a `FileKind` describes, checks and opens them.
- Executors: what carries out builds on other machines, by name.
- Endpoints: what the server answers beyond tables, by path.
- Measures: functions that tell more of a position or table than its values, by name.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast

from tablebase.core.ground.errors import TablebaseError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path
    from types import ModuleType

    from tablebase.core.ground.verdicts import Checked


class Command(NamedTuple):
    """A command of the shell."""

    name: str
    text: str  # one line of help
    module: str  # whose ``add_arguments`` takes the command's parser
    group: str  # the purpose under which help lists it


class FileKind(Protocol):
    """What the module of a kind of files has."""

    def open_source(self, reader: Any) -> Any:
        """Return the results in such files of a reader's folders, a `probing.sources.Source`."""

    def describe(self, path: Path) -> dict[str, Any]:
        """Return the contents of a file as JSON types, for `tablebase info`."""

    def show(self, descriptions: Iterable[dict[str, Any]]) -> None:
        """Print the contents of files for a person."""

    def check(self, path: Path, sample: int | None) -> Checked:
        """Check a file, or a sample of that many positions; return a report, a data class."""

    def show_report(self, report: Any) -> None:
        """Print a report for a person."""


# Filled by the front of the package before anything else of it is imported; in the order of help.
COMMANDS: list[Command] = []
FILE_KINDS: dict[str, str] = {}
EXECUTORS: dict[str, str] = {}
ENDPOINTS: dict[str, str] = {}
MEASURES: dict[str, str] = {}


def kinds_of_files() -> dict[str, FileKind]:
    """Return the modules of the kinds of files that there are, by suffix."""
    there = {suffix: module for suffix, module in FILE_KINDS.items() if is_there(module)}
    return {suffix: cast("FileKind", import_module(module)) for suffix, module in there.items()}


def is_there(module: str) -> bool:
    """Return whether a module that a seam names is part of this installation."""
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # its folder is not there
        return False


def load_measure(name: str) -> Callable[..., Any]:
    """Return the function of a measure; its docstring says what it takes.

    Raises `TablebaseError` if it is not part of this installation.
    """
    module, _, function = MEASURES[name].partition(":")
    found: Callable[..., Any] = getattr(load(module, f"what measures {name}"), function)
    return found


def find_measure(name: str) -> Callable[..., Any] | None:
    """Return the function of a measure, None if it is not part of this installation."""
    there = name in MEASURES and is_there(MEASURES[name].partition(":")[0])
    return load_measure(name) if there else None


def load(module: str, what: str) -> ModuleType:
    """Return a module that a seam names.

    Raises `TablebaseError` if it is not part of this installation; `what` needs it.
    """
    if not is_there(module):
        raise TablebaseError(
            f"{what} is not part of this installation: install chess-tablebase again"
        )
    return import_module(module)
