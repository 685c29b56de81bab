"""The threads that run the kernels, and what each of them solves slices with."""

from __future__ import annotations

from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tablebase.core.engine.out.children import Men, make_scratch
from tablebase.core.engine.plies.arrays import Memory
from tablebase.core.engine.plies.problem import Worker
from tablebase.core.engine.plies.sets import make_sets
from tablebase.core.engine.plies.slices import solve_slices
from tablebase.core.engine.plies.threads import (
    CANCEL,
    EPOCHS,
    PLY,
    SLICES_DONE,
    STATES,
    UNFINISHED,
    make_sync,
    make_team,
)
from tablebase.core.engine.sets.metric_tables import frontier_count
from tablebase.core.jit.records import KernelRecord

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from tablebase.core.outcomes.metrics import Metric
    from tablebase.core.rules.material import Material

REPORT_SECONDS = 0.1


class Progress(NamedTuple):
    """Progress of a solution."""

    slices_done: int
    slices: int
    ply: int  # last one finished in some slice


class Summary(NamedTuple):
    """What a run of the kernels tells besides values."""

    epochs: int  # how many came to an end
    is_finished: bool  # whether no slice would need more epochs than there are


class Runner:
    """Threads that solve slices of one material, in one run or several.

    All `problem` records have the same planes; `spare` arrays are free while slices are solved.
    """

    def __init__(
        self,
        material: Material,
        problem: KernelRecord,
        metric: Metric,
        threads: int,
        spare: tuple[NDArray[np.uint8], ...] = (),
    ) -> None:
        self.threads = threads
        colors, types = problem.fields.colors, problem.fields.types
        planes = problem.fields.planes.fields
        sizes = len(planes.plane_squares), int(planes.value_plane.max()) + 1, frontier_count(metric)

        def sets(*spare: NDArray[np.uint8]) -> KernelRecord:
            made = make_sets(
                *sizes,
                Memory(*spare),
                has_decided=material.has_decided,
                has_layers=material.rules.check_counting,
            )
            return KernelRecord(made)

        self._shared = sets(*spare) if planes.has_anchor else None
        kept = problem.fields.epochs - 1 if len(problem.fields.pawn_men) else 0

        def undecided() -> NDArray[np.uint64]:  # touched only as far as epochs come to an end
            return np.empty((kept, 2, sizes[0] * 64), dtype=np.uint64)

        shared = undecided()
        nobody = make_sync(1, np.zeros(STATES, dtype=np.int64)), make_team(0, 1)
        self._workers = [
            Worker(
                self._shared or sets(),
                KernelRecord(Men(colors, types, np.zeros(len(colors), dtype=np.uint8))),
                make_scratch(len(colors)),
                shared if planes.has_anchor else undecided(),
                *nobody,
            )
            for _ in range(threads)
        ]

    def workers(
        self, state: NDArray[np.int64], slices: int
    ) -> list[tuple[KernelRecord, KernelRecord]]:
        """Return two records of `Worker` a thread: for slices of the team, and of its own."""
        sync = make_sync(self.threads, state, slices)
        workers = []
        for thread, worker in enumerate(self._workers):
            together = worker._replace(sync=sync, team=make_team(thread, self.threads))
            alone = worker._replace(sync=make_sync(1, state), team=make_team(0, 1))
            workers.append((KernelRecord(together), KernelRecord(alone)))
        return workers

    def run(
        self,
        problem: KernelRecord,
        report: Callable[[Progress], None] | None = None,
    ) -> Summary:
        """Solve the slices of a problem; an exception here stops the threads."""
        state = np.zeros(STATES, dtype=np.int64)
        slices = len(problem.fields.slice_order)
        workers = self.workers(state, slices)
        # Here, where it can be interrupted: what a thread of the pool begins must be waited for.
        solve_slices.dispatcher.compile(
            (problem.numba_type, *(worker.numba_type for worker in workers[0]))
        )
        numbers = iter(range(self.threads))

        def work_once() -> None:
            thread = next(numbers, None)
            if thread is not None:
                solve_slices(problem, *workers[thread])

        with ThreadPoolExecutor(self.threads) as pool:
            try:
                waiting = {pool.submit(work_once) for _ in range(self.threads)}
                while waiting:
                    done, waiting = wait(
                        waiting, timeout=REPORT_SECONDS, return_when=FIRST_EXCEPTION
                    )
                    for future in done:
                        future.result()
                    if report is not None:
                        report(Progress(int(state[SLICES_DONE]), slices, int(state[PLY])))
            except BaseException:
                state[CANCEL] = 1
                # Threads wait for each other: those that were not begun yet must come, too.
                for _ in range(self.threads):
                    pool.submit(work_once)
                raise
        return Summary(int(state[EPOCHS]), not state[UNFINISHED])
