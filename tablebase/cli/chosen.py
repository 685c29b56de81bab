"""What arguments choose: folders, games, materials, tables."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tablebase.cli.arguments import BOTH, did_you_mean, directories_of, material_names
from tablebase.core.errors import (
    InvalidMaterialError,
    InvalidRulesError,
    MissingTableError,
    TablebaseError,
)
from tablebase.core.locations import ENVIRONMENT, build_directory, default_directories
from tablebase.core.remedies import option_of
from tablebase.core.words import quoted

if TYPE_CHECKING:
    from tablebase.core.outcomes import Metric
    from tablebase.core.probing import Tablebase
    from tablebase.core.rules import Material, Rules


def directory_to_write(arguments: argparse.Namespace) -> Path:
    """Return the folder that new tables go to."""
    return directories_of(arguments)[0]


def directory_options(directories: Sequence[Path]) -> str:
    """Return the options that name folders, each after a blank; none for the default folders."""
    if list(directories) == default_directories():
        return ""
    return "".join(f" --dir {shlex.quote(str(directory))}" for directory in directories)


def chosen_metrics(arguments: argparse.Namespace) -> tuple[Metric, ...] | None:
    """Return the metrics of ``--metric``, None if it is not given."""
    from tablebase.core.outcomes import METRICS, metric_named

    if arguments.metric is None:
        return None
    return METRICS if arguments.metric == BOTH else (metric_named(arguments.metric),)


def rules_of(arguments: argparse.Namespace) -> Rules:
    """Return the rules that arguments name, those of chess by default."""
    from tablebase.core.rules import CHESS, read_rules

    source = getattr(arguments, "rules", None)
    return CHESS if source is None else read_rules(source)


def refuse_other_games(rules: Rules, what: str, remedy: str) -> None:
    """Raise an error that names the rules, and what to do, if they are not those of chess.

    Raises
    ------
    InvalidRulesError
        If they are others.
    """
    from tablebase.core.rules import CHESS

    if rules != CHESS:
        raise InvalidRulesError(f"{what} are of chess, not of {rules.name}: {remedy}")


def read_material(name: str, rules: Rules | None = None) -> Material:
    """Return a material by its name.

    Raises
    ------
    InvalidMaterialError
        If there is none of this name. The message suggests similar ones.
    """
    from tablebase.core.rules import CHESS, Material

    try:
        return Material.from_name(name, rules or CHESS)
    except InvalidMaterialError:
        if rules not in {None, CHESS}:
            raise
        meant = did_you_mean(name.strip().upper().replace("V", ""), material_names())
        if not meant:
            raise
        raise InvalidMaterialError(f"unknown material {quoted(name)}{meant}") from None


def chosen_materials(arguments: argparse.Namespace) -> list[Material]:
    """Return the materials named by arguments, or the default ones."""
    from tablebase.core.building import DEFAULT_MATERIALS
    from tablebase.core.rules import CHESS, Material, all_materials

    rules = rules_of(arguments)
    chosen = [read_material(name, rules) for name in arguments.materials]
    for men in range(2, (arguments.men or 1) + 1):
        chosen += all_materials(men, rules)
    if not chosen and rules != CHESS:
        raise InvalidMaterialError(f"no material of {rules.name}: name some, or write --men 3")
    return chosen or [Material.from_name(name) for name in DEFAULT_MATERIALS]


def path_of(text: str, directories: Sequence[Path], rules: Rules | None = None) -> Path:
    """Return the file of a material or path.

    Raises
    ------
    MissingTableError
        If no folder has the table of the material.
    """
    from tablebase.core.seams import FILE_KINDS
    from tablebase.core.storage import find_table, is_table_name

    is_other = text.endswith(tuple(FILE_KINDS))
    if is_other and os.sep not in text:
        paths = [Path(text), *(directory / text for directory in directories)]
        return next((path for path in paths if path.exists()), paths[0])
    if is_table_name(text) or is_other or os.sep in text:
        return Path(text)
    material = read_material(text, rules)
    found = find_table(material, directories)
    if found is None:
        raise MissingTableError.of([material.normalized()], directories)
    _require_rules(found, material.rules)
    return found


def paths_in(directories: Sequence[Path], rules: Rules | None = None) -> list[Path]:
    """Return the files of `tables_of`."""
    return list(tables_of(directories, rules).values())


def tables_of(directories: Sequence[Path], rules: Rules | None = None) -> dict[str, Path]:
    """Return the table files of some folders by material, in the order of generation.

    Raises
    ------
    MissingTableError
        If there is none.
    InvalidRulesError
        If one is of another game.
    """
    from tablebase.core.rules import CHESS

    with open_tables(directories, rules) as tables:
        found = tables.available_tables
    for path in found.values():
        _require_rules(path, rules or CHESS)
    if found:
        return found
    places = ", ".join(map(str, directories))
    there = any(directory.is_dir() for directory in directories)
    if not there and any(directory.exists() for directory in directories):
        raise MissingTableError(f"{places} is not a folder: name one by --dir or {ENVIRONMENT}")
    option = "" if directories[0] == build_directory() else directory_options(directories[:1])
    kind = "tables" if rules is None or rules == CHESS else f"tables of {rules.name}"
    option = option_of("" if rules is None else rules.source) + option
    raise MissingTableError(
        f"{f'there are no {kind} in {places}' if there else f'there is no folder {places}'}: "
        f"build tables with `tablebase build{option}`, or name their folder by --dir or "
        f"{ENVIRONMENT}"
    )


def chosen_paths(arguments: argparse.Namespace) -> list[Path]:
    """Return the files that arguments name, or all of the folders in the order of generation.

    Raises
    ------
    MissingTableError
        If one of them, or any, is missing.
    InvalidRulesError
        If one of them is of another game than the arguments name.
    """
    directories = directories_of(arguments)
    rules = rules_of(arguments)
    if not arguments.tables:
        return paths_in(directories, rules)
    paths = [path_of(text, directories, rules) for text in arguments.tables]
    if getattr(arguments, "rules", None) is not None:
        for path in paths:
            _require_rules(path, rules)
    return paths


def _require_rules(path: Path, rules: Rules) -> None:
    """Raise an error if a file is of another game; a damaged file is left to its reader."""
    from tablebase.core.rules import CHESS
    from tablebase.core.seams import FILE_KINDS
    from tablebase.core.storage import open_table, tables_folder

    found, folder = CHESS, path.parent
    if path.suffix not in FILE_KINDS:
        try:
            with open_table(path) as file:
                found, folder = file.material.rules, tables_folder(path, file.material)
        except (TablebaseError, OSError):
            return
    if found != rules:
        remedy = "leave --rules out"
        if rules == CHESS:
            options = f"{option_of(found.source or 'FILE')} --dir {shlex.quote(str(folder))}"
            remedy = f"write{options} with a command that takes --rules"
        raise InvalidRulesError(f"{path} is of {found.name}, not of {rules.name}: {remedy}")


@contextmanager
def open_tables(directories: Sequence[Path], rules: Rules | None = None) -> Iterator[Tablebase]:
    """Open the tables of a game in some folders; errors name a folder that does not exist."""
    from tablebase.core.probing import Tablebase
    from tablebase.core.rules import CHESS

    with Tablebase(rules=rules or CHESS) as tablebase:
        there = [directory for directory in directories if directory.is_dir()]
        for directory in there:
            tablebase.add_directory(directory)
        try:
            yield tablebase
        except MissingTableError as error:
            if there or not error.materials:
                raise
            materials = [read_material(name, rules) for name in error.materials]
            raise MissingTableError.of(materials, directories) from None
