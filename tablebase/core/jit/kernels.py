"""Kernels: functions that numba compiles when they are first needed.

Importing a kernel imports no numba, which takes longer than looking up a single position.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from importlib import import_module
from threading import local
from typing import Any, cast

# Calls that take less time in Python than it takes to load numba and a compiled kernel.
CALLS_IN_PYTHON = 300


# Whether they may run in Python at all.
_is_python_allowed = True


class _Thread(local):
    """Whether a thread runs kernels as Python functions."""

    in_python = False


_thread = _Thread()


class _Kernel:
    """A function that becomes a dispatcher of numba when it is first needed.

    Attributes
    ----------
    py_func : function
        The function itself, which is Python as well.
    """

    def __init__(self, function: Callable[..., Any], compiler: str, **options: bool) -> None:
        update_wrapper(cast("Callable[..., Any]", self), function)
        self.py_func = function
        self._compiler, self._options = compiler, options
        self._dispatcher: Any = None

    @property
    def dispatcher(self) -> Any:
        """The function as numba compiles it."""
        if self._dispatcher is None:
            self._dispatcher = _dispatcher_of(self.py_func, self._compiler, **self._options)
        return self._dispatcher

    @property
    def _numba_type_(self) -> Any:
        """The type, where numba looks for it: so kernels call each other."""
        return import_module("numba").typeof(self.dispatcher)


def _dispatcher_of(function: Callable[..., Any], compiler: str, **options: bool) -> Any:
    from tablebase.core.jit.dispatchers import make_dispatcher  # noqa: PLC0415 (imports numba)

    return make_dispatcher(function, compiler, **options)


class _Linked(_Kernel):
    """A kernel that becomes part of the kernels that call it."""

    _entry: Any = None

    def __call__(self, *arguments: Any) -> Any:
        """Call the kernel from Python, as tests do, by an entry of its own."""
        if _thread.in_python:
            return self.py_func(*arguments)
        if self._entry is None:
            self._entry = self._make_entry()
        return self._entry(*arguments)

    def __reduce__(self) -> str:
        """Stand in numba's files under its name."""
        return self.py_func.__qualname__

    def _make_entry(self) -> Any:
        called = self

        def call(*arguments: Any) -> Any:
            return called(*arguments)

        call.__qualname__ = f"call {self.py_func.__module__}.{self.py_func.__qualname__}"
        is_ours = self.py_func.__module__.startswith("tablebase.")
        return _dispatcher_of(call, "Compiler", cache=is_ours)


class Entry(_Kernel):
    """A kernel that Python calls, see `entry`."""

    _left = CALLS_IN_PYTHON

    def __call__(self, *arguments: Any) -> Any:
        """Call the compiled kernel."""
        return (self._dispatcher or self.dispatcher)(*arguments)

    @property
    def is_awaited(self) -> bool:
        """Whether `in_python` may still take its place, because few calls have been made."""
        return _is_python_allowed and self._dispatcher is None and self._left > 0

    def in_python(self, *arguments: Any) -> Any:
        """Run the function, and the kernels that it calls, as Python.

        Words must be uint64, as in arrays, because Python's own integers have more bits.
        """
        self._left -= 1
        before, _thread.in_python = _thread.in_python, True
        try:
            return self.py_func(*arguments)
        finally:
            _thread.in_python = before


def compile_at_once() -> None:
    """Let kernels be compiled when they are first called, so that later calls wait for nothing."""
    global _is_python_allowed  # noqa: PLW0603 (of the process, as are the kernels)
    _is_python_allowed = False


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function for other kernels to call, see `compiler`; it runs without the GIL.

    It takes arrays, scalars and records of them, allocates nothing (see `instructions.work_space`)
    and raises nothing.
    """
    return _Linked(function, "SmallLinkedCompiler")


def hot_kernel(function: Callable[..., Any]) -> Any:
    """Compile a `kernel` in which time is spent: to fast code, which takes longer."""
    return _Linked(function, "LinkedCompiler")


def inlined_kernel(function: Callable[..., Any]) -> Any:
    """Compile a `hot_kernel` into each kernel that calls it, whatever its size."""
    return _Linked(function, "LinkedCompiler", inlined=True)


def entry(function: Callable[..., Any]) -> Any:
    """Compile a `kernel` that Python calls: cached on disk."""
    return Entry(function, "SmallCompiler", cache=True)


def hot_entry(function: Callable[..., Any]) -> Any:
    """Compile an `entry` in which time is spent: to fast code, which takes longer."""
    return Entry(function, "Compiler", cache=True)
