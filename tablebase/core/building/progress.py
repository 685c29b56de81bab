"""Progress of a run: what happens to which table, and how much is done."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from tablebase.core.building.builder import Built, Stage
from tablebase.core.building.steps import BuildStep
from tablebase.core.engine.running import Progress as Progress  # noqa: PLC0414 (for executors of other wings)
from tablebase.core.rules.material import Material


class Event(NamedTuple):
    """Progress of a run."""

    number: int  # tables built so far
    total: int  # tables to be built
    material: Material  # that something happens to
    stage: Stage | None  # what happens; None if its table is there now
    progress: Progress | None = None  # of the solution
    seconds: float = 0.0  # estimated time of the tables built so far
    total_seconds: float = 0.0  # of the tables to be built
    part_done: float = 0.0  # of the estimated time of those under way
    worker: str | None = None  # who builds it, if there are several
    built: Built | None = None  # the table that is there now


Listener = Callable[[Event], None]


class ProgressCounter:
    """Counts the tables that are finished, and reports them to a listener.

    A table is saved while the next one is solved, so threads take turns to call the listener.
    """

    def __init__(self, steps: Sequence[BuildStep], listener: Listener | None) -> None:
        self._seconds = {step.material: step.build.seconds for step in steps if not step.exists}
        self._listener = listener
        self._built: set[Material] = set()
        self._begun: dict[Material, float] = {}
        self._lock = threading.RLock()

    def _part_done(self) -> float:
        """Return the seconds that unfinished tables have taken, up to their estimates."""
        now = time.monotonic()
        return sum(
            min(now - begun, self._seconds[material])
            for material, begun in self._begun.items()
            if material not in self._built
        )

    def tell(
        self,
        material: Material,
        stage: Stage | None,
        progress: Progress | None = None,
        worker: str | None = None,
        built: Built | None = None,
    ) -> None:
        """Report what happens to a material."""
        with self._lock:
            self._begun.setdefault(material, time.monotonic())
            if self._listener is not None:
                self._listener(
                    Event(
                        number=len(self._built),
                        total=len(self._seconds),
                        material=material,
                        stage=stage,
                        progress=progress,
                        seconds=sum(self._seconds[done] for done in self._built),
                        total_seconds=sum(self._seconds.values()),
                        part_done=self._part_done(),
                        worker=worker,
                        built=built,
                    )
                )

    def finish(self, built: Built, worker: str | None = None) -> None:
        """Report that a table is there."""
        with self._lock:
            self._built.add(built.material)
            self.tell(built.material, None, None, worker, built)
