"""The exceptions raised on purpose, all under one root.

::

    TablebaseError
    ├── MissingTableError         (also KeyError)    the table is not there
    ├── UnsupportedPositionError  (also ValueError, KeyError)
    │                                                the position has no value here
    ├── InvalidMaterialError      (also ValueError)  the name is not a material
    └── CorruptTableError         (also OSError)     the file is damaged or foreign
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import Protocol, Self

from tablebase.locations import build_directory

# Most men of a table, kings included; `tablebase.board.material` hands it on.
MAX_MEN = 6
# What cannot be built yet; `tablebase.engine.obstacle` says why.
MAX_MEN_OF_DTZ = 5


class _Men(Protocol):
    """What messages say of a material."""

    @property
    def name(self) -> str: ...

    @property
    def piece_count(self) -> int: ...


class TablebaseError(Exception):
    """Root of all exceptions of this package."""


class MissingTableError(TablebaseError, KeyError):
    """A required table is not available.

    Attributes
    ----------
    materials : tuple[str, ...]
        Names of the materials whose tables are missing, if the error says which.
    """

    materials: tuple[str, ...] = ()
    _missing: tuple[list[_Men], list[str], str, str] | None = None

    @classmethod
    def of(
        cls,
        materials: Iterable[_Men],
        directories: Iterable[str | os.PathLike[str]] = (),
        *,
        needed_by: _Men | None = None,
        metric: str = "",
    ) -> Self:
        """Return the error that names missing tables and the command that builds them.

        Parameters
        ----------
        materials
            The materials whose tables are missing.
        directories
            The folders that were searched.
        needed_by
            The material whose sub-tables they are.
        metric
            Of the tables there are, what is missing, as the option ``--metric`` names it.
        """
        error = cls()
        reason = f", which {needed_by.name} needs," if needed_by else ""
        folders = [os.fspath(folder) for folder in directories]
        error._missing = list(materials), folders, reason, metric
        error.materials = tuple(material.name for material in error._missing[0])
        return error

    def __str__(self) -> str:
        # Made when it is wanted: who has a default for missing tables never looks at it.
        if self._missing is not None:
            self.args, self._missing = (_explanation(*self._missing),), None
        return Exception.__str__(self)  # KeyError would quote it


def _explanation(materials: list[_Men], directories: list[str], reason: str, metric: str) -> str:
    """Return why there are no tables of some materials, and what to do."""
    too_many = [material for material in materials if material.piece_count > MAX_MEN]
    if too_many:
        material = too_many[0]
        return (
            f"no table of {material.name}: it has {material.piece_count} men, "
            f"tables have up to {MAX_MEN}"
        )
    names = " ".join(material.name for material in materials)
    if not directories:
        return f"no table of {names}: no folder of tables is open"
    places = ", ".join(directories)
    if not any(map(os.path.exists, directories)):
        found = f"there is no folder {places}: make it"
    elif not any(map(os.path.isdir, directories)):
        return f"no table of {names}: {places} is not a folder"
    elif metric == "dtz" and any(material.piece_count > MAX_MEN_OF_DTZ for material in materials):
        return f"no DTZ of {names}{reason} in {places}: that of six men cannot be found yet"
    elif metric:
        found = f"no {metric.upper()} of {names}{reason} in {places}: build it"
    elif len(materials) == 1:
        found = f"no table of {names}{reason} in {places}: build it"
    else:
        found = f"no tables of {names}{reason} in {places}: build them"
    folder = next(filter(os.path.isdir, directories), directories[0])
    option = "" if Path(folder) == build_directory() else f" --dir {shlex.quote(folder)}"
    chosen = f"--metric {metric} " if metric else ""
    return f"{found} with `tablebase build {chosen}{names}{option}`"


class UnsupportedPositionError(TablebaseError, ValueError, KeyError):
    """A position lies outside what tables describe: castling rights, too many men, illegal.

    `chess.gaviota` raises a KeyError for such positions, so programs written for it catch that.
    """

    __str__ = Exception.__str__  # KeyError would quote it


class InvalidMaterialError(TablebaseError, ValueError):
    """A material does not exist or is not one that can be handled."""


class CorruptTableError(TablebaseError, OSError):
    """A table file is truncated, damaged or not a table at all."""
