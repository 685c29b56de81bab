"""What all processes of a run share: one of them makes it, the others wait for it."""

import hashlib
from contextlib import contextmanager, nullcontext, suppress

import pytest
from numba.core.caching import NullCache
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher

with suppress(ImportError):  # on Windows processes do not wait, and may do the same work
    import fcntl


@contextmanager
def only_one(path):
    """Wait until no other process is at the same work."""
    with path.open("w") as lock:
        if "fcntl" in globals():
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextmanager
def compiled_once(folder):
    """Compile each kernel in one process of those that share a folder: others find it cached.

    The lock of numba's compiler comes first, so that threads of a process wait in one order.
    """
    compile_or_load = Dispatcher.compile

    def compile_alone(self, signature):
        name = f"{self.py_func.__module__}.{self.py_func.__qualname__}{signature}"
        lock = folder / f"{hashlib.sha256(name.encode()).hexdigest()[:16]}.lock"
        is_cached = not isinstance(self._cache, NullCache)
        with global_compiler_lock, only_one(lock) if is_cached else nullcontext():
            return compile_or_load(self, signature)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Dispatcher, "compile", compile_alone)
        yield
