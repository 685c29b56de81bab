"""From materials to files: what must be built, in which order, and the building of it.

A file that exists under its final name is complete, so work that was interrupted goes on where it
stopped, and several processes may work in one directory.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import NamedTuple

from tablebase.census import take_census
from tablebase.children import Need, needed_positions, rows_after_promotion
from tablebase.errors import CorruptTableError, InvalidMaterialError, TablebaseError
from tablebase.geometry import Color
from tablebase.index import table_index
from tablebase.layout import make_layout
from tablebase.material import MAX_MEN, Material, generation_order
from tablebase.retrograde import make_sets
from tablebase.solve import Codes, Progress, solve
from tablebase.storage import open_table, read_table, remove_leftovers, table_path, write_table
from tablebase.table import Table, slot_count, stored_sides

DEFAULT_MATERIALS: tuple[str, ...] = ("KK", "KRK", "KNNK", "KRNK", "KPK")

# Python, its libraries and the compiled kernels.
BASE_MEMORY = 400_000_000
# Tables of so many men are kept in memory for the next ones; larger ones are read when needed.
MAX_KEPT_MEN = 4
# A file by its values: the worst of all tables of up to four men takes 0.40 of them.
COMPRESSED_SHARE = 0.45
# Of a table of five men only positions just after a promotion are read: a fifth of them with
# pawns, without pawns a half (more for two identical pieces, but these tables are smaller).
PROMOTED_SHARE, PROMOTED_SHARE_WITHOUT_PAWNS = 0.2, 0.5


class Stage(Enum):
    """What happens to a material."""

    READING = "reading sub-tables"
    SOLVING = "solving"
    COUNTING = "counting"
    WRITING = "writing"


class Event(NamedTuple):
    """How far a generation is."""

    number: int  # of this material among those to be built, from 0
    total: int  # materials to be built
    material: Material
    stage: Stage
    progress: Progress | None  # of the solution


@dataclass(frozen=True)
class Step:
    """One material of a plan.

    Attributes
    ----------
    material : Material
        What to build.
    path : Path
        Its file.
    exists : bool
        Whether there is nothing to do: the file is there.
    positions : int
        Slots of the table, both sides to move together.
    memory : int
        Most bytes of memory that building takes, the whole process included.
    disk : int
        Bytes of the file: its size if it exists, an estimate from above if it does not.
    """

    material: Material
    path: Path
    exists: bool
    positions: int
    memory: int
    disk: int


@dataclass(frozen=True)
class Built:
    """A table that is there.

    Attributes
    ----------
    material : Material
        Its men.
    path : Path
        Its file.
    seconds : float or None
        How long building took; None if it was there before.
    """

    material: Material
    path: Path
    seconds: float | None


# --- planning ---------------------------------------------------------------------------


def working_memory(material: Material, threads: int) -> int:
    """Return how many bytes solving a material takes besides tables."""
    layout = make_layout(material)
    # Without pawns all threads share one set of planes.
    sets = threads if material.has_pawns else 1
    plane_size = sum(array.nbytes for array in make_sets(1))
    index = table_index(material)
    stalemates = 16 * 64 * index.slices * index.ranks if material.pawn_count > 1 else 0
    lines = sum(getattr(array, "nbytes", 0) for array in layout)
    return sets * plane_size * len(layout.plane_squares) + lines + stalemates


def _promoted_share(material: Material) -> float:
    return PROMOTED_SHARE if material.has_pawns else PROMOTED_SHARE_WITHOUT_PAWNS


def _check(materials: Iterable[Material]) -> list[Material]:
    chosen = [material.normalized() for material in materials]
    for material in chosen:
        if material.piece_count > MAX_MEN:
            message = f"{material} has {material.piece_count} men: tables have up to {MAX_MEN}"
            raise InvalidMaterialError(message)
    return chosen


def _is_complete(path: Path, material: Material) -> bool:
    """Return whether a file is there; what a file is under this name, nobody wrote half."""
    if not path.exists():
        return False
    with open_table(path) as file:
        if file.material != material:
            raise CorruptTableError(f"{path}: this is the table of {file.material}")
        file.check()
    return True


def plan(
    materials: Iterable[Material],
    directory: str | os.PathLike[str],
    *,
    threads: int | None = None,
    force: bool = False,
) -> list[Step]:
    """Return the steps to some tables, each after those that it needs.

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
    wanted = set(_check(materials))
    steps = []
    kept = 0
    for material in generation_order(wanted):
        path = table_path(directory, material)
        try:
            exists = _is_complete(path, material) and not (force and material in wanted)
        except CorruptTableError as error:
            if not force:
                message = f"{error}; build it again with --force"
                raise CorruptTableError(message) from error
            exists = False
        stored = len(stored_sides(material))
        size = slot_count(material)
        read = sum(
            int(_promoted_share(needed) * len(need.sides) * slot_count(needed))
            for needed, need in needed_positions(material).items()
            if needed.piece_count > MAX_KEPT_MEN
        )
        memory = BASE_MEMORY + kept + read + 2 * size
        if not exists:
            memory += working_memory(material, threads)
        if material.piece_count <= MAX_KEPT_MEN:
            kept += 2 * size
        disk = path.stat().st_size if exists else 20_000 + int(COMPRESSED_SHARE * stored * size)
        steps.append(Step(material, path, exists, 2 * size, memory, disk))
    return steps


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


