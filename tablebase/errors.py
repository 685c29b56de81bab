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

from collections.abc import Iterable
from os import PathLike, fspath
from typing import Protocol, Self


class _Named(Protocol):
    """What messages say of a material."""

    @property
    def name(self) -> str: ...


class TablebaseError(Exception):
    """Root of all exceptions of this package."""


class MissingTableError(TablebaseError, KeyError):
    """A required table is not available.

    Attributes
    ----------
    materials : tuple[str, ...]
        Names of the materials whose tables are missing, if the error says which.
    directories : tuple[str, ...]
        The folders that were searched.
    needed_by : str
        The material whose sub-tables they are, if they are.
    metric : str
        What the tables lack, ``"dtm"`` or ``"dtz"``, if they are there.
    """

    materials: tuple[str, ...] = ()
    directories: tuple[str, ...] = ()
    needed_by = metric = ""

    @classmethod
    def of(
        cls,
        materials: Iterable[_Named],
        directories: Iterable[str | PathLike[str]] = (),
        *,
        needed_by: _Named | None = None,
        metric: str = "",
    ) -> Self:
        """Return the error with these facts, which names the command that builds the tables."""
        error = cls()
        error.materials = tuple(material.name for material in materials)
        error.directories = tuple(fspath(folder) for folder in directories)
        error.needed_by = needed_by.name if needed_by else ""
        error.metric = metric
        return error

    def __str__(self) -> str:
        if not self.args and self.materials:
            # Made when it is wanted: who has a default for missing tables never looks at it.
            from tablebase.remedies import of_missing_tables  # noqa: PLC0415

            text = of_missing_tables(self.materials, self.directories, self.needed_by, self.metric)
            self.args = (text,)
        return Exception.__str__(self)  # KeyError would quote it


class UnsupportedPositionError(TablebaseError, ValueError, KeyError):
    """A position lies outside what tables describe: castling rights, too many men, illegal.

    `chess.gaviota` raises a KeyError for such positions, so programs written for it catch that.
    """

    __str__ = Exception.__str__  # KeyError would quote it


class InvalidMaterialError(TablebaseError, ValueError):
    """A material does not exist or is not one that can be handled."""


class CorruptTableError(TablebaseError, OSError):
    """A table file is truncated, damaged or not a table at all."""
