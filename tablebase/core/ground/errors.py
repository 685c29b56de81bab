"""Exceptions of the package, under one root.

::

    TablebaseError
    ├── MissingTableError         (also KeyError)    a table is not available
    ├── UnsupportedPositionError  (also ValueError, KeyError)
    │                                                no table can have the position
    ├── InvalidMaterialError      (also ValueError)  a name is no material
    ├── InvalidRulesError         (also ValueError)  rules are not understood
    ├── CorruptTableError         (also OSError)     a file is damaged or no table
    └── UndecidedError                               neither a line nor a proof was found
"""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike, fspath
from typing import Protocol, Self

from tablebase.core.ground.capacity import MAX_MEN


class _Sourced(Protocol):
    """What messages say of rules."""

    @property
    def source(self) -> str: ...

    @property
    def most_men(self) -> int: ...


class _Named(Protocol):
    """A material, or anything else with a name."""

    @property
    def name(self) -> str: ...

    @property
    def rules(self) -> _Sourced: ...


class TablebaseError(Exception):
    """Root of all exceptions of this package."""


class MissingTableError(TablebaseError, KeyError):
    """A required table is not available.

    Attributes
    ----------
    materials : tuple[str, ...]
        Names of the materials whose tables are missing; empty if unknown.
    directories : tuple[str, ...]
        The folders that were searched.
    needed_by : str
        The material that needs them as sub-tables; empty if there is none.
    metric : str
        ``dtm``, ``dtz``, ``white_mates`` or ``black_mates`` if the tables exist but lack these
        distances, else empty.
    rules : str
        The value of ``--rules`` that means the rules of the tables; empty for chess.
    """

    materials: tuple[str, ...] = ()
    directories: tuple[str, ...] = ()
    needed_by = metric = rules = ""
    _most_men = MAX_MEN

    @classmethod
    def of(
        cls,
        materials: Iterable[_Named],
        directories: Iterable[str | PathLike[str]] = (),
        *,
        needed_by: _Named | None = None,
        metric: str = "",
    ) -> Self:
        """Return the error for some materials, with the command that builds their tables."""
        error = cls()
        named = tuple(materials)
        error.materials = tuple(material.name for material in named)
        error.directories = tuple(fspath(folder) for folder in directories)
        error.needed_by = needed_by.name if needed_by else ""
        error.metric = metric
        error.rules = next((material.rules.source for material in named), "")
        error._most_men = min((material.rules.most_men for material in named), default=MAX_MEN)
        return error

    def __str__(self) -> str:
        if not self.args and self.materials:
            # Made on demand: a caller with a default for missing tables never reads it.
            from tablebase.core.ground.remedies import of_missing_tables  # noqa: PLC0415

            text = of_missing_tables(
                self.materials,
                self.directories,
                self.needed_by,
                self.metric,
                self.rules,
                self._most_men,
            )
            self.args = (text,)
        return Exception.__str__(self)  # KeyError would quote it


class UnsupportedPositionError(TablebaseError, ValueError, KeyError):
    """A position that no table can have, such as an illegal one or one with too many men.

    It is also a KeyError, because programs written for `chess.gaviota` catch that.
    """

    __str__ = Exception.__str__  # KeyError would quote it


class InvalidMaterialError(TablebaseError, ValueError):
    """A material does not exist or is not supported."""


class InvalidRulesError(TablebaseError, ValueError):
    """Rules of a game, or a piece's moves, are not understood or cannot be handled."""


class CorruptTableError(TablebaseError, OSError):
    """A table file is truncated, damaged or no table."""


class UndecidedError(TablebaseError):
    """Whether a side can mate is open: neither rules nor tables, a line or a proof tell."""
