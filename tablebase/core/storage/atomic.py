"""Files that are complete as soon as they have their name.

A file is written under a temporary name of the writer's own, flushed and renamed, and the folder is
flushed. The writer holds a lock on it, so that the next writer can remove what dead processes left.
"""

from __future__ import annotations

import glob
import os
import re
import secrets
import socket
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

try:
    from fcntl import LOCK_EX, LOCK_NB, LOCK_SH, flock
except ImportError:  # Windows, where files in use cannot be removed
    flock = None  # type: ignore[assignment]

# Files of which there are many in a folder.
_ANY_TABLE = r"[\w-]+\.(?:h5|region|[a-z]tb[wz]|gtb\.cp4)"
# Without locks, a file that was last written this long ago counts as a leftover.
_ABANDONED_SECONDS = 24 * 60 * 60.0


@contextmanager
def sole_writer(path: Path) -> Iterator[None]:
    """Keep out all others who ask for the same path; wait for those who were first.

    A folder that knows no locks keeps nobody out.
    """
    if flock is None:
        yield
        return
    lock = path.with_name(f".{path.name}.lock.partial")
    while True:
        with _naming(path):
            descriptor = os.open(lock, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            with suppress(OSError):
                flock(descriptor, LOCK_EX)
            # The one before has removed its file.
            if not _is_still(descriptor, lock):
                continue
            try:
                yield
            finally:
                lock.unlink(missing_ok=True)
            return
        finally:
            os.close(descriptor)


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Name the file that cannot be written, if any, rather than its temporary name."""
    try:
        yield
    except OSError as error:
        named = Path(str(error.filename or f".{path.name}."))
        if error.errno is None or not named.name.startswith(f".{path.name}."):
            raise
        raise OSError(error.errno, os.strerror(error.errno), str(path)) from error


def _is_still(descriptor: int, path: Path) -> bool:
    """Return whether a path names the file that is open."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat(follow_symlinks=False))
    except FileNotFoundError:
        return False


def write_text(path: Path, text: str) -> None:
    """Write a file of text, which is complete or absent; its lines end as in the text."""
    with complete_or_absent(path) as partial:
        partial.write_text(text, encoding="utf-8", newline="")


@contextmanager
def complete_or_absent(path: Path) -> Iterator[Path]:
    """Create an empty file to write to; it replaces `path` if all went well.

    It must be written in place: `OSError` if it has lost its temporary name in the end.
    """
    with _naming(path), partial_file(path) as (partial, file):
        yield partial
        give_name(partial, file, path)


@contextmanager
def partial_file(path: Path) -> Iterator[tuple[Path, BinaryIO]]:
    """Yield the temporary name of a new file beside `path`, and the file; remove it at the end.

    The file holds the lock until it is closed. Files left by dead processes are removed first.
    """
    partial, file = _create_partial(path)
    try:
        yield partial, file
    finally:
        file.close()
        partial.unlink(missing_ok=True)


def _create_partial(path: Path) -> tuple[Path, BinaryIO]:
    _remove(path.parent, glob.escape(path.name), re.escape(path.name))
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    while True:
        name = f".{path.name}.{socket.gethostname()}.{secrets.token_hex(8)}.partial"
        partial = path.with_name(name)
        file = os.fdopen(os.open(partial, flags, 0o666), "rb+")
        # Between creation and lock, another process may have taken it for a leftover. The lock is
        # one that readers share: they may open the file as soon as it has its name.
        if _try_lock(file.fileno(), alone=False) is not False and _is_still(file.fileno(), partial):
            return partial, file
        file.close()
        partial.unlink(missing_ok=True)


def _remove(directory: Path, like: str, name: str) -> list[Path]:
    """Remove what is left of files whose names match both a pattern for glob and an expression."""
    pattern = re.compile(rf"\.{name}\.(?:(?P<host>.+)\.)?\w+\.partial")
    removed = []
    for path in sorted(directory.glob(f".{like}.*.partial")):
        match = pattern.fullmatch(path.name)
        if match is None or match["host"] not in {None, socket.gethostname()}:
            continue
        with suppress(OSError):
            # A pipe of that name must not make this process wait.
            descriptor = os.open(path, os.O_RDWR | getattr(os, "O_NONBLOCK", 0))
            try:
                if _is_abandoned(descriptor) and _is_still(descriptor, path):
                    path.unlink()
                    removed.append(path)
            finally:
                os.close(descriptor)
    return removed


def _is_abandoned(descriptor: int) -> bool:
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        return False
    is_ours = _try_lock(descriptor, alone=True)
    return time.time() > status.st_mtime + _ABANDONED_SECONDS if is_ours is None else is_ours


def _try_lock(descriptor: int, *, alone: bool) -> bool | None:
    """Lock a file; return whether nobody is in the way, None if the folder knows no locks."""
    if flock is None:
        return None
    try:
        flock(descriptor, (LOCK_EX if alone else LOCK_SH) | LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def give_name(partial: Path, file: BinaryIO, path: Path) -> None:
    """Rename a complete `partial_file`, which replaces `path`; `OSError` if that is impossible."""
    os.fsync(file.fileno())
    if not _is_still(file.fileno(), partial):
        raise OSError(f"{partial} was removed while it was written: run the same command again")
    if flock is None:  # Windows renames no open files
        file.close()
    partial.replace(path)
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    if os.name != "posix":  # elsewhere folders cannot be opened
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remove_leftovers(directory: str | os.PathLike[str]) -> list[Path]:
    """Remove the unfinished tables of processes that have ended, and return their paths.

    Those of other machines, which may share the folder, stay: locks need not reach them.
    """
    return _remove(Path(directory), "*", _ANY_TABLE)
