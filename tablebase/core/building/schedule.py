"""The time of a build graph on some workers: list scheduling, simulated.

A free worker takes the ready build that most work waits for, which is at most twice as long as the
best schedule (Graham, "Bounds on multiprocessing timing anomalies", 1969).
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heapify, heappop, heappush

from tablebase.core.building.graph import BuildGraph
from tablebase.core.rules.material import Material


@dataclass(frozen=True)
class Assignment:
    """A build in a schedule."""

    material: Material
    worker: int  # its number, from 0
    start: float  # seconds from the beginning of all
    end: float


@dataclass(frozen=True)
class Schedule:
    """The worker and the time of each build."""

    workers: int  # how many there are
    assignments: tuple[Assignment, ...]  # in the order in which they begin

    @property
    def seconds(self) -> float:
        """End of the last build."""
        return max((one.end for one in self.assignments), default=0.0)

    @property
    def efficiency(self) -> float:
        """The share of the workers' time in which they build."""
        busy = sum(one.end - one.start for one in self.assignments)
        return busy / (self.workers * self.seconds) if self.assignments else 1.0


def simulate(graph: BuildGraph, workers: int, *, overhead: float = 0.0) -> Schedule:
    """Return the schedule of a graph on equal workers, each as fast as `Build.seconds` says.

    `overhead` are seconds that each build takes in addition. Raises `ValueError` without a worker.
    """
    if workers < 1:
        raise ValueError("builds need at least one worker")
    ready = _Ready(graph)
    free = list(range(workers))
    running: list[tuple[float, int, Material]] = []
    assignments = []
    now = 0.0
    while ready or running:
        while ready and free:
            material, worker = ready.take(), heappop(free)
            end = now + graph[material].seconds + overhead
            assignments.append(Assignment(material, worker, now, end))
            heappush(running, (end, worker, material))
        now, worker, done = heappop(running)
        heappush(free, worker)
        ready.finish(done)
    return Schedule(workers, tuple(assignments))


class _Ready:
    """The builds whose sub-tables exist, first the builds that most work waits for."""

    def __init__(self, graph: BuildGraph) -> None:
        waiting = graph.waiting_seconds()
        self._missing = {build.material: len(build.subtables) for build in graph.builds}
        self._parents: dict[Material, list[Material]] = {material: [] for material in graph}
        for build in graph.builds:
            for needed in build.subtables:
                self._parents[needed].append(build.material)
        # Materials have no order of their own.
        self._place = {
            material: (-waiting[material], number) for number, material in enumerate(graph)
        }
        self._heap = [(self._place[m], m) for m, count in self._missing.items() if not count]
        heapify(self._heap)

    def __bool__(self) -> bool:
        return bool(self._heap)

    def take(self) -> Material:
        return heappop(self._heap)[1]

    def finish(self, material: Material) -> None:
        for parent in self._parents[material]:
            self._missing[parent] -= 1
            if not self._missing[parent]:
                heappush(self._heap, (self._place[parent], parent))
