"""Executors of the builds of a graph: the interface, and this machine.

`cluster` has the other executor, many workers under Dask.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event
from typing import Protocol, Self

from tablebase.core.building.builder import (
    Built,
    Header,
    Stage,
    Tell,
    build_by_slices,
    read_header,
    save_table,
    solve_table,
)
from tablebase.core.building.estimate import saving_memory
from tablebase.core.building.progress import Listener, ProgressCounter
from tablebase.core.building.steps import BuildStep
from tablebase.core.building.subtable_store import SubtableStore
from tablebase.core.engine.requirements import is_solved_by_slices
from tablebase.core.engine.running import Progress
from tablebase.core.ground.errors import TablebaseError
from tablebase.core.ground.parallel import as_threads
from tablebase.core.ground.words import bytes_in_words
from tablebase.core.outcomes.metrics import Metric
from tablebase.core.rules.material import Material
from tablebase.core.storage.memory import available_memory
from tablebase.core.storage.table_names import tables_folder
from tablebase.core.tables.table import Table


class Executor(Protocol):
    """Carries out the steps of a generation."""

    @property
    def threads(self) -> int:
        """Number of threads of one build."""

    def check(self, steps: Sequence[BuildStep]) -> None:
        """Refuse steps for which there is not enough memory, by `TablebaseError`."""

    def execute(
        self, steps: Sequence[BuildStep], *, force: bool, report: Listener | None
    ) -> list[Built]:
        """Build what is missing, sub-tables first; return one result for each step, in order.

        Each step follows those that it needs. With `force`, tables that another process has
        finished meanwhile are built again.
        """


class _Stopped(Exception):  # noqa: N818 (it is not an error)
    """Ends the saving of a table whose build was stopped."""


class _Saver:
    """Saves one table at a time in a thread of its own, while the next one is solved."""

    def __init__(self, store: SubtableStore, counter: ProgressCounter) -> None:
        self.built: dict[Material, Built] = {}
        self._store = store
        self._counter = counter
        self._pool = ThreadPoolExecutor(1)
        self._stop = Event()
        self._under_way: tuple[Table, Future[None]] | None = None
        self._begun: dict[Material, float] = {}
        self._seconds: dict[Material, float] = {}  # of the metrics saved so far
        self._last_saved = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        try:
            if error is None:
                self.wait()
        finally:
            self._stop.set()
            self._pool.shutdown()

    @property
    def memory(self) -> int:
        """Bytes of the table that is being saved: both sides to move, and what is legal."""
        if self._under_way is None:
            return 0
        codes = self._under_way[0].codes
        return sum(side.nbytes for side in codes) + len(codes[0])

    def lets_begin(self, step: BuildStep) -> bool:
        """Return whether all sub-tables of a step can be had."""
        if self._under_way is None:
            return True
        saved = self._under_way[0]
        return (
            saved.material not in step.build.subtables
            or (saved.material, saved.metric) in self._store
        )

    def tell(self, step: BuildStep) -> Tell:
        """Return a function that reports progress of a step, and raises what failed in saving."""
        self._begun[step.material] = time.perf_counter()
        self._seconds.setdefault(step.material, 0.0)

        def tell(stage: Stage, progress: Progress | None) -> None:
            if self._under_way and self._under_way[1].done():
                self.wait()
            self._counter.tell(step.material, stage, progress)

        return tell

    def save(self, step: BuildStep, table: Table) -> None:
        """Save a table once the table before is saved."""
        self.wait()
        self._under_way = table, self._pool.submit(self._save, step, table)

    def build_by_slices(self, step: BuildStep, metric: Metric) -> None:
        """Solve and save a table slice by slice, after the table before is saved."""
        build_by_slices(step.material, metric, self._store, self.tell(step))
        self._note_saved(step, metric)

    def wait(self) -> None:
        """Wait until everything is saved; raise what has gone wrong."""
        if self._under_way:
            self._under_way[1].result()
            self._under_way = None

    def note(self, built: Built) -> None:
        """Note that a table is there."""
        self.built[built.material] = built
        self._counter.finish(built)

    def _save(self, step: BuildStep, table: Table) -> None:
        def tell(stage: Stage, progress: Progress | None) -> None:
            if self._stop.is_set():
                raise _Stopped
            self._counter.tell(step.material, stage, progress)

        save_table(table, self._store, tell)
        self._note_saved(step, table.metric)

    def _note_saved(self, step: BuildStep, metric: Metric) -> None:
        begun = self._begun[step.material]
        # Solving began while the table before was saved: the seconds of all are those of the run.
        begun = max(begun, self._last_saved)
        self._last_saved = time.perf_counter()
        self._seconds[step.material] += self._last_saved - begun
        if metric == step.missing[-1]:
            header = read_header(step.path, step.material, [*step.stays, *step.missing])
            self.note(Built(step.material, step.path, self._seconds[step.material], header))


class LocalExecutor:
    """Builds tables in this process, with all threads.

    While a table is solved, the one before is written, and what coming builds need stays in memory.
    By default `memory` is all that is available, half of it for what is kept.
    """

    def __init__(self, *, threads: int | None = None, memory: int | None = None) -> None:
        self._threads = as_threads(threads)
        self._memory = memory

    @property
    def threads(self) -> int:
        """Number of threads of a build."""
        return self._threads

    def check(self, steps: Sequence[BuildStep]) -> None:
        """Refuse steps for which there is not enough memory; see `Executor.check`."""
        limit = self._limit()
        close = "available: close other programs, or build it where there is more"
        remedy = close if self._memory is None else "allowed: raise --memory"
        for step in steps:
            if not step.exists and step.memory > limit:
                raise TablebaseError(
                    f"building {step.material} takes about {bytes_in_words(step.memory)} of "
                    f"memory, but only {bytes_in_words(limit)} is {remedy}"
                )

    def peak_memory(self, steps: Sequence[BuildStep]) -> int:
        """Return most bytes of memory that `execute` takes, an estimate."""
        missing = [step for step in steps if not step.exists]
        store = self._store(missing)
        limit = self._limit()
        peak = saved = 0
        for step in missing:
            for metric in step.missing:
                spare = self._spare(limit, step)
                if metric != step.missing[0] or saved > spare:
                    saved = 0
                store.make_room(spare - saved)
                peak = max(peak, step.memory + saved + store.expect(step.material, metric))
                by_slices = is_solved_by_slices(step.material, metric)
                saved = 0 if by_slices else saving_memory(step.material)
        return peak

    def execute(
        self, steps: Sequence[BuildStep], *, force: bool, report: Listener | None
    ) -> list[Built]:
        """Build what is missing; see `Executor.execute`."""
        counter = ProgressCounter(steps, report)
        missing = [step for step in steps if not step.exists]
        built = {
            step.material: Built(step.material, step.path, None, step.header)
            for step in steps
            if step.exists
        }
        if missing:
            store = self._store(missing)
            limit = self._limit()
            with _Saver(store, counter) as saver:
                for step in missing:
                    # Another process may have been faster.
                    header = Header() if force else read_header(step.path, step.material)
                    if header.digests.keys() >= set(step.missing):
                        saver.note(Built(step.material, step.path, None, header))
                        for metric in step.missing:
                            store.finish(step.material, metric)
                        continue
                    for metric in step.missing:
                        if metric != step.missing[0]:
                            saver.wait()  # both go into one file; the memory of one is enough
                        self._make_room(limit, step, store, saver)
                        if is_solved_by_slices(step.material, metric):
                            saver.wait()
                            saver.build_by_slices(step, metric)
                        else:
                            tell = saver.tell(step)
                            saver.save(step, solve_table(step.material, metric, store, tell))
            built |= saver.built
        return [built[step.material] for step in steps]

    def _limit(self) -> int:
        """Return the bytes of memory that builds may use."""
        limit = available_memory() if self._memory is None else self._memory
        return sys.maxsize if limit is None else limit

    def _store(self, missing: Sequence[BuildStep]) -> SubtableStore:
        """Return the sub-tables of steps that are to be built, of which none is in memory yet."""
        coming = [(step.material, metric) for step in missing for metric in step.missing]
        folder = tables_folder(missing[0].path, missing[0].material) if missing else ""
        return SubtableStore(folder, self._threads, coming)

    def _spare(self, limit: int, step: BuildStep) -> int:
        """Return the bytes that a step leaves to what is kept and saved."""
        spare = limit - step.memory
        return spare if self._memory else spare // 2  # other programs may need some

    def _make_room(self, limit: int, step: BuildStep, store: SubtableStore, saver: _Saver) -> None:
        """Finish what must be saved before a step begins; forget what there is no room for."""
        spare = self._spare(limit, step)
        if saver.memory > spare or not saver.lets_begin(step):
            saver.wait()
        store.make_room(spare - saver.memory)
