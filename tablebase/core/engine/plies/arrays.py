"""Arrays that begin where a cache line does, in new memory or in spare memory.

NumPy begins its arrays 16 bytes into a page, so that every line of eight words lies in two cache
lines: solving took a tenth longer (measured).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

CACHE_LINE = 64  # bytes


def _aligned(memory: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the part of `memory` that begins with its first whole cache line."""
    return memory[-memory.ctypes.data % CACHE_LINE :]


class Memory:
    """A source of arrays, made from the `spare` uint8 arrays that nobody else uses meanwhile.

    First touches of memory are slow, so memory that is filled later serves before.
    """

    def __init__(self, *spare: NDArray[np.uint8]) -> None:
        self._spare = [_aligned(memory) for memory in spare]

    def empty(self, shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
        """Return an array of any content: in the first spare memory with room, else a new one."""
        size = math.prod(shape) * np.dtype(dtype).itemsize
        for i, memory in enumerate(self._spare):
            if len(memory) >= size:
                self._spare[i] = _aligned(memory[size:])
                return memory[:size].view(dtype).reshape(shape)
        # Large new arrays get huge pages from NumPy if they are empty, not if they are zeros: first
        # touching a gigabyte took 0.15 s instead of 3 s (measured).
        memory = _aligned(np.empty(size + CACHE_LINE, dtype=np.uint8))
        return memory[:size].view(dtype).reshape(shape)

    def zeros(self, shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
        """Return an array of zeros, as `empty` does."""
        array = self.empty(shape, dtype)
        array.fill(0)
        return array
