"""The folder of compiled kernels, chosen before numba looks for one.

numba unpickles its files, so anybody who can write to it can run code: only folders that belong to
the user and are closed to others are used.
"""

from __future__ import annotations

import atexit
import os
import shutil
import stat
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[2]
_VARIABLE = "NUMBA_CACHE_DIR"


def _candidate_folders() -> Iterator[Path]:
    yield _PACKAGE / "__pycache__"
    cache_home = os.environ.get("XDG_CACHE_HOME")
    if cache_home:
        yield Path(cache_home) / "chess-tablebase"
    with suppress(RuntimeError, OSError):  # no home is known, or none that may be seen
        home = Path.home()
        if home.is_dir():
            yield home / ".cache" / "chess-tablebase"


def _is_private(folder: Path) -> bool:
    """Return whether a folder belongs to this user and nobody else can write to it."""
    if not hasattr(os, "geteuid"):  # Windows: folders inherit who may write to them
        return True
    found = folder.stat()
    return found.st_uid == os.geteuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _is_usable(kernels: Path) -> bool:
    """Return whether a file can be made in a private folder, creating the folder if need be."""
    kernels.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    kernels.mkdir(mode=0o700, exist_ok=True)
    with tempfile.TemporaryFile(dir=kernels):
        return _is_private(kernels.parent) and _is_private(kernels)


def _temporary_folder() -> Path:
    """Return a new folder that is removed when this process ends."""
    folder = Path(tempfile.mkdtemp(prefix="chess-tablebase-"))
    owner = os.getpid()

    def remove() -> None:
        if os.getpid() == owner:  # not one forked from it
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    return folder


def cache_folder() -> Path:
    """Return a writable folder for compiled kernels.

    It is the package's own if it can be written, else the user's cache, else a temporary folder, so
    that every process compiles again.
    """
    for folder in _candidate_folders():
        kernels = folder / "kernels"
        with suppress(OSError):  # it cannot be written, or not even seen
            if _is_usable(kernels):
                return kernels
    return _temporary_folder()


def _check_named(folder: Path) -> None:
    """Raise `OSError` unless files can be made in a folder that the user has named."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=folder):
        pass


def _choose() -> Path:
    """Name a folder to numba unless the user has named one; return it."""
    if named := os.environ.get(_VARIABLE):
        try:
            _check_named(Path(named))
        except OSError as error:
            reason = f"{_VARIABLE}={named} cannot be used ({error.strerror})"
            warnings.warn(f"{reason}: name another folder, or none", RuntimeWarning, stacklevel=2)
        else:
            return Path(named)
    os.environ[_VARIABLE] = str(cache_folder())
    if "numba" in sys.modules:  # it has looked for the variable already
        sys.modules["numba"].config.reload_config()
    return Path(os.environ[_VARIABLE])


FOLDER = _choose()  # also for what else is costly to find again