def in_words(size: float) -> str:
    """Return a number of bytes for people.

    >>> in_words(24_778), in_words(1_500_000_000)
    ('24.8 kB', '1.5 GB')
    """
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"


def check_resources(
    steps: Iterable[Step], directory: str | os.PathLike[str], *, memory: int | None = None
) -> None:
    """Refuse steps for which the machine has not enough.

    Parameters
    ----------
    steps
        What is to be built.
    directory
        Where files will be written; it exists.
    memory
        Most bytes of memory to use; by default what is available.

    Raises
    ------
    TablebaseError
        If memory or disk space will not do.
    """
    missing = [step for step in steps if not step.exists]
    limit = available_memory() if memory is None else memory
    remedy = "available: close other programs" if memory is None else "allowed: raise --memory"
    for step in missing:
        if limit is not None and step.memory > limit:
            raise TablebaseError(
                f"building {step.material} takes up to {in_words(step.memory)} of memory, "
                f"and {in_words(limit)} are {remedy}"
            )
    disk, free = sum(step.disk for step in missing), shutil.disk_usage(directory).free
    if disk > free:
        raise TablebaseError(
            f"the tables take up to {in_words(disk)} of disk space, and {in_words(free)} are free "
            f"in {directory}"
        )


# --- building ---------------------------------------------------------------------------


class _Shelf:
    """The tables of a directory, some of them in memory."""

    def __init__(self, directory: str | os.PathLike[str], threads: int) -> None:
        self.directory = directory
        self.threads = threads
        self._tables: dict[Material, Table] = {}
        self._digests: dict[Material, str] = {}

    def add(self, table: Table, digest: str) -> None:
        self._tables[table.material] = table
        self._digests[table.material] = digest

    def get(self, material: Material, need: Need) -> Table | Codes:
        """Return a table, or only what is needed of a large one."""
        if material in self._tables:
            return self._tables[material]
        path = table_path(self.directory, material)
        with open_table(path) as file:
            self._digests[material] = file.sha256
            if material.piece_count > MAX_KEPT_MEN:
                rows = rows_after_promotion(material, need.promoted)
                white, black = (
                    file.codes(side, rows=rows, threads=self.threads)
                    if side in need.sides
                    else None
                    for side in Color
                )
                return white, black
        self.add(read_table(path, threads=self.threads), self._digests[material])
        return self._tables[material]

    def digest(self, material: Material) -> str:
        return self._digests[material]

    def put_back_large_ones(self) -> None:
        for material in list(self._tables):
            if material.piece_count > MAX_KEPT_MEN:
                del self._tables[material]


def _build(
    material: Material, path: Path, shelf: _Shelf, report: Callable[[Stage, Progress | None], None]
) -> None:
    report(Stage.READING, None)
    subtables = {
        needed: shelf.get(needed, need) for needed, need in needed_positions(material).items()
    }
    report(Stage.SOLVING, None)
    table = solve(
        material,
        subtables,
        threads=shelf.threads,
        report=lambda progress: report(Stage.SOLVING, progress),
    )
    report(Stage.COUNTING, None)
    census = take_census(table, threads=shelf.threads)
    report(Stage.WRITING, None)
    digests = {needed.name: shelf.digest(needed) for needed in subtables}
    digest = write_table(table, path, census=census, subtables=digests, threads=shelf.threads)
    shelf.add(table, digest)
    shelf.put_back_large_ones()


def generate(
    materials: Iterable[Material],
    directory: str | os.PathLike[str],
    *,
    threads: int | None = None,
    force: bool = False,
    memory: int | None = None,
    report: Callable[[Event], None] | None = None,
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

    Returns
    -------
    list[Built]
        All tables of the plan in the order of building, those included that were there.

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
    threads = threads or os.cpu_count() or 1
    steps = plan(materials, directory, threads=threads, force=force)
    Path(directory).mkdir(parents=True, exist_ok=True)
    remove_leftovers(directory)
    check_resources(steps, directory, memory=memory)
    missing = [step.material for step in steps if not step.exists]
    shelf = _Shelf(directory, threads)
    return [_carry_out(step, missing, shelf, report, force=force) for step in steps]


def _carry_out(
    step: Step,
    missing: list[Material],
    shelf: _Shelf,
    report: Callable[[Event], None] | None,
    *,
    force: bool,
) -> Built:
    # Another process may have been faster.
    if step.exists or (not force and _is_complete(step.path, step.material)):
        return Built(step.material, step.path, None)
    number, total = missing.index(step.material), len(missing)

    def tell(stage: Stage, progress: Progress | None) -> None:
        if report:
            report(Event(number, total, step.material, stage, progress))

    started = time.perf_counter()
    _build(step.material, step.path, shelf, tell)
    return Built(step.material, step.path, time.perf_counter() - started)
