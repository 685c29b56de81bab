"""Table files by name: their materials, and what to do if a file is of another material.

A name is read as that of a material, in any case, with or without ``v`` between the sides. Of
several files of one material the one that is named as this program names it counts.
"""

from __future__ import annotations

import errno
import os
import re
import shlex
import stat
import warnings
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from tablebase.core.ground.capacity import MAX_MEN
from tablebase.core.ground.errors import CorruptTableError, InvalidMaterialError
from tablebase.core.ground.remedies import option_of
from tablebase.core.rules.material import Material
from tablebase.core.rules.rule_files import built_in_rules
from tablebase.core.rules.rules import Rules

SUFFIX = ".h5"
# As many names as the largest folders have.
_NAMES_KEPT = 1 << 14
# What the process has run out of says nothing about a folder, which must not be taken for empty.
_EXHAUSTED = {errno.EMFILE, errno.ENFILE, errno.ENOMEM}
# What `Rules.folder` looks like; that of chess is empty.
_GAME = re.compile(r".+-[0-9a-f]{8}")


class Listing(NamedTuple):
    """Entries of a folder."""

    states: dict[str, os.stat_result]  # by name, in the order of names
    is_whole: bool  # False if something could not be read


def find_table(material: Material, directories: Iterable[str | os.PathLike[str]]) -> Path | None:
    """Return the table of a material in the first folder that has one, None if none has."""
    paths = (table_path(directory, material) for directory in directories)
    return next(filter(os.path.exists, paths), None)


def table_path(directory: str | os.PathLike[str], material: Material) -> Path:
    """Return the file of a material in a folder of tables, or where it is written if none is."""
    path = new_table_path(directory, material)
    if os.path.exists(path):  # noqa: PTH110 (`Path.exists` raises what the system refuses)
        return path
    return tables_in(directory, material.rules).get(material.normalized(), path)


def new_table_path(directory: str | os.PathLike[str], material: Material) -> Path:
    """Return the path at which the table of a material is written in a folder without one."""
    return Path(directory) / material.rules.folder / _standard_name(material)


def _standard_name(material: Material) -> str:
    return f"{material.normalized().name}{SUFFIX}"


def tables_in(directory: str | os.PathLike[str], rules: Rules) -> dict[Material, Path]:
    """Return the table files by some rules that a folder of tables has, by material."""
    folder = Path(directory) / rules.folder
    states = scan_folder(folder, lambda name: material_named(name, rules)).states
    return {material: folder / name for material, name in tables_among(states, rules).items()}


def scan_folder(
    directory: Path, is_wanted: Callable[[str], object], *, called: Path | None = None
) -> Listing:
    """Return the entries of a folder whose names are wanted; none if there is no folder.

    What cannot be read is left out with a warning, which calls the folder `called`. `OSError` is
    raised only if the process has no descriptor or memory left.
    """
    states: dict[str, os.stat_result] = {}
    problems: dict[Path, OSError] = {}
    shown = directory if called is None else called
    try:
        with os.scandir(directory) as entries:
            for entry in entries:
                if not is_wanted(entry.name):
                    continue
                try:
                    states[entry.name] = entry.stat()
                except FileNotFoundError as error:
                    if entry.is_symlink():  # else it was removed just now
                        problems[shown / entry.name] = error
                except OSError as error:
                    problems[shown / entry.name] = error
    except (FileNotFoundError, NotADirectoryError):
        pass
    except OSError as error:
        if error.errno in _EXHAUSTED:
            raise
        problems[shown] = error
    for path, problem in problems.items():
        # From here, whoever asked: Python shows a warning once by text and place.
        warnings.warn(f"{path} is left out: {problem.strerror}", RuntimeWarning, stacklevel=1)
    return Listing(dict(sorted(states.items())), not problems)


@lru_cache(_NAMES_KEPT)
def material_named(name: str, rules: Rules) -> Material | None:
    """Return the material whose table a file is by its name, None if it is not a table.

    >>> from tablebase.core.rules.rule_files import read_rules
    >>> [material_named(name, read_rules("chess")) for name in ("krvkn.h5", "KNKR.h5")]
    [Material('KRKN'), None]
    """
    if not is_table_name(name):
        return None
    try:
        material = Material.from_name(name[: -len(SUFFIX)], rules)
    except InvalidMaterialError:
        return None
    return material if material.is_normalized and material.piece_count <= MAX_MEN else None


def is_table_name(name: str) -> bool:
    """Return whether a file is a table by the end of its name."""
    return name.lower().endswith(SUFFIX)


def tables_among(states: Mapping[str, os.stat_result], rules: Rules) -> dict[Material, str]:
    """Return the name of the file of each material among the entries of a folder."""
    found: dict[Material, str] = {}
    for name, status in states.items():
        material = material_named(name, rules)
        if material is None or not stat.S_ISREG(status.st_mode):
            continue
        if material not in found or name == _standard_name(material):
            found[material] = name
    return found


def refuse_other_material(path: Path, found: Material, wanted: Material | None) -> None:
    """Raise `CorruptTableError` if a table is `found` to be of another material than `wanted`.

    By default the wanted material is the one that the file is named after, if any.
    """
    wanted = (wanted or material_named(path.name, found.rules) or found).normalized()
    if found == wanted:
        return
    games = ("", "")
    if found.rules != wanted.rules:
        games = (f" of {found.rules.name}", f" of {wanted.rules.name}")
    folder = tables_folder(path, found if found.rules.folder else wanted)
    place, again = new_table_path(folder, found), how_to_build_again(path)
    advice = f"rename it to {place}" + (again and f", or {again}")
    if place == path:  # it is another game that was asked for
        options = f"{option_of(found.rules.source or 'FILE')} --dir {shlex.quote(str(folder))}"
        advice = f"write{options} with a command that takes --rules"
    raise CorruptTableError(
        f"{path}: this is the table of {found}{games[0]}, not of {wanted}{games[1]}: {advice}"
    )


def tables_folder(path: Path, material: Material) -> Path:
    """Return the folder of tables that has a material's file at a path; see `table_path`."""
    is_inside = material.rules.folder and path.parent.name == material.rules.folder
    return path.parent.parent if is_inside else path.parent


def how_to_build_again(path: Path, material: Material | None = None) -> str:
    """Return the advice to build a file again, an empty text if there is none.

    Without a material it is that of the file's name, by the rules of chess or of a game that is
    built in.
    """
    if material is None:
        games = {rules.folder: rules for rules in built_in_rules().values()}
        rules = games.get(path.parent.name if is_game_folder(path.parent.name) else "")
        material = None if rules is None else material_named(path.name, rules)
    if material is None:
        return ""
    rules = material.rules
    folder = shlex.quote(str(tables_folder(path, material)))
    option = option_of(rules.source) if rules.folder else ""
    return f"build it again with `tablebase build --force {material}{option} --dir {folder}`"


def is_game_folder(name: str) -> bool:
    """Return whether a folder within a folder of tables may have tables of another game."""
    return _GAME.fullmatch(name) is not None
