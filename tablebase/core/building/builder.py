"""The building of one table: get its sub-tables, solve, count, write."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np

from tablebase.core.building.subtable_store import SubtableStore
from tablebase.core.engine.by_slices import solve_by_slices
from tablebase.core.engine.driver import solve
from tablebase.core.engine.requirements import is_solved_by_slices
from tablebase.core.engine.running import Progress
from tablebase.core.ground.errors import CorruptTableError, MissingTableError
from tablebase.core.index.legality import legal_shape
from tablebase.core.index.numbering import table_index
from tablebase.core.outcomes.metrics import Metric
from tablebase.core.rules.material import Material
from tablebase.core.storage.reading import open_table
from tablebase.core.storage.sections import WriteSection, write_sections
from tablebase.core.storage.table_names import table_path, tables_folder
from tablebase.core.storage.writing import write_table
from tablebase.core.tables.census import Census, CensusOfParts, take_census
from tablebase.core.tables.reserved import Reserved
from tablebase.core.tables.table import Table


class Stage(Enum):
    """A stage of the build of a material."""

    READING = "reading sub-tables"
    SOLVING = "solving"
    COUNTING = "counting"
    WRITING = "writing"


@dataclass(frozen=True)
class Header:
    """What the header of a table's file states about its values; nothing if there is no file."""

    digests: Mapping[Metric, str] = field(default_factory=dict)  # SHA-256 of the values, in hex
    # of the sub-tables that the values were made from, by name
    subtables: Mapping[Metric, Mapping[str, str]] = field(default_factory=dict)
    counts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # `TableFile.counts`


@dataclass(frozen=True)
class Built:
    """A table that exists."""

    material: Material
    path: Path
    seconds: float | None  # without the time for saving the table before; None if it existed
    header: Header


Tell = Callable[[Stage, Progress | None], None]


def build_table(
    material: Material, metrics: Iterable[Metric], store: SubtableStore, tell: Tell
) -> Built:
    """Build some metrics of one table, whose sub-tables exist: solve each, then save it.

    Errors are those of `solve_table` and of writing.
    """
    started = time.perf_counter()
    for metric in metrics:
        if is_solved_by_slices(material, metric):
            build_by_slices(material, metric, store, tell)
        else:
            save_table(solve_table(material, metric, store, tell), store, tell)
    path = table_path(store.directory, material)
    return Built(material, path, time.perf_counter() - started, read_header(path, material))


def build_by_slices(material: Material, metric: Metric, store: SubtableStore, tell: Tell) -> str:
    """Solve, count and write a table slice by slice, and return the SHA-256 of its values.

    Only some slices of it are ever in memory. Errors are those of `solve_table` and of writing.
    """
    tell(Stage.READING, None)
    subtables = store.subtables(material, metric)
    index = table_index(material)
    shape = legal_shape(index)
    bits = Reserved(8 * math.prod(shape), dense=True)
    legal = bits.bytes.view(np.uint64).reshape(shape)
    codes = Reserved(index.size, dense=True), Reserved(index.size, dense=True)
    # Most upper bytes of codes stay zero, and their memory is not touched.
    epochs = Reserved(index.size), Reserved(index.size)
    above = epochs[0].bytes, epochs[1].bytes
    table = Table(material, codes[0].bytes, codes[1].bytes, metric, epochs=above)

    def fill(write: WriteSection) -> tuple[Census, dict[str, str]]:
        census = CensusOfParts(table, threads=store.threads)

        def take(slots: range) -> None:
            tell(Stage.COUNTING, None)
            census.add(slots, legal)
            tell(Stage.WRITING, None)
            write(slots, legal)
            for side in legal:
                part = side[slots.start // index.king_pairs : slots.stop // index.king_pairs]
                first = part.ctypes.data - legal.ctypes.data
                bits.release(first, first + part.nbytes)

        tell(Stage.SOLVING, None)
        solve_by_slices(
            material,
            lambda slices: subtables | store.of_slices(material, metric, slices),
            codes,
            take,
            epochs=epochs,
            threads=store.threads,
            report=lambda progress: tell(Stage.SOLVING, progress),
        )
        return census.census(), store.subtable_digests(material, metric)

    digest = write_sections(
        table,
        table_path(store.directory, material),
        fill,
        threads=store.threads,
        report=lambda: tell(Stage.WRITING, None),
    )
    store.set_digest(material, metric, digest)
    store.finish(material, metric)
    return digest


def save_table(table: Table, store: SubtableStore, tell: Tell) -> str:
    """Count and write a table, and return the SHA-256 of its values.

    `tell` is called at every stage and for every chunk; what it raises ends the work.
    """
    material = table.material
    tell(Stage.COUNTING, None)
    legal = np.empty(legal_shape(table.index), dtype=np.uint64)
    census = take_census(table, legal=legal, threads=store.threads)
    tell(Stage.WRITING, None)
    digest = write_table(
        table,
        table_path(store.directory, material),
        census=census,
        legal=legal,
        subtables=store.subtable_digests(material, table.metric),
        threads=store.threads,
        report=lambda: tell(Stage.WRITING, None),
    )
    store.set_digest(material, table.metric, digest)
    return digest


def solve_table(material: Material, metric: Metric, store: SubtableStore, tell: Tell) -> Table:
    """Solve a table whose sub-tables are in `store`, and keep what coming builds need of it.

    Raises `MissingTableError` or `CorruptTableError` if a sub-table is missing or damaged.
    """
    tell(Stage.READING, None)
    subtables, if_swapped = store.subtables(material, metric), None
    if metric.swapped != metric:
        if_swapped = store.subtables(material, metric.swapped)
    tell(Stage.SOLVING, None)
    table = solve(
        material,
        subtables,
        if_swapped=if_swapped,
        metric=metric,
        threads=store.threads,
        report=lambda progress: tell(Stage.SOLVING, progress),
    )
    store.add(table)
    store.finish(material, metric)
    return table


def read_header(path: Path, material: Material, expected: Iterable[Metric] = ()) -> Header:
    """Return the header of a table's file; without a file it is empty.

    Raises `CorruptTableError` if the file is damaged, of another material, or lacks one of the
    `expected` metrics, which it once had.
    """
    header = Header()
    # Files get this name only when complete.
    if path.exists():
        with open_table(path, material) as file:
            file.check()
            header = Header(
                {metric: file.sha256_of(metric) for metric in file.distances},
                {one: file.attributes[f"{one.prefix}subtables"] for one in file.distances},
                file.counts,
            )
    for metric in expected:
        if metric not in header.digests:
            missing = MissingTableError.of(
                [material], [tables_folder(path, material)], metric=metric.name
            )
            raise CorruptTableError(f"{path} was damaged: {missing}")
    return header
