"""Instructions for kernels that Python has no words for: bits, addresses, work space, threads.

Each says what it does in Python; kernels have the one of `emitted` instead. They check no bounds.
"""

from __future__ import annotations

from collections.abc import Callable
from ctypes import c_uint8
from functools import update_wrapper
from importlib import import_module
from time import sleep
from typing import Any

import numpy as np


class _Instruction:
    """A function of Python that numba replaces by its namesake in `emitted`."""

    def __init__(self, function: Callable[..., Any]) -> None:
        update_wrapper(self, function)
        self._function = function

    def __call__(self, *arguments: Any) -> Any:
        return self._function(*arguments)

    @property
    def _numba_type_(self) -> Any:
        """The type, where numba looks for it."""
        emitted = import_module("tablebase.core.jit.emitted")
        return emitted.type_of(getattr(emitted, self._function.__name__))


def _instruction(function: Callable[..., Any]) -> Any:
    return _Instruction(function)


@_instruction
def lowest_bit(word: Any) -> int:
    """Return the number of the lowest set bit of a non-zero uint64."""
    number = int(word)
    return (number & -number).bit_length() - 1


@_instruction
def count_bits(word: Any) -> int:
    """Return the number of bits of a uint64 that are set."""
    return int(word).bit_count()


@_instruction
def byte_at(address: int, offset: int) -> int:
    """Return the uint8 at `offset` bytes from a memory address.

    Kernels reach the values of sub-tables by address, so that one compiled kernel serves any
    number of them.
    """
    return c_uint8.from_address(address + offset).value


@_instruction
def write_byte(address: int, offset: int, value: int) -> None:
    """Write a uint8 at `offset` bytes from a memory address."""
    c_uint8.from_address(address + offset).value = int(value)


@_instruction
def work_space(size: int, dtype: Any) -> Any:
    """Return an array of `size` elements, a constant, whose contents are not set.

    It lies on the stack and is gone when the kernel returns: nothing to allocate or to free, and
    kernels without ``np.empty`` are compiled without numba's counting of references.
    """
    return np.empty(size, dtype)


@_instruction
def work_table(rows: int, columns: int, dtype: Any) -> Any:
    """Return a `work_space` of two dimensions."""
    return np.empty((rows, columns), dtype)


@_instruction
def fetch_add(array: Any, index: int, amount: int) -> int:
    """Add to ``array[index]`` (int64) atomically, if compiled; return the value before."""
    before = int(array[index])
    array[index] += amount
    return before


@_instruction
def yield_thread() -> None:
    """Let another thread of the processor run."""
    sleep(0)


@_instruction
def prefetch(array: Any, index: int) -> None:
    """Prefetch the cache line of ``array[index]``; the index may lie beyond the array."""
