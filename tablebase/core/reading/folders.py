"""The folders that are searched for tables, with the files and games in them."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from tablebase.core.ground.errors import TablebaseError
from tablebase.core.ground.seams import FILE_KINDS
from tablebase.core.ground.words import quoted
from tablebase.core.positions.chess_position import ChessPosition
from tablebase.core.rules.material import Material
from tablebase.core.rules.rule_files import built_in_rules, read_rules
from tablebase.core.rules.rules import Rules
from tablebase.core.storage.reading import open_table
from tablebase.core.storage.table_names import (
    is_game_folder,
    is_table_name,
    scan_folder,
    tables_among,
)

# A folder may change again within one tick of its clock; after this long its time says all.
SETTLED = 2 * 10**9  # nanoseconds


class FoundTable(NamedTuple):
    """A table file in a folder; another file under its name has another inode or time."""

    path: Path  # as the folder was named
    absolute_path: Path  # the same wherever the process goes
    inode: int
    modified: int  # nanoseconds


class _Folder(NamedTuple):
    """The contents of a folder when it was last read."""

    absolute_path: Path
    modified: int  # nanoseconds, negative if that may be too coarse to tell the next change
    tables: dict[Material, FoundTable]
    others: tuple[Path, ...]  # of the other kinds of files


class Folders:
    """The tables of some folders, found by their names; of two for a material the first counts.

    `directories` are in the order of the search; each `refresh` makes a new dict of `tables`.
    """

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self.directories: list[Path] = []
        self.tables: dict[Material, FoundTable] = {}
        self._folders: dict[Path, _Folder] = {}

    def clear(self) -> None:
        """Forget all folders."""
        self.directories.clear()
        self.tables = {}
        self._folders.clear()

    def add(self, directory: Path) -> None:
        """Add a folder, to be looked at by the next `refresh`."""
        if directory not in self._folders:
            self.directories.append(directory)
            place = directory.absolute() / self._rules.folder
            self._folders[directory] = _Folder(place, -1, {}, ())

    @property
    def others(self) -> list[Path]:
        """The other kinds of files that they held at the last `refresh`, by folder and name."""
        return [path for directory in self.directories for path in self._folders[directory].others]

    @property
    def absolute_paths(self) -> list[Path]:
        """The folders by names that mean the same wherever a process stands."""
        inside = len(Path(self._rules.folder).parts)
        places = (self._folders[directory].absolute_path for directory in self.directories)
        return [(place, *place.parents)[inside] for place in places]

    def refresh(self) -> bool:
        """Look again at folders that have changed, and return whether their tables have."""
        changed = {
            directory: _look_at(directory / self._rules.folder, folder.absolute_path, self._rules)
            for directory, folder in self._folders.items()
            if folder.modified != _modified(folder.absolute_path)
        }
        if not changed:
            return False
        self._folders |= changed
        tables: dict[Material, FoundTable] = {}
        for directory in reversed(self.directories):  # the first one counts
            tables |= self._folders[directory].tables
        before, self.tables = self.tables, tables
        return tables != before


def _look_at(directory: Path, absolute_path: Path, rules: Rules) -> _Folder:
    """Return the files of a folder, none if it does not exist."""
    modified = _modified(absolute_path)
    if time.time_ns() - modified < SETTLED:
        modified = -1

    def is_wanted(name: str) -> bool:
        return is_table_name(name) or _is_other_name(name)

    states, is_whole = scan_folder(absolute_path, is_wanted, called=directory)
    tables = {
        material: FoundTable(
            directory / name, absolute_path / name, states[name].st_ino, states[name].st_mtime_ns
        )
        for material, name in tables_among(states, rules).items()
    }
    others = tuple(absolute_path / name for name in states if _is_other_name(name))
    # What could not be read may be read later, though the folder does not change.
    return _Folder(absolute_path, modified if is_whole else -1, tables, others)


def _modified(directory: Path) -> int:
    """Return the time of a folder's last change in nanoseconds, 0 if there is no such folder."""
    try:
        return directory.stat().st_mtime_ns
    except OSError:
        return 0


def _is_other_name(name: str) -> bool:
    return name.endswith(tuple(FILE_KINDS)) and not name.startswith(".")


def other_files(directories: Iterable[Path]) -> list[Path]:
    """Return the other kinds of files in some folders, by folder and name."""
    folders = Folders(ChessPosition.rules)
    for directory in directories:
        folders.add(directory)
    folders.refresh()
    return folders.others


def find_rules(directories: Iterable[str | os.PathLike[str]]) -> dict[str, Rules]:
    """Return the rules that the folders within some folders have tables of.

    Parameters
    ----------
    directories
        Folders of tables, within which tables of each game but chess have a folder of their own.
        Folders that do not exist have none.

    Returns
    -------
    dict[str, Rules]
        The rules by the name of the folder of their tables, in the order of these names.

    Examples
    --------
    >>> find_rules(["data"])
    {}
    """
    built_in = {rules.folder: rules for rules in built_in_rules().values()}
    found: dict[str, Rules] = {}
    for directory in map(Path, directories):
        for folder in _folders_in(directory):
            if folder.name in found:
                continue
            paths = [folder / name for name in scan_folder(folder, is_table_name).states]
            rules = _rules_of(paths) if folder.name not in built_in else built_in[folder.name]
            if paths and rules is not None and rules.folder == folder.name:
                found[folder.name] = rules
    return dict(sorted(found.items()))


def as_rules(rules: Rules | str) -> Rules:
    """Return rules by their name or as they are."""
    if isinstance(rules, str):
        return read_rules(rules)
    if not isinstance(rules, Rules):
        raise TypeError(f"rules are a name like 'shatranj' or Rules, not {quoted(rules)}")
    return rules


def _folders_in(directory: Path) -> list[Path]:
    """Return the folders that may have tables of a game."""
    states = scan_folder(directory, is_game_folder).states
    return [directory / name for name, state in states.items() if stat.S_ISDIR(state.st_mode)]


def _rules_of(paths: Iterable[Path]) -> Rules | None:
    """Return the rules that the first sound file of a table states, None if there is none."""
    for path in paths:
        try:
            with open_table(path) as file:
                return file.material.rules
        except (TablebaseError, OSError):
            continue
    return None
