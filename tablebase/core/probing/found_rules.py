"""The rules of the tables that lie in some folders, besides those of chess."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path

from tablebase.core.errors import TablebaseError
from tablebase.core.rules import Rules, built_in_rules
from tablebase.core.storage import is_game_folder, is_table_name, open_table, scan_folder


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
