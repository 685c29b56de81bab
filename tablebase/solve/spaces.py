"""The memory of a solver: for the bounds of its region, and a work space for each thread."""

from __future__ import annotations

import mmap
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablebase.solve.budget import MEMORY_IS_USED, OutOfBudget
from tablebase.solve.kernels.fields import Room, make_work, share_work, work_bytes

_MAP_PRIVATE = getattr(mmap, "MAP_PRIVATE", None)  # Windows has none


class Arena:
    """Memory for the bounds of a region, uint64 [words]; unwritten words take no real memory."""

    def __init__(self, words: int) -> None:
        private = {} if _MAP_PRIVATE is None else {"flags": _MAP_PRIVATE}
        self._map = mmap.mmap(-1, max(8, 8 * words), **private)
        if hasattr(mmap, "MADV_HUGEPAGE"):
            self._map.madvise(mmap.MADV_HUGEPAGE)
        self.words: NDArray[np.uint64] = np.frombuffer(self._map, dtype=np.uint64)[:words]
        self._limit = words

    def limit(self, words: int) -> None:
        """Return to the machine what was written behind a number of words, where that can be done.

        The rest stays: memory that is given back and taken again costs up to 3 s for a gigabyte on
        virtual machines.
        """
        start = -(-8 * words // mmap.PAGESIZE) * mmap.PAGESIZE
        can_be_done = hasattr(mmap, "MADV_DONTNEED") and _MAP_PRIVATE is not None
        if can_be_done and words < self._limit and start < len(self._map):
            self._map.madvise(mmap.MADV_DONTNEED, start)
        self._limit = words


def _bytes_of(works: Iterable[Any]) -> int:
    return sum(work_bytes(int(one.fields.numbers[Room.PLANES])) for one in works)


class WorkSpaces:
    """Work spaces for threads, kept until larger ones are needed, within the budget's memory."""

    def __init__(self, threads: int, memory: int) -> None:
        self._threads, self._memory = threads, memory
        self._works: list[Any] = []  # of `make_work`

    @property
    def bytes(self) -> int:
        """Memory that they take."""
        return _bytes_of(self._works)

    @property
    def any(self) -> Any:
        """A work space with room for a plane at least."""
        return self.of(1)[0]

    def _count(self, planes: int, count: int) -> int:
        # Large ones for several threads would take the memory of the region.
        return max(1, min(count, self._threads, self._memory // 8 // work_bytes(planes)))

    def _with_room(self, planes: int) -> list[Any]:
        return [one for one in self._works if one.fields.numbers[Room.PLANES] >= planes]

    def growth(self, planes: int, count: int = 1) -> int:
        """Return by how many bytes `of` would change the memory that they take."""
        kept = self._with_room(planes)
        new = max(0, self._count(planes, count) - len(kept))
        return new * work_bytes(planes) + _bytes_of(kept) - self.bytes

    def of(self, planes: int, count: int = 1) -> list[Any]:
        """Return work spaces with room for a number of planes, for up to `count` threads.

        Raises `OutOfBudget` if a space takes too much memory.
        """
        count = self._count(planes, count)
        if work_bytes(planes) > self._memory // 2:
            raise OutOfBudget(MEMORY_IS_USED)
        # Smaller ones go before others are made. A large one may serve a team: one is enough.
        self._works = self._with_room(planes)
        while len(self._works) < count:
            self._works.append(make_work(planes))
        return self._works[:count]

    def team(self, planes: int) -> list[Any]:
        """Return work spaces for all threads together, which share sets of a number of planes."""
        return share_work(self.of(planes)[0], self._threads)
