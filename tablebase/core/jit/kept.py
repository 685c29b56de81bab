"""Compiled kernels in numba's files, of which a stale, exchanged or damaged one counts as missing.

numba trusts its files: it misses edits of the kernels that a kernel calls in other modules, and a
damaged file raises an error in every process, or its bytes are run.
"""

from __future__ import annotations

import hashlib
import pickle
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.serialize import dumps

from tablebase.core.jit.kernel_sources import compiled_sources, source_digest


def cache_checked(dispatcher: Any) -> None:
    """Let numba keep a compiled function in files, which are checked and may be lost."""
    # There may be no folder for it, so that each process compiles it. The names are numba's own:
    # if one has gone, each process compiles as well.
    with suppress(RuntimeError, AttributeError, OSError):
        cache = FunctionCache(dispatcher.py_func)
        cache._cache_file = _checked_file(dispatcher.py_func, cache)  # noqa: SLF001
        _forgive(cache)
        dispatcher._cache = cache  # noqa: SLF001


class _CheckedFile(IndexDataCacheFile):
    """numba's files of a function: what is stored begins with a digest of what it is and whose."""

    def save(self, key: Any, data: Any) -> None:
        """Store code under its key: the types of arguments, the processor, closed variables."""
        stored = dumps(data)
        super().save(key, (self._digest(key, stored), stored))

    def load(self, key: Any) -> Any:
        """Return the code of a key, None if there is none."""
        found = super().load(key)
        if found is None:
            return None
        digest, stored = found
        if digest != self._digest(key, stored):
            raise ValueError("a compiled kernel is damaged, or another function's")
        return pickle.loads(stored)  # noqa: S301 (see `cache`)

    def _digest(self, key: Any, stored: bytes) -> bytes:
        whose = repr((self._index_name, self._source_stamp, key))
        return hashlib.sha256(whose.encode() + stored).digest()


def _checked_file(function: Callable[..., Any], cache: FunctionCache) -> _CheckedFile:
    """Return the files of a function, which are stale once any source of its code has changed."""
    # Functions that a factory makes from kernels of several modules bear the same name.
    paths = "\n".join(compiled_sources(function))
    made_from = hashlib.sha256(paths.encode()).hexdigest()[:8]
    python = "{}{}".format(*sys.version_info)
    module = Path(function.__code__.co_filename).stem
    name = f"{module}.{function.__qualname__}-{made_from}.py{python}"
    name = name.replace("<", "").replace(">", "")
    return _CheckedFile(cache.cache_path, name, source_digest(function))


def _forgive(cache: Any) -> None:
    """Let a function be compiled again where its files cannot be read, or not written."""
    load, save = cache.load_overload, cache.save_overload

    def load_if_sound(*arguments: Any) -> Any:
        try:
            return load(*arguments)
        except Exception:  # noqa: BLE001 (damaged bytes raise whatever they mean)
            try:
                cache.flush()  # an index without entries takes the place of the damaged one
            except OSError:
                cache.disable()
            return None

    def save_if_possible(*arguments: Any) -> None:
        with suppress(OSError):  # the disk is full, say: compiled again the next time
            save(*arguments)

    cache.load_overload, cache.save_overload = load_if_sound, save_if_possible
