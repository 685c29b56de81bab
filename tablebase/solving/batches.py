"""Structures of one level solved by threads: several at once, or a large one by all of them."""

from __future__ import annotations

import queue
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from tablebase.solving.kernels import solve_batch

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from tablebase.solving.region import Region

# Planes that a thread solves before it looks at the clock.
CHUNK = 1 << 13
# With so many pieces, all threads solve a structure together.
PIECES_OF_TEAMS = 3


def solve_apart(
    region: Region, works: list[Any], structures: NDArray[np.int64], check: Callable[[], None]
) -> None:
    """Solve structures, each by one thread.

    Parameters
    ----------
    region
        The region; for whom they are solved says ``todo``.
    works
        A work space for each thread.
    structures
        Structures of one level, int64 [n], those with most pieces first.
    check
        Called now and then; it may raise an exception.
    """
    step = max(1, CHUNK >> (6 * int(region.fields.pieces[structures].max())))
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


def solve_together(
    region: Region, works: list[Any], structures: NDArray[np.int64], check: Callable[[], None]
) -> None:
    """Solve structures one after the other, each by all threads.

    The parameters are those of `solve_apart`, but for the work spaces, which share their sets.
    """
    for i in range(len(structures)):
        check()
        ready = threading.Barrier(len(works))

        def solve(work: Any, number: int = i, ready: threading.Barrier = ready) -> None:
            ready.wait()  # a kernel waits for all others
            solve_batch(region.record, work, structures, number, number + 1)

        with ThreadPoolExecutor(len(works)) as pool:
            try:
                waiting = [pool.submit(solve, work) for work in works]
            except BaseException:
                ready.abort()
                raise
        for one in waiting:
            one.result()
