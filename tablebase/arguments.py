"""Arguments that several commands take, and what they mean."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tablebase.errors import TablebaseError

if TYPE_CHECKING:
    import chess

    from tablebase.material import Material
    from tablebase.probe import Tablebase

DEFAULT_DIRECTORY = "data"
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


def new_command(
    commands: Any, name: str, run: Callable[[argparse.Namespace], int], text: str
) -> argparse.ArgumentParser:
    """Add a command to a parser's commands.

    Parameters
    ----------
    commands
        What ``add_subparsers`` returned.
    name, text
        What to type, and what it does.
    run
        Carries it out and returns the exit code.
    """
    command: argparse.ArgumentParser = commands.add_parser(
        name, help=text, description=f"{text[0].upper()}{text[1:]}."
    )
    command.set_defaults(run=run)
    return command


def positive_number(text: str) -> int:
    """Return a whole number that is at least 1."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def men_count(text: str) -> int:
    """Return a number of men that tables may have."""
    number = int(text)
    if not 2 <= number <= 5:
        raise argparse.ArgumentTypeError("tables have 2 to 5 men")
    return number


def parse_size(text: str) -> int:
    """Return the bytes that a text like ``4G`` or ``500M`` means.

    >>> parse_size("1.5G")
    1500000000
    """
    number = text.strip().upper().removesuffix("B").removesuffix("I")
    unit = number[-1:] if number[-1:] in _UNITS else ""
    try:
        size = float(number.removesuffix(unit)) * _UNITS[unit]
    except ValueError:
        size = -1
    if not 0 < size < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no size: write it like 4G or 500M")
    return int(size)


def add_directory(parser: argparse.ArgumentParser) -> None:
    """Add the folder of the tables."""
    parser.add_argument(
        "--dir",
        metavar="DIR",
        default=DEFAULT_DIRECTORY,
        help="folder of the table files (default: %(default)s)",
    )


def add_tables(parser: argparse.ArgumentParser) -> None:
    """Add the tables of `chosen_paths`, and their folder."""
    parser.add_argument(
        "tables", metavar="MATERIAL|FILE", nargs="*", help="default: all tables of the folder"
    )
    add_directory(parser)


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add the choice of output for programs."""
    parser.add_argument("--json", action="store_true", help="print JSON for programs")


def add_build_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what describes a generation; the batch script takes the same."""
    parser.add_argument(
        "materials",
        metavar="MATERIAL",
        nargs="*",
        help="like KRK or KRvKN (default: KK KRK KNNK KRNK KPK)",
    )
    parser.add_argument("--men", type=men_count, metavar="N", help="all materials of up to N men")
    add_directory(parser)
    parser.add_argument(
        "--threads", type=positive_number, metavar="N", help="default: one a processor"
    )
    parser.add_argument(
        "--force", action="store_true", help="build again what exists or is damaged"
    )
    parser.add_argument(
        "--memory", type=parse_size, metavar="SIZE", help="most memory to use, like 4G"
    )


def chosen_materials(arguments: argparse.Namespace) -> list[Material]:
    """Return the materials named by arguments, or the default ones."""
    from tablebase.generate import DEFAULT_MATERIALS
    from tablebase.material import Material, all_materials

    chosen = [Material.from_name(name) for name in arguments.materials]
    for men in range(2, (arguments.men or 1) + 1):
        chosen += all_materials(men)
    return chosen or [Material.from_name(name) for name in DEFAULT_MATERIALS]


def path_of(text: str, directory: str) -> Path:
    """Return the file that a material or a path means."""
    from tablebase.material import Material
    from tablebase.storage import SUFFIX, table_path

    if text.endswith(SUFFIX) or os.sep in text:
        return Path(text)
    path = table_path(directory, Material.from_name(text))
    if not path.exists():
        name = path.name.removesuffix(SUFFIX)
        raise TablebaseError(
            f"no table of {name} in {directory}: build it with `tablebase build {name}"
            + (f" --dir {directory}`" if directory != DEFAULT_DIRECTORY else "`")
        )
    return path


def paths_in(directory: str) -> list[Path]:
    """Return the table files of a folder in the order of generation; others are left out."""
    if not Path(directory).is_dir():
        raise TablebaseError(f"there is no folder {directory}: make it with `tablebase build`")
    with open_directory(directory) as tablebase:
        return list(tablebase.available_tables.values())


def chosen_paths(arguments: argparse.Namespace) -> list[Path]:
    """Return the files that arguments name, or all of the folder in the order of generation."""
    if not arguments.tables:
        return paths_in(arguments.dir)
    return [path_of(text, arguments.dir) for text in arguments.tables]


def open_directory(directory: str) -> Tablebase:
    """Return the tables of a folder; none if there is no folder."""
    from tablebase.probe import Tablebase

    tablebase = Tablebase()
    if Path(directory).is_dir():
        tablebase.add_directory(directory)
    return tablebase


def board_of(fen: str) -> chess.Board:
    """Return the board that a FEN describes."""
    import chess

    try:
        return chess.Board(fen)
    except ValueError as error:
        raise TablebaseError(f"{fen!r} is no position: {error}") from error
