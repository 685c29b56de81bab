"""Solved tables checked in another way: every value against the values one move ahead.

What a passed check proves is in ``docs/verification.md``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablebase.core.board.geometry import Color
from tablebase.core.checking.agreement import find_contradictions
from tablebase.core.checking.findings import Contradiction, Difference, Report, fen_of
from tablebase.core.checking.fixed_point import DIFFERENT, POSITIONS, check_slots
from tablebase.core.checking.reach import Reach, ReadCodes, load_successors
from tablebase.core.ground.parallel import map_on_threads
from tablebase.core.index.numbering import TableIndex
from tablebase.core.jit.records import KernelRecord
from tablebase.core.moves.move_lists import make_row
from tablebase.core.outcomes.metrics import DTM, DTZ, METRICS, Metric, is_meant
from tablebase.core.rules.material import Material
from tablebase.core.storage.order import places_of
from tablebase.core.storage.reading import TableFile, open_table
from tablebase.core.storage.subtables import Subtables
from tablebase.core.storage.table_names import tables_folder
from tablebase.core.tables.census import take_census
from tablebase.core.tables.reserved import Reserved
from tablebase.core.tables.table import Table, TablePart, require_subtables

# Bytes of codes of a table that is held in memory to check a sample.
LARGEST_HELD = 1_000_000_000
ROWS_PER_READING = 4096
ROWS_PER_TASK = 64
SAMPLES_PER_TASK = 1 << 14


@dataclass(frozen=True)
class _Check:
    """A table under check: what all threads share."""

    table: Table
    successors: KernelRecord
    sample: NDArray[np.int64] | None  # slots in ascending order; None for all
    limit: int
    part: TablePart | None = None  # the codes, if the table itself has none

    def __post_init__(self) -> None:
        for codes in self._codes:  # as those of a table are: the kernel is compiled once
            codes.setflags(write=False)

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
        check_slots(self.successors, row, boards, self._places, self._codes, slots, counts, found)
        return counts, found

    @property
    def _codes(self) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        white, black = self.table.codes if self.part is None else self.part.codes
        assert white is not None
        assert black is not None
        return white, black

    @property
    def _places(self) -> NDArray[np.int32]:
        nowhere = np.empty(0, dtype=np.int32)
        return nowhere if self.part is None or self.part.places is None else self.part.places

    def _code(self, side: Color, slot: int) -> int:
        row, pair = divmod(slot, self.table.index.king_pairs)
        if len(self._places):
            row = int(self._places[row])
        return int(self._codes[side][row * self.table.index.king_pairs + pair])

    def differences(self, counts: NDArray[np.int64], found: NDArray[np.int64]) -> list[Difference]:
        """Return the differences of a range in words."""
        differences = []
        for side in Color:
            for slot, preferred in found[side, : counts[side, DIFFERENT]].tolist():
                code, outcomes = self._code(side, slot), self.table.outcomes[side]
                stored = int(outcomes[code]) if is_meant(outcomes)[code] else None
                fen = fen_of(self.table, slot, side)
                expected = self.table.metric.preferred(preferred)
                differences.append(Difference(fen, slot, stored, expected, self.table.metric))
        return differences


def check_table(
    table: Table,
    subtables: Mapping[Material, Table],
    *,
    if_swapped: Mapping[Material, Table] | None = None,
    sample: int | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    limit: int = 10,
) -> Report:
    """Compare every value of a table, or of a random `sample`, with the values its moves lead to.

    The `subtables`, of all `Material.dependencies` (else `MissingTableError`), are taken to be
    right; helpmates need those of `Metric.swapped` as well. At most `limit` differences are
    described; `progress` gets tasks done and all.
    """
    require_subtables(table.material, subtables)

    def reading(tables: Mapping[Material, Table]) -> ReadCodes:
        # All rows are in memory.
        return lambda needed, color, _rows: tables[needed].codes[color]

    successors = load_successors(
        table,
        reading(subtables),
        lambda needed: subtables[needed].outcomes,
        if_swapped=None if if_swapped is None else reading(if_swapped),
        threads=threads,
    )
    slots = _sample_of(table.index, sample)
    return _check_values(table, successors, slots, threads, progress, limit)


def _sample_of(index: TableIndex, sample: int | None) -> NDArray[np.int64] | None:
    """Return a random sample of slots in ascending order; None for all."""
    if sample is None or sample >= index.size:
        return None
    return np.unique(np.random.default_rng().integers(index.size, size=sample))


def _check_values(
    table: Table,
    successors: KernelRecord,
    slots: NDArray[np.int64] | None,
    threads: int | None,
    progress: Callable[[int, int], None] | None,
    limit: int,
    part: TablePart | None = None,
) -> Report:
    """Compare every value of a table, or of some slots; see `check_table`."""
    check = _Check(table, successors, slots, limit, part)
    tasks = check.tasks()
    total = np.zeros((2, 2), dtype=np.int64)
    differences: list[Difference] = []
    for done, (counts, found) in enumerate(map_on_threads(check.run, tasks, threads), 1):
        total += counts
        if len(differences) < limit:
            differences += check.differences(counts, found)
        if progress is not None:
            progress(done, len(tasks))
    return Report(
        material=table.material,
        metrics=(table.metric,),
        checked=int(total[:, POSITIONS].sum()),
        different=int(total[:, DIFFERENT].sum()),
        differences=tuple(differences[:limit]),
        is_complete=slots is None,
    )


def check_file(
    path: str | os.PathLike[str],
    *directories: str | os.PathLike[str],
    metric: Metric | Sequence[Metric] = (),
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
    metric
        Which distance to check, or which ones; by default all, and that they go together.
    sample
        How many slots to check, chosen at random; by default all. Of a six-man table these are
        whole rows, no more is read into memory than they need, and counts are not compared.
    threads, progress, limit
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
        If the file or a sub-table is missing, or one of them does not have the distance.
    """
    with open_table(path) as file:
        attributes, folder = file.attributes, tables_folder(file.path, file.material)
        metrics = (metric,) if isinstance(metric, Metric) else metric or file.distances
        for one in metrics:
            file.require_metric(one)
        all_subtables = [
            Subtables(file.material, folder, *directories, metric=one, threads=threads)
            for one in metrics
        ]
        if sample is not None and _is_sampled_alone(file):
            both = zip(metrics, all_subtables, strict=True)
            found = [_check_rows(file, *one, sample, threads, progress, limit) for one in both]
            return _joined(found, 0, ())
        tables = [file.read(one, threads=threads) for one in metrics]
    slots = _sample_of(tables[0].index, sample)
    reports = []
    for number, (table, subtables) in enumerate(zip(tables, all_subtables, strict=True)):
        problems = _attribute_problems(table, subtables, attributes, threads)
        successors = _load(table, subtables, threads)
        share = _share(progress, number, len(tables))
        report = _check_values(table, successors, slots, threads, share, limit)
        reports.append(replace(report, problems=tuple(problems)))
    return _joined(reports, *_compare_metrics(tables, threads, limit))


