"""The steps of a run: what is to be built, what exists, and whether there is room for it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tablebase.core.building.builder import Header, read_header
from tablebase.core.building.estimate import BASE_MEMORY, MAX_KEPT_MEN, read_memory, solving_memory
from tablebase.core.building.graph import Build, default_metrics, plan
from tablebase.core.engine.requirements import obstacle
from tablebase.core.ground.errors import CorruptTableError, InvalidMaterialError, TablebaseError
from tablebase.core.ground.parallel import as_threads
from tablebase.core.ground.words import bytes_in_words
from tablebase.core.outcomes.metrics import DTM, METRICS, Metric
from tablebase.core.rules.material import Material
from tablebase.core.storage.atomic import partial_file, remove_leftovers
from tablebase.core.storage.table_names import how_to_build_again, new_table_path, tables_in


@dataclass(frozen=True)
class BuildStep:
    """A table of a plan, and whether it exists."""

    build: Build
    path: Path
    header: Header  # of the file that exists
    stays: tuple[Metric, ...]  # what of it is not built again
    missing: tuple[Metric, ...]  # what is to be built
    memory: int  # most bytes that building takes, tables kept from the steps before included
    disk: int  # bytes of the file, estimated if it does not exist

    @property
    def material(self) -> Material:
        """The material to build."""
        return self.build.material

    @property
    def slots(self) -> int:
        """Slots of the table, both sides to move together."""
        return self.build.slots

    @property
    def exists(self) -> bool:
        """Whether there is nothing to do."""
        return not self.missing


def plan_steps(
    materials: Iterable[Material],
    directory: str | os.PathLike[str],
    *,
    metrics: Sequence[Metric] | None = None,
    threads: int | None = None,
    force: bool = False,
) -> list[BuildStep]:
    """Return the steps to some tables, sub-tables included and first, and what exists of them.

    With `force`, the materials and whatever is damaged are built again; else damage is a
    `CorruptTableError`. An `obstacle` of the engine is an `InvalidMaterialError`.
    """
    threads = as_threads(threads)
    wanted = dict.fromkeys(material.normalized() for material in materials)
    metrics = metrics or default_metrics(wanted)
    _check(wanted, metrics)
    graph = plan(wanted, metrics=metrics, threads=threads)
    for build in graph.builds:
        if build.obstacle:
            raise InvalidMaterialError(build.obstacle)
    kept = kept_memory(list(graph), [len(metrics) * build.slots for build in graph.builds])
    there = {rules: tables_in(directory, rules) for rules in {one.rules for one in wanted}}
    steps = []
    for build, before in zip(graph.builds, kept, strict=True):
        found = there[build.material.rules].get(build.material)
        path = found or new_table_path(directory, build.material)
        is_wanted = build.material in wanted
        header = _header(path, build, force=force)
        again = metrics if force and is_wanted else ()
        stays = tuple(metric for metric in header.digests if metric not in again)
        missing = tuple(metric for metric in metrics if metric not in stays)
        if not any(metric in METRICS for metric in (*stays, *missing)):
            missing = (DTM, *missing)  # helpmates go into the file of another distance
        memory = BASE_MEMORY + before + read_memory(build.material)[1]
        memory += solving_memory(build.material, missing, threads)
        disk = build.disk if missing else path.stat().st_size
        steps.append(BuildStep(build, path, header, stays, missing, memory, disk))
    _check_sums(steps)
    return steps


def _check(materials: Iterable[Material], metrics: Iterable[Metric]) -> None:
    for material in materials:
        for metric in metrics:
            if reason := obstacle(material, metric):
                raise InvalidMaterialError(reason)


def kept_memory(materials: Sequence[Material], slots: Sequence[int]) -> list[int]:
    """Return the bytes of small tables that are kept before each of some builds."""
    kept, total = [], 0
    for material, size in zip(materials, slots, strict=True):
        kept.append(total)
        total += size if material.piece_count <= MAX_KEPT_MEN else 0
    return kept


def _header(path: Path, build: Build, *, force: bool) -> Header:
    """Return the header of a file; with `force`, a damaged file has an empty one."""
    try:
        return read_header(path, build.material)
    except CorruptTableError as error:
        if not force:
            if how_to_build_again(path):  # then the error says it
                raise
            advice = how_to_build_again(path, build.material)
            raise CorruptTableError(f"{error}; {advice}") from error
        return Header()


def _check_sums(steps: Sequence[BuildStep]) -> None:
    """Raise an error if existing tables were not made from the existing sub-tables."""
    digests = {
        (step.material.name, metric): step.header.digests[metric]
        for step in steps
        for metric in step.stays
    }
    for step in steps:
        for metric in step.stays:
            for name, digest in step.header.subtables[metric].items():
                if digests.get((name, metric), digest) != digest:
                    raise CorruptTableError(
                        f"{step.path} was made from another table of {name}: "
                        f"{how_to_build_again(step.path, step.material)}"
                    )


def prepare_folders(steps: Sequence[BuildStep]) -> None:
    """Make sure that the folders of steps can be written, and remove unfinished tables there.

    Nothing is written if all tables exist. Raises `OSError` as `check_folder` does.
    """
    for folder in {step.path.parent for step in steps}:
        if not all(step.exists for step in steps):
            check_folder(folder)
        remove_leftovers(folder)


def check_folder(directory: str | os.PathLike[str]) -> None:
    """Make sure that files can be written (else `OSError`), before hours are spent on them."""
    try:
        Path(directory).mkdir(parents=True, exist_ok=True)
    except FileNotFoundError as error:  # as in /proc
        reason = f"no folder can be made there ({error.strerror}): name another with --dir"
        raise TablebaseError(f"{directory}: {reason}") from error
    try:
        with partial_file(Path(directory, "trial.h5")):
            pass
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, os.strerror(error.errno), os.fspath(directory)) from error


def check_disk(steps: Iterable[BuildStep], directory: str | os.PathLike[str]) -> None:
    """Refuse steps for which the disk of an existing directory has not enough space.

    It raises `TablebaseError`.
    """
    disk = sum(step.disk for step in steps if not step.exists)
    free = shutil.disk_usage(directory).free
    if disk > free:
        raise TablebaseError(
            f"the tables take {bytes_in_words(disk)} of disk space, but only "
            f"{bytes_in_words(free)} is free in {directory}"
        )
