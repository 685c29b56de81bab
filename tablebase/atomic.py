"""Files that are complete as soon as they have their name.

A file is written under a temporary name in the same folder, flushed to the disk and renamed, and
the folder is flushed. What dead processes left behind is told by the temporary name.
"""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_PARTIAL = re.compile(r"\.[\w-]+\.h5\.(?:(?P<host>.+)\.)?(?P<process>\d+)\.partial")


def _sync_folder(folder: Path) -> None:
    if os.name != "posix":  # elsewhere folders cannot be opened
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def partial_path(path: Path) -> Path:
    """Return the temporary name of this process for a file; see `remove_leftovers`."""
    return path.with_name(f".{path.name}.{socket.gethostname()}.{os.getpid()}.partial")


@contextmanager
def complete_or_absent(path: Path) -> Iterator[Path]:
    """Give a temporary name to write to; what was written replaces `path` if all went well."""
    partial = partial_path(path)
    try:
        yield partial
        with partial.open("rb+") as file:
            os.fsync(file.fileno())
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def remove_leftovers(directory: str | os.PathLike[str]) -> list[Path]:
    """Remove the unfinished files of processes that are no more, and return their paths.

    Those of other machines, which may share the folder, stay: whether a process runs there is not
    known here.
    """
    removed = []
    for path in sorted(Path(directory).glob(".*.partial")):
        match = _PARTIAL.fullmatch(path.name)
        if match is None or match["host"] not in {None, socket.gethostname()}:
            continue
        process = int(match["process"])
        if process == os.getpid() or not _is_running(process):
            with suppress(OSError):
                path.unlink()
                removed.append(path)
    return removed
