"""Bytes that take memory only where they are written to, and only until they are released.

A part of a large table is kept at the place that it has in the whole: then nobody who reads it has
to know that the rest is not there.
"""

from __future__ import annotations

import mmap
import sys

import numpy as np
from numpy.typing import NDArray

# Without it Linux refuses more than it has, though most will not be used; Python 3.13 names it.
_NO_RESERVE = getattr(mmap, "MAP_NORESERVE", 0x4000 if sys.platform == "linux" else 0)


class Reserved:
    """Zeros that take no memory yet: `bytes`, uint8 [size].

    They are `dense` if parts of megabytes are written as a whole; scattered bytes fill huge pages.
    """

    def __init__(self, size: int, *, dense: bool = False) -> None:
        if sys.platform == "win32":
            self._memory = mmap.mmap(-1, max(1, size))
        else:
            flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NO_RESERVE
            self._memory = mmap.mmap(-1, max(1, size), flags=flags)
        advice = "MADV_HUGEPAGE" if dense else "MADV_NOHUGEPAGE"
        if hasattr(mmap, advice):
            self._memory.madvise(getattr(mmap, advice))
        self.bytes: NDArray[np.uint8] = np.frombuffer(self._memory, dtype=np.uint8)[:size]

    def release(self, first: int, last: int) -> None:
        """Give the memory of bytes ``first`` to ``last - 1`` back; they mean nothing then."""
        first = -(-first // mmap.PAGESIZE) * mmap.PAGESIZE
        last = last // mmap.PAGESIZE * mmap.PAGESIZE
        if first < last and hasattr(mmap, "MADV_DONTNEED"):
            self._memory.madvise(mmap.MADV_DONTNEED, first, last - first)
