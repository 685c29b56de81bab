"""Where tables are looked for, and where builds put them, unless a folder is named."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

ENVIRONMENT = "TABLEBASE_PATH"
APPLICATION = "chess-tablebase"
LOCAL = Path("data")


def user_directory() -> Path:
    """Return the folder of the user's own tables, which need not exist."""
    from platformdirs import user_data_path  # noqa: PLC0415  (who names a folder does not need it)

    return user_data_path(APPLICATION, appauthor=False)


def split_path(path: str) -> list[Path]:
    """Return the folders of a list as in ``PATH``, separated by `os.pathsep`, ``~`` expanded."""
    return [_expanded(folder) for folder in path.split(os.pathsep) if folder.strip()]


def default_directories(explicit: Iterable[str | os.PathLike[str]] = ()) -> list[Path]:
    """Return the folders to search for tables, at least one; they need not exist.

    Parameters
    ----------
    explicit
        Folders that the user named. If there is none, those of the variable ``TABLEBASE_PATH``
        count; if it is not set, ``data`` in the current directory if there are tables in it; else
        the folder of the user's own tables, see `user_directory`.
    """
    return (
        [_expanded(folder) for folder in explicit]
        or split_path(os.environ.get(ENVIRONMENT, ""))
        or [LOCAL if _holds_tables(LOCAL) else user_directory()]
    )


def build_directory(explicit: Iterable[str | os.PathLike[str]] = ()) -> Path:
    """Return the folder that new tables go to: the first of `default_directories`."""
    return default_directories(explicit)[0]


def _expanded(folder: str | os.PathLike[str]) -> Path:
    try:
        return Path(folder).expanduser()
    except RuntimeError:  # no such user, no home: then the name is meant as it stands
        return Path(folder)


def _holds_tables(directory: Path) -> bool:
    try:
        return any(directory.glob("K*.h5"))
    except OSError:
        return False
