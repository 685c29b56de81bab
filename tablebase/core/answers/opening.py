"""Tablebases by folder: the named folder, or the folders where tables are looked for."""

from __future__ import annotations

import os

from tablebase.core.answers.tablebase import Tablebase
from tablebase.core.castling.solved_sets import CASTLING_MEMORY
from tablebase.core.ground.locations import folders_of
from tablebase.core.reading.reader import DEFAULT_CACHE_SIZE
from tablebase.core.rules.rules import Rules


def open_tablebase(
    directory: str | os.PathLike[str] | None = None,
    *,
    rules: Rules | str = "chess",
    cache_size: int = DEFAULT_CACHE_SIZE,
    castling_size: int = CASTLING_MEMORY,
    libgtb: object = None,  # noqa: ARG001  (see below)
    LibraryLoader: object = None,  # noqa: ARG001, N803  (see below)
) -> Tablebase:
    """Open the tables of a directory.

    Parameters
    ----------
    directory
        Folder of files named like ``KRNK.h5``; `Tablebase.add_directory` adds others. The default
        is the first of these: the folders of the variable ``TABLEBASE_PATH``, ``data`` in the
        current directory if it has tables, and the user's data folder. Unless the variable is set,
        the tables that come with the program answer where it has none.
    rules
        The game: a name such as ``shatranj``, ``FILE:NAME`` for rules of a file, or rules.
    cache_size
        Limit on decompressed values in memory, in bytes, for each kind of distance.
    castling_size
        The same limit for the values of positions with castling rights, which are solved when they
        are asked for.
    libgtb, LibraryLoader
        Ignored, but accepted because `chess.gaviota.open_tablebase` has them.

    Returns
    -------
    Tablebase
        Close it after use, or use it as a context manager.

    Raises
    ------
    FileNotFoundError
        If there is no such directory, or none that ``TABLEBASE_PATH`` names.
    InvalidRulesError
        If there is no such game, or its rules cannot be read.

    Examples
    --------
    >>> import chess
    >>> with open_tablebase("data") as tables:
    ...     print(tables.probe_dtm(chess.Board("8/8/8/8/8/2k5/1R6/K7 w - - 0 1")))
    31
    """
    directories = folders_of(directory)
    if directory is None and not any(path.is_dir() for path in directories):
        names = ", ".join(map(str, directories))
        raise FileNotFoundError(f"there is no folder {names}: make it with `tablebase build`")
    chosen = [path for path in directories if directory is not None or path.is_dir()]
    return Tablebase(chosen, rules=rules, cache_size=cache_size, castling_size=castling_size)
