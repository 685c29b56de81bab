"""The only place with numba options and the folder of compiled kernels."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_PACKAGE = Path(__file__).resolve().parent


# Modules whose constants are compiled into kernels.
_GROUND = {"geometry", "symmetry", "values"}


def _source_digest() -> str:
    """Return a digest of all sources that kernels are made from.

    numba's cache notices an edit of a kernel's own file only, not of the kernels it calls in
    other files; a folder named after all these sources cannot be stale.
    """
    digest = hashlib.sha256()
    for path in sorted(_PACKAGE.glob("*.py")):
        source = path.read_bytes()
        if path.stem in _GROUND or b"import kernel" in source or b"numba" in source:
            digest.update(path.name.encode())
            digest.update(source)
    return digest.hexdigest()[:16]


def _candidate_folders() -> Iterator[Path]:
    yield _PACKAGE / "__pycache__"
    cache_home = os.environ.get("XDG_CACHE_HOME")
    if cache_home:
        yield Path(cache_home) / "chess-tablebase"
    try:
        yield Path.home() / ".cache" / "chess-tablebase"
    except RuntimeError:  # no home is known
        return


def _is_writable(folder: Path) -> bool:
    """Return whether a file can be made in `folder`, creating the folder if need be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def cache_folder() -> Path:
    """Return a writable folder for compiled kernels.

    The package's own folder if it can be written, else the user's cache, else a new temporary
    folder (then every process compiles anew).
    """
    name = f"kernels-{_source_digest()}"
    for folder in _candidate_folders():
        if _is_writable(folder / name):
            return folder / name
    return Path(tempfile.mkdtemp(prefix="chess-tablebase-"))


# numba raises at import time when it finds no writable folder, so this precedes it.
if "NUMBA_CACHE_DIR" not in os.environ:
    os.environ["NUMBA_CACHE_DIR"] = str(cache_folder())

from numba import njit  # noqa: E402  (the cache folder must be chosen first)


def kernel(function: Callable[..., Any] | None = None, *, inline: bool = False) -> Any:
    """Compile a function with numba: cached on disk, and without the global interpreter lock.

    Parameters
    ----------
    function
        A function in numba's subset of Python, taking arrays, scalars and tuples of them.
    inline
        Paste the function into its callers before type inference, for the smallest helpers.

    Returns
    -------
    Callable
        The compiled function.
    """
    compile_ = njit(cache=True, nogil=True, inline="always" if inline else "never")
    return compile_ if function is None else compile_(function)
