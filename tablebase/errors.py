"""The exceptions raised on purpose, all under one root.

::

    TablebaseError
    ├── MissingTableError         (also KeyError)    the table is not there
    ├── UnsupportedPositionError  (also ValueError, KeyError)
    │                                                the position has no value here
    ├── InvalidMaterialError      (also ValueError)  the name is not a material
    └── CorruptTableError         (also OSError)     the file is damaged or foreign
"""


class TablebaseError(Exception):
    """Root of all exceptions of this package."""


class MissingTableError(TablebaseError, KeyError):
    """A required table is not available."""

    __str__ = Exception.__str__  # KeyError would put the message in quotes


class UnsupportedPositionError(TablebaseError, ValueError, KeyError):
    """A position lies outside what tables describe: castling rights, too many men, illegal.

    `chess.gaviota` raises a KeyError for such positions, so programs written for it catch that.
    """

    __str__ = Exception.__str__  # as above


class InvalidMaterialError(TablebaseError, ValueError):
    """A material does not exist or is not one that can be handled."""


class CorruptTableError(TablebaseError, OSError):
    """A table file is truncated, damaged or not a table at all."""
