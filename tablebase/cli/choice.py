"""What arguments choose: rules, folders, materials and tables, with the options that name them."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from tablebase.cli.arguments import RULES
from tablebase.core.ground.capacity import MAX_MEN
from tablebase.core.ground.errors import (
    InvalidMaterialError,
    InvalidRulesError,
    MissingTableError,
    TablebaseError,
)
from tablebase.core.ground.locations import ENVIRONMENT, LOCAL, build_directory, default_directories
from tablebase.core.ground.remedies import option_of, options_to_build
from tablebase.core.ground.words import did_you_mean, listed, quoted

if TYPE_CHECKING:
    from tablebase.core.answers.tablebase import Tablebase
    from tablebase.core.rules.material import Material
    from tablebase.core.rules.rules import Rules

SEARCHED = f"{ENVIRONMENT} if set, else {LOCAL} if it has tables, else your own data folder"


@dataclass(frozen=True)
class Choice:
    """Rules and folders, and the materials or tables that a command works on."""

    rules: Rules
    named: Sequence[str | os.PathLike[str]] = ()  # folders of tables, which need not exist
    names: Sequence[str] = ()  # materials or files, as they were typed
    men: int = 0  # all materials of up to this number of men are chosen as well
    is_strict: bool = False  # the rules were named, so that a file of another game is an error

    @cached_property
    def directories(self) -> list[Path]:
        """The folders to search, at least one: those named or the default ones."""
        return default_directories(self.named)

    @property
    def build_directory(self) -> Path:
        """The folder that new tables go to, which need not exist."""
        return build_directory(self.named)

    @property
    def directory_options(self) -> str:
        """The options that name the folders, each after a blank; none for the default folders."""
        if self.directories == default_directories():
            return ""
        return "".join(f" --dir {shlex.quote(str(directory))}" for directory in self.directories)

    @cached_property
    def materials(self) -> list[Material]:
        """The materials named, not normalized, and then all of up to ``men`` men.

        Raises `InvalidMaterialError`, which suggests similar names.
        """
        from tablebase.core.rules.material import all_materials

        materials = [_read_material(name, self.rules) for name in self.names]
        for men in range(2, self.men + 1):
            materials += all_materials(men, self.rules)
        return materials

    @property
    def materials_to_build(self) -> list[Material]:
        """The `materials`, by default some of chess.

        Raises `InvalidMaterialError` if none are chosen in another game.
        """
        from tablebase.core.building.generator import DEFAULT_MATERIALS
        from tablebase.core.rules.material import Material
        from tablebase.core.rules.rules import CHESS

        if not self.materials and self.rules != CHESS:
            raise InvalidMaterialError(
                f"no material of {self.rules.name}: name some, or write --men 3"
            )
        return self.materials or [Material.from_name(name) for name in DEFAULT_MATERIALS]

    @cached_property
    def paths(self) -> list[Path]:
        """The files named, or all `tables`.

        Raises `MissingTableError` for a missing file, `InvalidRulesError` for one of another game.
        """
        if not self.names:
            return list(self.tables.values())
        paths = [self._path_of(name) for name in self.names]
        if self.is_strict:
            for path in paths:
                _require_rules(path, self.rules)
        return paths

    @cached_property
    def tables(self) -> dict[str, Path]:
        """The table files of the folders by material, in the order of generation.

        Raises `MissingTableError` if there are none, `InvalidRulesError` if one is of another game.
        """
        from tablebase.core.rules.rules import CHESS

        with self.open_tables() as tables:
            found = tables.available_tables
        for path in found.values():
            _require_rules(path, self.rules)
        if found:
            return found
        places = ", ".join(map(str, self.directories))
        there = any(directory.is_dir() for directory in self.directories)
        if not there and any(directory.exists() for directory in self.directories):
            raise MissingTableError(
                f"{places} is not a folder: name one with --dir or {ENVIRONMENT}"
            )
        kind = "tables" if self.rules == CHESS else f"tables of {self.rules.name}"
        options = options_to_build(self.rules.source, self.build_directory)
        raise MissingTableError(
            f"{f'there are no {kind} in {places}' if there else f'there is no folder {places}'}: "
            f"build tables with `tablebase build{options}`, or name their folder with --dir or "
            f"{ENVIRONMENT}"
        )

    def table_of(self, material: Material) -> Path:
        """Return the table of a material, or raise `MissingTableError` if no folder has it."""
        from tablebase.core.storage.table_names import find_table

        found = find_table(material, self.directories)
        if found is None:
            raise MissingTableError.of([material.normalized()], self.directories)
        _require_rules(found, material.rules)
        return found

    def _path_of(self, name: str) -> Path:
        """Return the file of a material or path."""
        from tablebase.core.ground.seams import FILE_KINDS
        from tablebase.core.storage.table_names import is_table_name

        is_other = name.endswith(tuple(FILE_KINDS))
        if is_other and os.sep not in name:
            paths = [Path(name), *(directory / name for directory in self.directories)]
            return next((path for path in paths if path.exists()), paths[0])
        if is_table_name(name) or is_other or os.sep in name:
            return Path(name)
        return self.table_of(_read_material(name, self.rules))

    @contextmanager
    def open_tables(self) -> Iterator[Tablebase]:
        """Open the tables of the rules; errors name a folder that does not exist."""
        from tablebase.core.answers.tablebase import Tablebase
        from tablebase.core.rules.material import Material

        there = [directory for directory in self.directories if directory.is_dir()]
        with Tablebase(there, rules=self.rules) as tablebase:
            try:
                yield tablebase
            except MissingTableError as error:
                if there or not error.materials:
                    raise
                materials = [Material.from_name(name, self.rules) for name in error.materials]
                raise MissingTableError.of(materials, self.directories) from None

    def refuse_other_games(self, what: str, remedy: str, known: Sequence[Rules] = ()) -> None:
        """Raise an `InvalidRulesError` with a remedy unless the game is known, by default chess."""
        from tablebase.core.rules.rules import CHESS

        known = known or [CHESS]
        if self.rules not in known:
            names = listed(one.name for one in known)
            raise InvalidRulesError(
                f"{what} are only for {names}, not for {self.rules.name}: {remedy}"
            )


def _read_material(name: str, rules: Rules) -> Material:
    """Return a material by its name; the error suggests similar names."""
    from tablebase.core.rules.material import Material
    from tablebase.core.rules.rules import CHESS

    try:
        return Material.from_name(name, rules)
    except InvalidMaterialError:
        near = did_you_mean(name.strip().upper().replace("V", ""), _material_names())
        if rules != CHESS or not near:
            raise
        raise InvalidMaterialError(f"unknown material {quoted(name)}{near}") from None


def _material_names(**_: object) -> list[str]:
    """Return the names of all materials of chess that tables can have."""
    from tablebase.core.rules.material import all_materials

    return [one.name for men in range(2, MAX_MEN + 1) for one in all_materials(men)]


def _require_rules(path: Path, rules: Rules) -> None:
    """Raise an error if a file is of another game; a damaged file is left to its reader."""
    from tablebase.core.ground.seams import FILE_KINDS
    from tablebase.core.rules.rules import CHESS
    from tablebase.core.storage.reading import open_table
    from tablebase.core.storage.table_names import tables_folder

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


def add_tables(parser: argparse.ArgumentParser) -> None:
    """Add the names of tables and their folders."""
    add_table_names(parser, text="like KRK or KRK.h5 (default: all tables)")
    add_directory(parser)


def add_table_names(parser: argparse.ArgumentParser, *, text: str) -> None:
    """Add names of tables, which are materials or files."""
    action = parser.add_argument("names", metavar="MATERIAL|FILE", nargs="*", help=text)
    _complete(action, _tables)


# Completion in the shell, see ``argcomplete``
def _complete(action: argparse.Action, words: Callable[..., Iterable[str]]) -> None:
    """Let the shell complete an argument with words."""
    action.completer = words  # type: ignore[attr-defined]


def _tables(prefix: str = "", *, parsed_args: argparse.Namespace, **_: object) -> list[str]:
    from argcomplete.completers import FilesCompleter

    from tablebase.core.storage.table_names import tables_in

    names = list(FilesCompleter(["h5"])(prefix))
    with suppress(TablebaseError, OSError):  # no such rules
        choice = choose(parsed_args)
        names += [one.name for each in choice.directories for one in tables_in(each, choice.rules)]
    return names


# What they choose
def choose(arguments: argparse.Namespace) -> Choice:
    """Return the choice that the arguments of a command make.

    Raises `InvalidRulesError` if ``--rules`` names none.
    """
    from tablebase.core.rules.rule_files import read_rules
    from tablebase.core.rules.rules import CHESS

    given = vars(arguments)
    source = given.get("rules")
    return Choice(
        CHESS if source is None else read_rules(source),
        [*given.get("dir_before", ()), *given.get("dir", ())],
        given.get("names", ()),
        men=given.get("men") or 0,
        is_strict=source is not None,
    )


# Options, which `choose` reads by the names that they are parsed under
def add_directory(
    parser: argparse.ArgumentParser,
    *,
    where: str = "dir",
    text: str = f"folder of tables; repeat it to search several in order (default: {SEARCHED}, and "
    "last the tables that come with the program)",
) -> None:
    """Add the folders of tables; before a command they need another name than the command's own."""
    action = parser.add_argument(
        "--dir", dest=where, metavar="DIR", action="append", default=[], help=text
    )
    _complete(action, _folders)


def _folders(prefix: str = "", **_: object) -> list[str]:
    from argcomplete.completers import DirectoriesCompleter

    return list(DirectoriesCompleter()(prefix))


def add_materials(parser: argparse.ArgumentParser, *, nargs: str | int, text: str) -> None:
    """Add names of materials, whether or not there are tables of them."""
    action = parser.add_argument("names", metavar="MATERIAL", nargs=nargs, help=text)
    _complete(action, _material_names)


def add_rules(parser: argparse.ArgumentParser) -> None:
    """Add the rules of another game than chess."""
    action = parser.add_argument(
        RULES,
        metavar="NAME|FILE",
        help="play by the rules of another game, see `tablebase rules` (default: chess)",
    )
    _complete(action, _games)


def _games(**_: object) -> list[str]:
    from tablebase.core.rules.rule_files import built_in_rules

    return list(built_in_rules())
