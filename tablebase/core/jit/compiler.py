"""How numba compiles kernels: machine code only for what is called, and small where that will do.

numba would make machine code of every function, and optimise it again in each caller. Here kernels
that Python does not call are *linked*: they stay LLVM's code and are optimised in their callers.
This leans on numba's inner classes; without this module kernels are compiled plainly (`kernels`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.lowering import Lower
from numba.core.typed_passes import NativeLowering

# Newer versions are tried out before they are trusted; see also pyproject.toml.
NEWEST_KNOWN = (0, 68)
# Kernels allocate nothing, so that numba need not count references.
OPTIONS = {"no_rewrites": True, "no_cfunc_wrapper": True, "_nrt": False}
# What is overridden or called here besides what importing and compiling would miss anyway.
_HOOKS = (
    (CompilerBase, ("define_pipelines",)),
    (DefaultPassBuilder, ("define_nopython_pipeline",)),
    (
        JITCodeLibrary,
        (
            "_finalize_dynamic_globals",
            "_finalize_final_module",
            "_optimize_final_module",
            "_optimize_functions",
        ),
    ),
    (Lower, ("setup_function",)),
    (NativeLowering, ("lowering_class", "run_pass")),
)


class _SmallLower(Lower):
    """Asks LLVM for small code: it unrolls and vectorises loops otherwise."""

    def setup_function(self, fndesc: Any) -> None:
        """Declare the function that is about to be lowered."""
        super().setup_function(fndesc)
        self.function.attributes.add("optsize")


@register_pass(mutates_CFG=True, analysis_only=False)
class _SmallLowering(NativeLowering):
    _name = "small_lowering"
    lowering_class = _SmallLower


class _LinkedLibrary(JITCodeLibrary):
    """LLVM's code to be linked into its callers' code, neither optimised nor made machine code."""

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout  # noqa: SLF001

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class _LinkedLowering(NativeLowering):
    _name = "linked_lowering"

    def run_pass(self, state: Any) -> bool:
        """Lower a kernel, and tell numba how others call it."""
        context = state.targetctx
        state.library = _LinkedLibrary(context.codegen(), state.func_id.func_qualname)
        # Not among the options of `tablebase.core.jit`: numba compiles its own functions, such as
        # max, once for each set of options.
        state.flags.no_compile = state.flags.no_cpython_wrapper = True
        super().run_pass(state)
        # numba knows a compiled function by a built-in one, made for Python to call. There is none
        # here; this one stands for it, each time another.
        state.cr = state.cr._replace(cfunc=[].append)
        context.insert_user_function(state.cr.cfunc, state.cr.fndesc, [state.library])
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class _SmallLinkedLowering(_LinkedLowering):
    _name = "small_linked_lowering"
    lowering_class = _SmallLower


class Compiler(CompilerBase):
    """numba's compiler with its own lowering, which subclasses replace."""

    lowering: type[NativeLowering] = NativeLowering

    def define_pipelines(self) -> list[Any]:
        """Return numba's own passes, with another lowering."""
        manager = DefaultPassBuilder.define_nopython_pipeline(self.state)
        manager.passes = [
            (self.lowering if item is NativeLowering else item, description)
            for item, description in manager.passes
        ]
        manager.finalize()
        return [manager]


class SmallCompiler(Compiler):
    """Compiles to small code."""

    lowering = _SmallLowering


class LinkedCompiler(Compiler):
    """Compiles to code to be linked."""

    lowering = _LinkedLowering


class SmallLinkedCompiler(Compiler):
    """Compiles to small code to be linked."""

    lowering = _SmallLinkedLowering


def try_out(options: dict[str, Any]) -> None:
    """Raise an exception of any kind unless numba is as this module takes it to be.

    A version newer than all that are known must compile a few kernels as well.
    """
    for owner, names in _HOOKS:
        for name in names:
            getattr(owner, name)

    def compile_by(pipeline: type[Compiler], function: Callable[..., Any]) -> Any:
        chosen: dict[str, Any] = {**options, **OPTIONS}
        return numba.njit(pipeline_class=pipeline, **chosen)(function)

    def add(one: Any, other: Any) -> Any:
        return one + other

    large, small = (compile_by(each, add) for each in (LinkedCompiler, SmallLinkedCompiler))
    if tuple(map(int, numba.__version__.split(".")[:2])) <= NEWEST_KNOWN:
        return

    def twice(value: Any) -> Any:
        return large(value, value) - small(value, 0) + value

    twice_again = compile_by(SmallLinkedCompiler, twice)

    def four_times(value: Any) -> Any:
        return twice_again(twice_again(value))

    if any(compile_by(each, four_times)(5) != 20 for each in (Compiler, SmallCompiler)):
        raise ArithmeticError("kernels give wrong results")
