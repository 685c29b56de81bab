"""Structures of one level solved by threads: small ones at once, a large one by all threads."""

from __future__ import annotations

import queue
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np

from tablebase.solve.growth import LARGE
from tablebase.solve.kernels.structures import solve_batch

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from tablebase.solve.region import Region
    from tablebase.solve.spaces import WorkSpaces

# Planes that a thread solves before it looks at the clock.
CHUNK = 1 << 13


def solve_level(
    region: Region, works: WorkSpaces, structures: NDArray[np.int64], check: Callable[[], None]
) -> None:
    """Solve structures of one level, int64 [n], for the attackers in ``todo``.

    `works` are as many as `needed_spaces`; `check` is called now and then, and may raise.
    """
    large, small = _split(region, structures)
    if len(large):
        _solve_together(region, works.team(_most_planes(region, large)), large, check)
    if len(small):
        _solve_apart(region, works.of(_most_planes(region, small), len(small)), small, check)


def _split(
    region: Region, structures: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the large structures and the others, both with most pieces first."""
    pieces = region.fields.pieces[structures]
    order, large = np.argsort(-pieces, kind="stable"), int((pieces >= LARGE).sum())
    return structures[order[:large]], structures[order[large:]]


def _solve_together(
    region: Region, works: list[Any], structures: NDArray[np.int64], check: Callable[[], None]
) -> None:
    """Solve structures one after the other, each by all threads; their work spaces share sets."""
    for number in range(len(structures)):
        check()
        _solve_large(region, works, structures, number)


def _solve_large(
    region: Region, works: list[Any], structures: NDArray[np.int64], number: int
) -> None:
    """Solve a large structure by all threads.

    In the kernel they wait for each other, so none enters it before it is certain that all will.
    """
    decided, is_certain = threading.Event(), False

    def solve(work: Any) -> None:
        decided.wait()
        if is_certain:
            solve_batch(region.record, work, structures, number, number + 1)

    with ThreadPoolExecutor(len(works)) as pool:
        try:
            waiting = [pool.submit(solve, work) for work in works]
            is_certain = True
        finally:
            decided.set()
    for one in waiting:
        one.result()


def _most_planes(region: Region, structures: NDArray[np.int64]) -> int:
    return 1 << (6 * int(region.fields.pieces[structures].max()))


def _solve_apart(
    region: Region, works: list[Any], structures: NDArray[np.int64], check: Callable[[], None]
) -> None:
    """Solve structures, each by one thread. Each thread has a work space."""
    step = max(1, CHUNK // _most_planes(region, structures))
    bounds = [(i, min(i + step, len(structures))) for i in range(0, len(structures), step)]
    free = queue.SimpleQueue[Any]()
    for work in works:
        free.put(work)

    def solve(bound: tuple[int, int]) -> None:
        check()
        work = free.get()
        solve_batch(region.record, work, structures, *bound)
        free.put(work)

    if len(works) == 1 or len(bounds) == 1:
        for bound in bounds:
            solve(bound)
    else:
        with ThreadPoolExecutor(len(works)) as pool:
            list(pool.map(solve, bounds))


def needed_spaces(region: Region, structures: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Return the work spaces that `solve_level` uses: for how many planes, and how many."""
    large, small = _split(region, structures)
    needed = (large, 1), (small, len(small))
    return [(_most_planes(region, some), count) for some, count in needed if len(some)]
