"""Reasons why a file cannot be read: damage, or something that the system refused."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import deflate

from tablebase.core.ground.errors import CorruptTableError, MissingTableError, TablebaseError
from tablebase.core.storage.table_names import how_to_build_again

# What h5py raises on files that are damaged or built to do harm.
_DAMAGE = (
    OSError,
    RuntimeError,
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
    OverflowError,
    deflate.DeflateError,
)
# How HDF5 cites the system. What the system refuses says nothing about the file, except an offset
# that no file can have.
_ERRNO = re.compile(r"\berrno = (\d+)")
_ERRORS_OF_DAMAGE = {errno.EINVAL, errno.EOVERFLOW, errno.EFBIG}
# What opening says of folders (on Windows) and sockets, and of pipes without a reader.
_NOT_A_FILE = {errno.EISDIR, errno.ENXIO, errno.EOPNOTSUPP}
# HDF5 opens a file once in a process, and refuses to open it with other options.
_OTHER_OPTIONS = re.compile("file (close degree|locking).* match")
# Where no other program is in the way, HDF5 insists on a lock only if a variable says so.
_LOCK_FAILED, _LOCKING = "unable to lock file", "HDF5_USE_FILE_LOCKING"
# What HDF5 says of damage, and the same in plain words.
_IN_PLAIN_WORDS = {
    "truncated file": "it is cut short",
    "signature not found": "it is not an HDF5 file",
    "checksum": "a checksum does not match",
    "doesn't exist": "a part of it is missing",
}


class FlawError(ValueError):
    """A flaw in a file; the message does not name the file."""


def require(condition: object, message: str) -> None:
    """Raise a `FlawError` unless a condition holds."""
    if not condition:
        raise FlawError(message)


def check_regular(path: Path) -> None:
    """Raise what the system says if a file cannot be read; HDF5 would wait for a pipe for ever."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except FileNotFoundError:
        raise MissingTableError(f"there is no file {path}") from None
    except OSError as error:
        if error.errno not in _NOT_A_FILE:
            raise
        is_regular = False
    else:
        is_regular = stat.S_ISREG(os.fstat(descriptor).st_mode)
        os.close(descriptor)
    if not is_regular:
        raise CorruptTableError(f"{path} is not a table: it is not a regular file")


@contextmanager
def naming_refusal(path: Path) -> Iterator[None]:
    """Name the file that cannot be written, and why: HDF5 says much about the temporary one."""
    try:
        yield
    except (OSError, RuntimeError) as error:  # h5py raises both on a disk that is full
        number = _system_error(error)
        if number is not None and getattr(error, "filename", None) != str(path):
            raise OSError(number, _reason(number, error, in_use=False), str(path)) from error
        if isinstance(error, OSError):
            raise
        raise OSError(f"{path} could not be written: {error}") from error


def _reason(number: int, error: BaseException, *, in_use: bool) -> str:
    """Return the words of the system, or the remedy against a lock."""
    if in_use:
        return "another program has it open for writing: close it there; if none has, delete it"
    if _LOCK_FAILED in str(error):
        return f"it cannot be locked: unset {_LOCKING}, and run this again"
    return os.strerror(number)


def _system_error(error: BaseException) -> int | None:
    """Return the number of the system's error that HDF5 met, None if it met none."""
    number = error.errno if isinstance(error, OSError) else None
    if "already open for write" in str(error):  # as the file says itself
        return errno.EAGAIN
    if number is None and (match := _ERRNO.search(str(error))):
        number = int(match[1])
    return number or None


@contextmanager
def naming_damage(path: Path) -> Iterator[None]:
    """Turn what h5py raises into `CorruptTableError` or, if the system refused, `OSError`."""
    try:
        yield
    except (CorruptTableError, MissingTableError):
        raise
    except _DAMAGE as error:
        number = _system_error(error)
        if number is not None and number not in _ERRORS_OF_DAMAGE:
            in_use = number == errno.EAGAIN
            raise OSError(number, _reason(number, error, in_use=in_use), str(path)) from error
        if _OTHER_OPTIONS.search(str(error)):
            raise OSError(f"{path} is open elsewhere in another way: {error}") from error
        what = "is damaged or not a table"
        raise damaged(path, _in_plain_words(error), what=what) from error


def damaged(path: Path, reason: str, *, what: str = "is damaged") -> CorruptTableError:
    """Return the error for a damaged file, with the advice to build it again if that helps."""
    advice = how_to_build_again(path)
    return CorruptTableError(f"{path} {what}: {reason}{advice and f'; {advice}'}")


def _in_plain_words(error: Exception) -> str:
    """Return the reason why a file cannot be read: our own message, or HDF5's in plain words."""
    if isinstance(error, (FlawError, TablebaseError)):
        return str(error)
    if isinstance(error, deflate.DeflateError):
        return "a chunk cannot be decompressed"
    words = (plain for theirs, plain in _IN_PLAIN_WORDS.items() if theirs in str(error))
    return next(words, "HDF5 cannot read it")