def _load(table: Table, subtables: Subtables, threads: int | None) -> KernelRecord:
    """Return the successors of a table whose sub-tables lie in files."""
    reads, others = subtables.codes, subtables.if_swapped
    return load_successors(table, reads, subtables.outcomes, if_swapped=others, threads=threads)


def _is_sampled_alone(file: TableFile) -> bool:
    """Return whether a sample of a file is checked without its whole table in memory."""
    rules = file.material.rules
    is_large = 2 * file.size > LARGEST_HELD and rules.royal and not rules.check_counting
    return is_large and not file.material.is_symmetric


def _check_rows(
    file: TableFile,
    metric: Metric,
    subtables: Subtables,
    sample: int,
    threads: int | None,
    progress: Callable[[int, int], None] | None,
    limit: int,
) -> Report:
    """Check some rows of a table, of which no more is read than that takes.

    Rows are read in several goes: moves from one lead to hundreds, all over the file.
    """
    size, prefix = file.size, metric.prefix
    hollow = Reserved(size).bytes
    table = Table(file.material, hollow, hollow, metric, file.outcomes(metric))
    pairs = table.index.king_pairs
    count = min(-(-sample // pairs), size // pairs)
    rows = np.random.default_rng().choice(size // pairs, count, replace=False)
    reach = Reach(
        table,
        subtables.codes,
        subtables.outcomes,
        if_swapped=subtables.if_swapped,
        threads=threads,
    )
    reach.load_small()
    goes = -(-count // ROWS_PER_READING)
    reports = []
    for go, chosen in enumerate(np.array_split(rows, goes)):
        chosen.sort()
        reach.load_large(chosen)
        needed = reach.own_rows(chosen)
        codes = file.read_sides(
            Color, needed, metric=metric, check=go == 0, together=True, threads=threads
        )
        part = TablePart(codes, table.outcomes, places_of(needed))
        slots = (chosen[:, np.newaxis] * pairs + np.arange(pairs)).ravel()
        share = _share(progress, go, goes)
        reports.append(_check_values(table, reach.successors, slots, threads, share, limit, part))
    problems = _made_from(file.material, subtables, file.attributes[f"{prefix}subtables"])
    return replace(
        reports[0],
        checked=sum(report.checked for report in reports),
        different=sum(report.different for report in reports),
        differences=tuple(one for report in reports for one in report.differences)[:limit],
        problems=tuple(f"{metric}: {problem}" for problem in problems),
    )


def _share(
    progress: Callable[[int, int], None] | None, number: int, parts: int
) -> Callable[[int, int], None] | None:
    """Return the function that reports the progress of one of several equal parts."""
    if progress is None:
        return None
    return lambda done, total: progress(number * total + done, parts * total)


def _made_from(material: Material, subtables: Subtables, recorded: Mapping[str, str]) -> list[str]:
    """Return the differences of the sub-tables on disk from those that a file names."""
    problems = [
        f"it does not say from which {needed} it was made"
        for needed in material.dependencies()
        if needed.name not in recorded
    ]
    return problems + subtables.problems(recorded)


def _joined(
    reports: Sequence[Report], contradicting: int, contradictions: tuple[Contradiction, ...]
) -> Report:
    """Return one report of the distances of a file whose checked slots are the same."""
    return replace(
        reports[0],
        metrics=tuple(metric for one in reports for metric in one.metrics),
        different=sum(one.different for one in reports),
        differences=tuple(difference for one in reports for difference in one.differences),
        contradicting=contradicting,
        contradictions=contradictions,
        problems=tuple(problem for one in reports for problem in one.problems),
    )


def _attribute_problems(
    table: Table, subtables: Subtables, attributes: Mapping[str, Any], threads: int | None
) -> list[str]:
    """Return the differences of the attributes of a file from its values and sub-tables."""
    prefix = table.metric.prefix
    problems = _made_from(table.material, subtables, attributes[f"{prefix}subtables"])
    census = json.loads(json.dumps(take_census(table, threads=threads).as_dict()))
    if attributes[f"{prefix}counts"] != census:
        problems.append("its counts do not match its values")
    if table.metric in METRICS:
        longest = {side: counts["longest_win"] for side, counts in census.items()}
        if attributes[f"{prefix}longest_wins"] != longest:
            problems.append("its longest wins do not match its values")
    return [f"{table.metric}: {problem}" for problem in problems]


def _compare_metrics(
    tables: Sequence[Table], threads: int | None, limit: int
) -> tuple[int, tuple[Contradiction, ...]]:
    """Find contradictions if there are distances to mate and to zeroing."""
    by_metric = {table.metric: table for table in tables}
    if not by_metric.keys() >= {DTM, DTZ}:
        return 0, ()
    return find_contradictions(by_metric[DTM], by_metric[DTZ], threads=threads, limit=limit)
