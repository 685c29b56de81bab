"""Check solved tables by another road: every value against those one move ahead.

What a passed check proves is in ``docs/verification.md``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tablebase.board import DRAW, Color, Material, Wdl, board_of, decode_dtm
from tablebase.checking.fixed_point import DIFFERENT, POSITIONS, check_slots
from tablebase.checking.reach import load_successors
from tablebase.jit import KernelRecord
from tablebase.moves import make_row
from tablebase.storage import Subtables, open_table
from tablebase.tables import Table, require_subtables, take_census
from tablebase.words import moves_in_words

ROWS_PER_TASK = 64
SAMPLES_PER_TASK = 1 << 14


@dataclass(frozen=True)
class Difference:
    """A position whose stored value is not the one that its moves give.

    Attributes
    ----------
    fen : str
        The position.
    index : int
        Its slot in the table.
    stored, expected : int
        The two codes; an expected 256 is a result that no code can hold.
    """

    fen: str
    index: int
    stored: int
    expected: int

    def __str__(self) -> str:
        return f"{self.fen}: stored {_in_words(self.stored)}, should be {_in_words(self.expected)}"


@dataclass(frozen=True)
class Report:
    """What a check found.

    Attributes
    ----------
    material : Material
        The men.
    checked : int
        Number of legal positions compared, both sides to move together.
    different : int
        Number of them whose value is wrong.
    differences : tuple[Difference, ...]
        The first wrong ones.
    problems : tuple[str, ...]
        What else is wrong with a file, each in a sentence.
    is_complete : bool
        Whether every slot was checked, not a sample only.
    """

    material: Material
    checked: int
    different: int
    differences: tuple[Difference, ...] = ()
    problems: tuple[str, ...] = ()
    is_complete: bool = True

    @property
    def passed(self) -> bool:
        """Whether nothing is wrong."""
        return not (self.different or self.problems)


def _in_words(code: int) -> str:
    if code > DRAW:
        return "a longer win than can be stored"
    wdl, plies = decode_dtm(code)
    if wdl is Wdl.DRAW:
        return "a draw"
    return f"{'won' if wdl is Wdl.WIN else 'lost'} in {moves_in_words(plies)}"


@dataclass(frozen=True)
class _Check:
    """A table under check: what all threads share."""

    table: Table
    successors: KernelRecord
    sample: NDArray[np.int64] | None  # slots in ascending order; None for all
    limit: int

    def tasks(self) -> list[tuple[int, int]]:
        """Return the ranges of slots, or of the sample, that are checked in one go."""
        if self.sample is None:
            total, step = self.table.index.size, ROWS_PER_TASK * self.table.index.king_pairs
        else:
            total, step = len(self.sample), SAMPLES_PER_TASK
        return [(first, min(first + step, total)) for first in range(0, total, step)]

    def run(self, task: tuple[int, int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the counts and the first differences of a range."""
        slots = np.arange(*task) if self.sample is None else self.sample[slice(*task)]
        counts = np.zeros((2, 2), dtype=np.int64)
        found = np.zeros((2, self.limit, 2), dtype=np.int64)
        row = make_row(self.table.material.piece_count - 2)
        pairs = self.table.index.king_pairs
        boards, _ = self.table.index.decode_many(np.unique(slots // pairs) * pairs)
        check_slots(self.successors, row, boards, *self.table.codes, slots, counts, found)
        return counts, found

    def differences(self, counts: NDArray[np.int64], found: NDArray[np.int64]) -> list[Difference]:
        """Return the differences of a range in words."""
        differences = []
        for side in Color:
            for slot, expected in found[side, : counts[side, DIFFERENT]].tolist():
                squares, _ = self.table.index.decode_many(np.array([slot]))
                fen = board_of(self.table.material, squares[0].tolist(), side == Color.WHITE).fen()
                stored = int(self.table.codes[side][slot])
                differences.append(Difference(fen, slot, stored, expected))
        return differences


def check_table(
    table: Table,
    subtables: Mapping[Material, Table],
    *,
    sample: int | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    limit: int = 10,
) -> Report:
    """Compare every value of a table with the values that its moves lead to.

    Parameters
    ----------
    table
        The table to check.
    subtables
        The tables of `Material.dependencies`, taken to be right.
    sample
        How many slots to check, chosen at random; by default all.
    threads
        How many threads to use; by default one for each processor.
    progress
        Called with the numbers of tasks done and of all tasks.
    limit
        How many differences to describe.

    Returns
    -------
    Report
        What was found.

    Raises
    ------
    MissingTableError
        If a sub-table is missing.
    """
    require_subtables(table.material, subtables)

    def read(needed: Material, color: Color, rows: NDArray[np.bool_] | None) -> NDArray[np.uint8]:
        del rows  # all are in memory
        return subtables[needed].codes[color]

    successors = load_successors(table.material, read, threads=threads)
    return _check_all(table, successors, sample, threads, progress, limit)


def _check_all(
    table: Table,
    successors: KernelRecord,
    sample: int | None,
    threads: int | None,
    progress: Callable[[int, int], None] | None,
    limit: int,
) -> Report:
    """Compare every value of a table, or of a sample; see `check_table`."""
    slots = None
    if sample is not None and sample < table.index.size:
        slots = np.unique(np.random.default_rng().integers(table.index.size, size=sample))
    check = _Check(table, successors, slots, limit)
    tasks = check.tasks()
    total = np.zeros((2, 2), dtype=np.int64)
    differences: list[Difference] = []
    with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
        for done, (counts, found) in enumerate(pool.map(check.run, tasks), 1):
            total += counts
            if len(differences) < limit:
                differences += check.differences(counts, found)
            if progress is not None:
                progress(done, len(tasks))
    return Report(
        material=table.material,
        checked=int(total[:, POSITIONS].sum()),
        different=int(total[:, DIFFERENT].sum()),
        differences=tuple(differences[:limit]),
        is_complete=slots is None,
    )


def _recorded_problems(material: Material, recorded: Mapping[str, str]) -> list[str]:
    """Return which sums of sub-tables a file does not record."""
    missing = [needed.name for needed in material.dependencies() if needed.name not in recorded]
    return [f"it does not say from which {name} it was made" for name in missing]


def check_file(
    path: str | os.PathLike[str],
    *directories: str | os.PathLike[str],
    sample: int | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    limit: int = 10,
) -> Report:
    """Check a table file: its checksums, what it says of itself, and every value.

    Parameters
    ----------
    path
        The file.
    directories
        Where sub-tables may lie that are not beside the file.
    sample, threads, progress, limit
        As for `check_table`.

    Returns
    -------
    Report
        What was found; `Report.problems` has what is wrong besides values.

    Raises
    ------
    CorruptTableError
        If the file is damaged or malformed, or its sub-tables where they are read.
    MissingTableError
        If the file or a sub-table is missing.
    """
    with open_table(path) as file:
        attributes = file.attributes
        subtables = Subtables(file.material, file.path.parent, *directories, threads=threads)
        problems = _recorded_problems(file.material, attributes["subtables"])
        problems += subtables.problems(attributes["subtables"])
        table = file.read(threads=threads)
    census = json.loads(json.dumps(take_census(table, threads=threads).as_dict()))
    if attributes["counts"] != census:
        problems.append("its counts are not those of its values")
    longest = {side: counts["longest_win"] for side, counts in census.items()}
    if attributes["longest_wins"] != longest:
        problems.append("its longest wins are not those of its values")
    successors = load_successors(table.material, subtables.codes, threads=threads)
    report = _check_all(table, successors, sample, threads, progress, limit)
    return replace(report, problems=tuple(problems))
