"""From materials to files: what must be built, what is there, and the building of the rest.

A file that exists under its final name is complete, so work that was interrupted goes on where it
stopped, and several processes may work in one directory.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

from tablebase.atomic import remove_leftovers
from tablebase.building import Built, Stage, digest_of
from tablebase.errors import CorruptTableError, InvalidMaterialError, TablebaseError
from tablebase.estimate import BASE_MEMORY, read_memory
from tablebase.executors import (
    Event,
    Executor,
    LocalExecutor,
    Report,
    Step,
    available_memory,
    in_words,
    kept_memory,
)
from tablebase.graph import Build, BuildGraph, plan
from tablebase.material import MAX_MEN, Material
from tablebase.requirements import working_memory
from tablebase.storage import table_path

__all__ = [
    "DEFAULT_MATERIALS",
    "BuildGraph",
    "Built",
    "Event",
    "Executor",
    "LocalExecutor",
    "Stage",
    "Step",
    "available_memory",
    "check_disk",
    "generate",
    "in_words",
    "plan",
    "survey",
]

DEFAULT_MATERIALS: tuple[str, ...] = ("KK", "KRK", "KNNK", "KRNK", "KPK")


def _check(materials: Iterable[Material]) -> set[Material]:
    chosen = {material.normalized() for material in materials}
    for material in chosen:
        if material.piece_count > MAX_MEN:
            raise InvalidMaterialError(
                f"{material} has {material.piece_count} men: tables have up to {MAX_MEN}"
            )
    return chosen


def _digest(path: Path, build: Build, *, force: bool, wanted: bool) -> str | None:
    """Return the digest of a file that may stay."""
    try:
        digest = digest_of(path, build.material)
    except CorruptTableError as error:
        if not force:
            raise CorruptTableError(f"{error}; build it again with --force") from error
        return None
    return None if force and wanted else digest


def survey(
    materials: Iterable[Material],
    directory: str | os.PathLike[str],
    *,
    threads: int | None = None,
    force: bool = False,
) -> list[Step]:
    """Return the steps to some tables, each after those that it needs, and what is there.

    Parameters
    ----------
    materials
        What is wanted; sub-tables are added.
    directory
        Where the files are, and will be.
    threads
        How many threads will be used; by default one for each processor.
    force
        Build the wanted materials, and whatever is damaged, again.

    Raises
    ------
    InvalidMaterialError
        If a material has more than five men.
    CorruptTableError
        If a file is damaged, unless all is built by force.
    """
    threads = threads or os.cpu_count() or 1
    wanted = _check(materials)
    graph = plan(wanted, threads=threads)
    kept = kept_memory(list(graph), [build.positions for build in graph.builds])
    steps = []
    for build, before in zip(graph.builds, kept, strict=True):
        path = table_path(directory, build.material)
        digest = _digest(path, build, force=force, wanted=build.material in wanted)
        memory = BASE_MEMORY + before + read_memory(build.material)[1] + build.positions
        if digest is None:
            memory += working_memory(build.material, threads)
        disk = build.disk if digest is None else path.stat().st_size
        steps.append(Step(build, path, digest, memory, disk))
    return steps


def check_disk(steps: Iterable[Step], directory: str | os.PathLike[str]) -> None:
    """Refuse steps for which the disk has not enough space.

    Parameters
    ----------
    steps
        What is to be built.
    directory
        Where files will be written; it exists.

    Raises
    ------
    TablebaseError
        If disk space will not do.
    """
    disk = sum(step.disk for step in steps if not step.exists)
    free = shutil.disk_usage(directory).free
    if disk > free:
        raise TablebaseError(
            f"the tables take up to {in_words(disk)} of disk space, and {in_words(free)} are free "
            f"in {directory}"
        )


def generate(
    materials: Iterable[Material],
    directory: str | os.PathLike[str],
    *,
    threads: int | None = None,
    force: bool = False,
    memory: int | None = None,
    report: Report | None = None,
    executor: Executor | None = None,
) -> list[Built]:
    """Build the tables of some materials, and of all that they need.

    Files that are there already are kept. If the work is interrupted, by an exception or by the
    end of the process, the same call goes on where it stopped.

    Parameters
    ----------
    materials
        What is wanted.
    directory
        Where the files are written; made if need be.
    threads
        How many threads to use; by default one for each processor.
    force
        Build the wanted materials, and whatever is damaged, again.
    memory
        Most bytes of memory to use; by default what is available.
    report
        Called at every stage, and several times a second while a table is solved.
    executor
        Who builds, with threads and memory of its own; by default this process, one table after
        the other.

    Returns
    -------
    list[Built]
        All tables of the plan, sub-tables first, those included that were there.

    Raises
    ------
    InvalidMaterialError
        If a material has more than five men.
    CorruptTableError
        If a file is damaged, unless all is built by force.
    TablebaseError
        If memory or disk space will not do.
    OSError
        If the directory cannot be written.
    """
    executor = executor or LocalExecutor(threads=threads, memory=memory)
    steps: Sequence[Step] = survey(materials, directory, threads=executor.threads, force=force)
    Path(directory).mkdir(parents=True, exist_ok=True)
    remove_leftovers(directory)
    executor.check(steps)
    check_disk(steps, directory)
    return executor.execute(steps, force=force, report=report)
