"""From materials to files: what must be built, what is there, and the building of the rest.

A file that exists under its final name is complete, so work that was interrupted is resumed where
it stopped, and several processes may work in one directory.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from tablebase.core.building.builder import Built
from tablebase.core.building.executors import Executor, LocalExecutor
from tablebase.core.building.progress import Listener
from tablebase.core.building.steps import check_disk, plan_steps, prepare_folders
from tablebase.core.outcomes.metrics import Metric
from tablebase.core.rules.material import Material

DEFAULT_MATERIALS: tuple[str, ...] = ("KK", "KRK", "KNNK", "KRNK", "KPK")


def generate(
    materials: Iterable[Material],
    directory: str | os.PathLike[str],
    *,
    metrics: Sequence[Metric] | None = None,
    threads: int | None = None,
    force: bool = False,
    memory: int | None = None,
    report: Listener | None = None,
    executor: Executor | None = None,
) -> list[Built]:
    """Build the tables of some materials, and of all that they need.

    Existing files are kept. If the work is interrupted, by an exception or by the
    end of the process, the same call resumes it.

    Parameters
    ----------
    materials
        What is wanted.
    directory
        Where the files are written; made if need be.
    metrics
        Which distances to find; files keep others that they have. By default
        `graph.default_metrics`.
    threads
        How many threads to use; by default one for each processor.
    force
        Build the wanted materials, and whatever is damaged, again.
    memory
        Most bytes of memory to use; by default what is available.
    report
        Called at every stage, and several times a second while a table is solved.
    executor
        Who builds, with threads and memory of its own; by default this process.

    Returns
    -------
    list[Built]
        All tables of the plan, sub-tables first, those included that were there.

    Raises
    ------
    InvalidMaterialError
        If a material cannot be built, see `tablebase.core.engine.requirements.obstacle`.
    CorruptTableError
        If a file is damaged, unless all is built by force.
    TablebaseError
        If memory or disk space will not do.
    OSError
        If the directory cannot be written.
    """
    executor = executor or LocalExecutor(threads=threads, memory=memory)
    steps = plan_steps(materials, directory, metrics=metrics, threads=executor.threads, force=force)
    prepare_folders(steps)
    executor.check(steps)
    check_disk(steps, directory)
    return executor.execute(steps, force=force, report=report)
