"""The default folders of tables, for searching and for building."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from tablebase.core.ground.argument_readers import as_path

ENVIRONMENT = "TABLEBASE_PATH"
APPLICATION = "chess-tablebase"
LOCAL = Path("data")
_PACKAGE = Path(__file__).absolute().parents[2]


def build_directory(explicit: Iterable[str | os.PathLike[str]] = ()) -> Path:
    """Return the folder that new tables go to: the first named one, or the user's."""
    return next(iter(_named(explicit)), None) or _own_directory()


def default_directories(explicit: Iterable[str | os.PathLike[str]] = ()) -> list[Path]:
    """Return the folders to search for tables, at least one; those named need not exist.

    Without `explicit` folders they are those of ``TABLEBASE_PATH``. If it is not set either, they
    are ``data`` in the current directory if it has tables, else `user_directory` if it exists, and
    after this one `provided_directory`.
    """
    if named := _named(explicit):
        return named
    own, provided = _own_directory(), provided_directory()
    if own.absolute() == provided:  # in a clone
        return [own]
    return [folder for folder in (own, provided) if folder.is_dir()] or [own]


def provided_directory() -> Path:
    """Return the folder of the tables that come with the program, in a clone its ``data``."""
    inside = _PACKAGE / LOCAL
    return inside if inside.is_dir() else _PACKAGE.parent / LOCAL


def _named(explicit: Iterable[str | os.PathLike[str]]) -> list[Path]:
    return [_expanded(folder) for folder in explicit] or split_path(os.environ.get(ENVIRONMENT, ""))


def _own_directory() -> Path:
    return LOCAL if _holds_tables(LOCAL) else user_directory()


def folders_of(directory: str | os.PathLike[str] | None) -> list[Path]:
    """Return the one folder that is given, else the default ones."""
    return default_directories() if directory is None else [as_path("directory", directory)]


def _expanded(folder: str | os.PathLike[str]) -> Path:
    try:
        return Path(folder).expanduser()
    except RuntimeError:  # no such user or no home: the name is taken as it stands
        return Path(folder)


def split_path(path: str) -> list[Path]:
    """Return the folders of a list in the format of ``PATH``, with ``~`` expanded."""
    return [_expanded(folder) for folder in path.split(os.pathsep) if folder.strip()]


def _holds_tables(directory: Path) -> bool:
    try:
        names = [name.lower() for name in os.listdir(directory)]  # noqa: PTH208 (names suffice)
    except OSError:
        return False
    return any(name.startswith("k") and name.endswith(".h5") for name in names)


def user_directory() -> Path:
    """Return the folder of the user's own tables. It need not exist."""
    from platformdirs import user_data_path  # noqa: PLC0415  (not needed if a folder is named)

    return user_data_path(APPLICATION, appauthor=False)
