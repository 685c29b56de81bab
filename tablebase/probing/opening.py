"""Tablebases by folder: the one that is named, or where tables are looked for."""

from __future__ import annotations

import os
from pathlib import Path

from tablebase.locations import default_directories
from tablebase.probing.reader import DEFAULT_CACHE_SIZE
from tablebase.probing.tablebase import Tablebase


def open_tablebase(
    directory: str | os.PathLike[str] | None = None,
    *,
    cache_size: int = DEFAULT_CACHE_SIZE,
    libgtb: object = None,  # noqa: ARG001  (see below)
    LibraryLoader: object = None,  # noqa: ARG001, N803  (see below)
) -> Tablebase:
    """Open the tables of a directory.

    Parameters
    ----------
    directory
        Folder of files named like ``KRNK.h5``; more can be added, see
        `Tablebase.add_directory`. By default those of the variable ``TABLEBASE_PATH``; if it is
        not set, ``data`` in the current directory if there are tables in it; else the folder of
        the user's own tables, see `tablebase.locations`.
    cache_size
        Most bytes of decompressed values to keep in memory.
    libgtb, LibraryLoader
        Not used: `chess.gaviota.open_tablebase` has them, so programs for it can pass them.

    Returns
    -------
    Tablebase
        To be closed after use, or used as a context manager.

    Raises
    ------
    FileNotFoundError
        If there is no such directory; by default, if there is none of them.
    """
    directories = [Path(directory)] if directory is not None else default_directories()
    if directory is None and not any(path.is_dir() for path in directories):
        names = ", ".join(map(str, directories))
        raise FileNotFoundError(f"there is no folder {names}: make it with `tablebase build`")
    chosen = [path for path in directories if directory is not None or path.is_dir()]
    return Tablebase(cache_size=cache_size, directories=chosen)
