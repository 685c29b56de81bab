"""The folder of compiled kernels, chosen before numba looks for one.

numba unpickles its files, so anybody who can write to it can run code: only folders that belong to
the user and are closed to others are used.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import re
import shutil
import stat
import sys
import tempfile
import time
import warnings
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_PACKAGE = Path(__file__).resolve().parents[2]
_WEEK = 7 * 24 * 3600  # seconds
_VARIABLE = "NUMBA_CACHE_DIR"
# Names of the folders below, which processes started from here find in the variable.
_OWN = re.compile("kernels-[0-9a-f]{16}|chess-tablebase-.*")

# Constants of these wings and modules are compiled into kernels. Of the others, modules with
# kernels count.
_GROUND = {"board", "capacity", "catalog", "engine", "index", "jit", "moves", "outcomes", "rules"}


def _is_compiled_in(path: Path, source: bytes) -> bool:
    """Return whether kernels are made from a module."""
    is_ground = not _GROUND.isdisjoint((path.parent.name, path.stem))
    return is_ground or b"tablebase.core.jit" in source or b"numba" in source


def _source_digest() -> str:
    """Return a digest of all sources that kernels are made from.

    numba's cache notices an edit of a kernel's own file only, not of the kernels it calls in
    other files; a folder named after all these sources cannot be stale.
    """
    digest = hashlib.sha256()
    for path in sorted(_PACKAGE.rglob("*.py")):
        source = path.read_bytes()
        if _is_compiled_in(path, source):
            digest.update(path.relative_to(_PACKAGE).as_posix().encode())
            digest.update(source)
    return digest.hexdigest()[:16]


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


def _remove_unused(folder: Path) -> None:
    """Remove the kernels of versions that no process has started with for a week.

    A process that has run for longer is not harmed: numba compiles what it no longer finds.
    """
    for kernels in folder.glob("kernels-*"):
        with suppress(OSError):  # another process may be removing the same
            if kernels.stat().st_mtime < time.time() - _WEEK:
                shutil.rmtree(kernels, ignore_errors=True)


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
    """Return a writable folder for compiled kernels; a new one is cleared of versions out of use.

    It is the package's own if it can be written, else the user's cache, else a temporary folder, so
    that every process compiles again.
    """
    name = f"kernels-{_source_digest()}"
    for folder in _candidate_folders():
        kernels = folder / name
        with suppress(OSError):  # it cannot be written, or not even seen
            is_new = not kernels.exists()
            if _is_usable(kernels):
                kernels.touch()  # the time of the last use
                if is_new:
                    _remove_unused(folder)
                return kernels
    return _temporary_folder()


def _check_named(folder: Path) -> None:
    """Raise `OSError` unless files can be made in a folder that the user has named."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=folder):
        pass


def _choose() -> str:
    """Name a folder to numba unless the user has named one; return the digest that it lacks.

    That is `_source_digest` if the folder is not named after it, else an empty text.
    """
    if named := os.environ.get(_VARIABLE):
        try:
            _check_named(Path(named))
        except OSError as error:
            reason = f"{_VARIABLE}={named} cannot be used ({error.strerror})"
            warnings.warn(f"{reason}: name another folder, or none", RuntimeWarning, stacklevel=2)
        else:
            return "" if _OWN.fullmatch(Path(named).name) else _source_digest()
    os.environ[_VARIABLE] = str(cache_folder())
    if "numba" in sys.modules:  # it has looked for the variable already
        sys.modules["numba"].config.reload_config()
    return ""


# What must be known of the sources besides the folder to trust a file in it.
SOURCES = _choose()
