"""Who carries out the builds of a graph: the interface, and this machine, one after the other.

`tablebase.cluster` has the other executor, many workers under Dask.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

from tablebase.building import Built, Shelf, Stage, build_table, digest_of
from tablebase.errors import TablebaseError
from tablebase.estimate import MAX_KEPT_MEN
from tablebase.graph import Build
from tablebase.material import Material
from tablebase.solve import Progress
from tablebase.words import bytes_in_words as in_words


class Event(NamedTuple):
    """How far a generation is."""

    number: int  # tables built so far
    total: int  # tables to be built
    material: Material  # that something happens to
    stage: Stage | None  # what happens; None if its table is there now
    progress: Progress | None = None  # of the solution
    positions: int = 0  # of the tables built so far
    total_positions: int = 0  # of the tables to be built
    worker: str | None = None  # who builds it, if there are several


Report = Callable[[Event], None]


@dataclass(frozen=True)
class Step:
    """One table of a plan, and whether it is there.

    Attributes
    ----------
    build : Build
        What to build, and what that takes for a process that does nothing else.
    path : Path
        Its file.
    sha256 : str or None
        Digest of the values of the file that is there; None if there is something to do.
    memory : int
        Most bytes of memory that building here takes, with the tables kept from the steps before.
    disk : int
        Bytes of the file: its size if it exists, an estimate from above if it does not.
    """

    build: Build
    path: Path
    sha256: str | None
    memory: int
    disk: int

    @property
    def material(self) -> Material:
        """What to build."""
        return self.build.material

    @property
    def positions(self) -> int:
        """Slots of the table, both sides to move together."""
        return self.build.positions

    @property
    def exists(self) -> bool:
        """Whether there is nothing to do."""
        return self.sha256 is not None


class Tally:
    """Counts the tables that are finished, and tells of them."""

    def __init__(self, steps: Sequence[Step], report: Report | None) -> None:
        missing = [step for step in steps if not step.exists]
        self._positions = {step.material: step.positions for step in missing}
        self._report = report
        self._built: set[Material] = set()

    def tell(
        self,
        material: Material,
        stage: Stage | None,
        progress: Progress | None = None,
        worker: str | None = None,
    ) -> None:
        """Report what happens to a material."""
        if self._report is not None:
            self._report(
                Event(
                    number=len(self._built),
                    total=len(self._positions),
                    material=material,
                    stage=stage,
                    progress=progress,
                    positions=sum(self._positions[built] for built in self._built),
                    total_positions=sum(self._positions.values()),
                    worker=worker,
                )
            )

    def finish(self, material: Material, worker: str | None = None) -> None:
        """Report that a table is there."""
        self._built.add(material)
        self.tell(material, None, None, worker)


class Executor(Protocol):
    """Carries out the steps of a generation."""

    @property
    def threads(self) -> int:
        """How many threads one build uses, as far as is known here."""

    def check(self, steps: Sequence[Step]) -> None:
        """Refuse steps for which there is not enough memory.

        Raises
        ------
        TablebaseError
            If one of them takes more than there is.
        """

    def execute(self, steps: Sequence[Step], *, force: bool, report: Report | None) -> list[Built]:
        """Build what is missing, sub-tables first.

        Parameters
        ----------
        steps
            Each after those that it needs.
        force
            Build tables that another process finished in the meantime again.
        report
            Called at every stage of every table.

        Returns
        -------
        list[Built]
            One for each step, in the same order.
        """


def available_memory() -> int | None:
    """Return how many bytes of memory the machine and its limits leave, None if unknown."""
    free = []
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        free += [1024 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable")]
    except (OSError, ValueError, IndexError):
        pass
    group = Path("/sys/fs/cgroup")
    try:
        limit = int((group / "memory.max").read_text(encoding="ascii"))
        free.append(limit - int((group / "memory.current").read_text(encoding="ascii")))
    except (OSError, ValueError):  # no such limit
        pass
    return max(min(free), 0) if free else None


class LocalExecutor:
    """Builds one table after the other with all threads.

    Small sub-tables stay in memory from one build to the next.

    Parameters
    ----------
    threads
        How many threads to use; by default one for each processor.
    memory
        Most bytes of memory to use; by default what is available.
    """

    def __init__(self, *, threads: int | None = None, memory: int | None = None) -> None:
        self._threads = threads or os.cpu_count() or 1
        self._memory = memory

    @property
    def threads(self) -> int:
        """How many threads a build uses."""
        return self._threads

    def check(self, steps: Sequence[Step]) -> None:
        """Refuse steps for which there is not enough memory; see `Executor.check`."""
        limit = available_memory() if self._memory is None else self._memory
        close = "available: close other programs"
        remedy = close if self._memory is None else "allowed: raise --memory"
        for step in steps:
            if limit is not None and not step.exists and step.memory > limit:
                raise TablebaseError(
                    f"building {step.material} takes up to {in_words(step.memory)} of memory, "
                    f"and {in_words(limit)} are {remedy}"
                )

    def execute(self, steps: Sequence[Step], *, force: bool, report: Report | None) -> list[Built]:
        """Build what is missing; see `Executor.execute`."""
        tally = Tally(steps, report)
        shelf = Shelf(steps[0].path.parent, self._threads) if steps else None
        return list(self._carry_out(steps, shelf, tally, force=force)) if shelf else []

    @staticmethod
    def _carry_out(
        steps: Sequence[Step], shelf: Shelf, tally: Tally, *, force: bool
    ) -> Iterator[Built]:
        for step in steps:
            # Another process may have been faster.
            digest = step.sha256 or (None if force else digest_of(step.path, step.material))
            if digest is not None:
                yield Built(step.material, step.path, None, digest)
                if not step.exists:
                    tally.finish(step.material)
                continue

            def tell(stage: Stage, progress: Progress | None, step: Step = step) -> None:
                tally.tell(step.material, stage, progress)

            yield build_table(step.material, shelf, tell)
            tally.finish(step.material)


def kept_memory(materials: Sequence[Material], positions: Sequence[int]) -> list[int]:
    """Return how many bytes of tables `LocalExecutor` keeps before each of some builds."""
    kept, total = [], 0
    for material, size in zip(materials, positions, strict=True):
        kept.append(total)
        total += size if material.piece_count <= MAX_KEPT_MEN else 0
    return kept
