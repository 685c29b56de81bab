"""The only place with numba's options: how kernels are compiled, once one is needed.

To save compiling time, numba's compiler is extended through its inner classes (see `compiler`).
Where these have changed, kernels are compiled *plainly*: slower, with the same results.
"""

from __future__ import annotations

import os
import warnings
from typing import Any

import tablebase.core.jit.cache  # noqa: F401  (numba reads at import what it sets)

# isort: split
from collections.abc import Callable
from types import ModuleType

from numba import config, njit
from numba.core import event

from tablebase.core.ground.compiling import compilation
from tablebase.core.ground.errors import TablebaseError
from tablebase.core.jit.kept import cache_checked

PLAIN_VARIABLE = "TABLEBASE_PLAIN_NUMBA"

# Kernels hold no reference to Python's objects. Division by zero gives zero.
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}


def _tuned_compiler() -> ModuleType | None:
    """Return the module that extends numba's compiler; None, with a warning, if it cannot."""
    if os.environ.get(PLAIN_VARIABLE, "0") not in ("", "0"):
        reason = f"{PLAIN_VARIABLE} is set"
    else:
        try:
            from tablebase.core.jit import compiler as _pipeline  # noqa: PLC0415 (it may fail)

            _pipeline.try_out(_OPTIONS)
        except Exception as error:  # noqa: BLE001 (whatever a numba of the future may raise)
            reason = f"this numba is not as expected ({type(error).__name__}: {error})"
        else:
            return _pipeline
    warnings.warn(
        f"kernels are compiled by plain numba, which takes longer: {reason}",
        RuntimeWarning,
        stacklevel=2,
    )
    return None


class _Watch(event.Listener):
    """Tells `tablebase.core.ground.compiling` of kernels that are compiled, not loaded."""

    def on_start(self, _event: Any) -> None:
        """Begin to measure."""
        compilation.start()

    def on_end(self, _event: Any) -> None:
        """End measuring."""
        compilation.stop()


if getattr(config, "DISABLE_JIT", 0):
    raise TablebaseError(
        "NUMBA_DISABLE_JIT is set, but without compiled kernels nothing works here: unset it"
    )
event.register("numba:compile", _Watch())
_pipeline = _tuned_compiler()
IS_PLAIN = _pipeline is None


def make_dispatcher(
    function: Callable[..., Any], compiler: str, *, cache: bool = False, inlined: bool = False
) -> Any:
    """Return a function as numba will compile it, by a class of `compiler`."""
    if _pipeline is None:
        # numba's cache goes by names. What is compiled one way must not be found the other way.
        function.__qualname__ += "-plain"
        dispatcher = njit(forceinline=inlined, **_OPTIONS)(function)
    else:
        # Without a value of its own a kernel would take that of the kernel that calls it.
        options = {**_OPTIONS, **_pipeline.OPTIONS, "forceinline": inlined}
        dispatcher = njit(pipeline_class=getattr(_pipeline, compiler), **options)(function)
    if cache:
        cache_checked(dispatcher)
    return dispatcher
