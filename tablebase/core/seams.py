"""The seams at which a capability meets the core, which names none: places for names of modules.

Nothing is imported before it is used. A capability whose folder is not there brings nothing; who
asks for what it would bring gets one line.

- Commands: of the shell, by their names.
- Kinds of files: what else than tables folders hold, by the suffix of the names. The module of a
  kind lists, describes and checks such files, and is the *source* of the results in them.
- Executors: what carries out builds on other machines, by name.
- Endpoints: what the server answers beyond tables, by path.
- Measures: functions that tell more of a position or table than its values, by name.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

from tablebase.core.errors import TablebaseError

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType


class Command(NamedTuple):
    """A command of the shell.

    Attributes
    ----------
    name, text : str
        What is typed, and one line about it.
    module : str
        Its ``add_arguments`` takes the command's parser.
    """

    name: str
    text: str
    module: str


# Filled by the front of the package before anything else of it is imported; in the order of help.
COMMANDS: list[Command] = []
FILE_KINDS: dict[str, str] = {}
EXECUTORS: dict[str, str] = {}
ENDPOINTS: dict[str, str] = {}
MEASURES: dict[str, str] = {}


def is_there(module: str) -> bool:
    """Return whether a module that a seam names is part of this installation."""
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # its folder is not there
        return False


def load(module: str, what: str) -> ModuleType:
    """Return a module that a seam names.

    Raises
    ------
    TablebaseError
        If it is not part of this installation; `what` needs it.
    """
    if not is_there(module):
        raise TablebaseError(
            f"{what} is not part of this installation: install all of chess-tablebase"
        )
    return import_module(module)


def kinds_of_files() -> dict[str, Any]:
    """Return the modules of the kinds of files that there are, by suffix."""
    return {
        suffix: import_module(module) for suffix, module in FILE_KINDS.items() if is_there(module)
    }


def measure(name: str) -> Callable[..., Any]:
    """Return the function of a measure; its docstring says what it takes.

    Raises
    ------
    TablebaseError
        If it is not part of this installation.
    """
    module, _, function = MEASURES[name].partition(":")
    found: Callable[..., Any] = getattr(load(module, f"what measures {name}"), function)
    return found
