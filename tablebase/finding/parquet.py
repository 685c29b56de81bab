"""Positions as Parquet files, however many there are."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from importlib import import_module
from itertools import chain
from pathlib import Path

from tablebase.core.ground.extras import require_packages
from tablebase.core.storage.atomic import complete_or_absent
from tablebase.finding.choices import NAME
from tablebase.finding.positions import Positions

# Readers take a row group at a time, and skip those whose values cannot fit.
ROWS_PER_GROUP = 1 << 20


def write_parquet(
    path: str | os.PathLike[str],
    blocks: Iterable[Positions],
    *,
    squares: str = NAME,
    fens: bool = False,
) -> int:
    """Write positions to a Parquet file, which is complete or absent.

    No more than about a million of them, a row group, are in memory at a time.

    Parameters
    ----------
    path
        The file; one of this name is replaced.
    blocks
        Positions of one material, at least one block, which may be empty.
    squares, fens
        As for `Positions.to_arrow`, whose columns the file has.

    Returns
    -------
    int
        How many positions were written.

    Raises
    ------
    ImportError
        If pyarrow is not installed.
    OSError
        If the file cannot be written.
    """
    require_packages("Parquet files need", "pyarrow")
    parquet = import_module("pyarrow.parquet")
    tables = (positions.to_arrow(squares=squares, fens=fens) for positions in _in_groups(blocks))
    first = next(tables)
    rows = 0
    with (
        complete_or_absent(Path(path)) as partial,
        parquet.ParquetWriter(partial, first.schema, compression="zstd") as writer,
    ):
        for table in chain([first], tables):
            writer.write_table(table, row_group_size=max(1, len(table)))
            rows += len(table)
    return rows


def _in_groups(blocks: Iterable[Positions]) -> Iterator[Positions]:
    """Yield positions in larger blocks, of at least `ROWS_PER_GROUP` but for the last block."""
    kept: list[Positions] = []
    for block in blocks:
        kept.append(block)
        if sum(map(len, kept)) >= ROWS_PER_GROUP:
            yield Positions.joined(kept)
            kept = []
    if kept:
        yield Positions.joined(kept)
