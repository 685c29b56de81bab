"""Compiled kernels in numba's files, of which a damaged one counts as missing.

numba trusts its files: a damaged one raises an error in every process, or its bytes are run.
"""

from __future__ import annotations

import hashlib
import pickle
from contextlib import suppress
from typing import Any

from numba.core.serialize import dumps

from tablebase.core.jit.cache import SOURCES


def cache_checked(dispatcher: Any) -> None:
    """Let numba keep a compiled function in files, which are checked and may be lost."""
    # There may be no folder for it, so that each process compiles it. The names are numba's own:
    # if one has gone, files are as good as numba makes them.
    with suppress(RuntimeError, AttributeError):
        dispatcher.enable_caching()
        _add_digest(dispatcher._cache._impl)  # noqa: SLF001
        _forgive(dispatcher._cache)  # noqa: SLF001


def _add_digest(implementation: Any) -> None:
    """Let what is stored begin with a digest, of the sources as well where no folder has theirs."""
    reduce, rebuild = implementation.reduce, implementation.rebuild

    def reduce_with_digest(result: Any) -> tuple[bytes, bytes]:
        data = dumps(reduce(result))
        return _digest(data), data

    def rebuild_if_right(context: Any, stored: tuple[bytes, bytes]) -> Any:
        digest, data = stored
        if digest != _digest(data):
            raise ValueError("a compiled kernel is damaged, or made from other sources")
        return rebuild(context, pickle.loads(data))  # noqa: S301 (see `cache`)

    implementation.reduce, implementation.rebuild = reduce_with_digest, rebuild_if_right


def _digest(data: bytes) -> bytes:
    return hashlib.sha256(SOURCES.encode() + data).digest()


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
