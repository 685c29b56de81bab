"""Solved tables into files."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from tablebase._version import __version__
from tablebase.core.board.geometry import SIDES, Color
from tablebase.core.ground.errors import CorruptTableError, MissingTableError, TablebaseError
from tablebase.core.ground.parallel import map_on_threads
from tablebase.core.index.legality import find_legal
from tablebase.core.outcomes.metrics import DISTANCES, METRICS, Metric
from tablebase.core.storage.atomic import give_name, partial_file, sole_writer
from tablebase.core.storage.chunks import pack
from tablebase.core.storage.damage import naming_refusal as _naming
from tablebase.core.storage.datasets import write_packed
from tablebase.core.storage.encodings import EPOCH_SUFFIX
from tablebase.core.storage.format import (
    CHECKSUM,
    ValueDigest,
    checksum,
    file_access,
    fixed_attributes,
    has_epoch_data,
    long_attributes,
    split_codes,
)
from tablebase.core.storage.order import chunks_at_once, gather_chunks, slot_order
from tablebase.core.storage.reading import TableFile, open_table
from tablebase.core.tables.census import Census, take_census
from tablebase.core.tables.table import Table, stored_sides

# Chunks are small, so that single positions are found fast even if little of a table is in memory.
# `docs/format.md` has what the other levels take.
CHUNK_SIZE = 1 << 16
COMPRESSION_LEVEL = 5

# Writes codes in chunks of a size, and returns the attributes that are known then.
WriteCodes = Callable[[h5py.File, int], Mapping[str, str | int]]


def write_table(
    table: Table,
    path: str | os.PathLike[str],
    *,
    census: Census | None = None,
    legal: NDArray[np.uint64] | None = None,
    subtables: Mapping[str, str] | None = None,
    threads: int | None = None,
    report: Callable[[], None] | None = None,
) -> str:
    """Write a table to a file, complete as soon as it has its name; return its values' SHA-256.

    A file that holds the same stays, and so do other sound metrics of one that exists. `census` and
    `legal` (of `index.find_legal`) are found if not given; what `report` raises stops the work.
    """
    target = Path(path)
    if legal is None:
        legal = find_legal(table.index, threads=threads)
    census = census or take_census(table, threads=threads)
    described = describe(table, census, subtables or {})

    def write_codes(file: h5py.File, chunk_size: int) -> dict[str, str]:
        digest = _write_codes(file, table, legal, chunk_size, threads, report)
        return {f"{table.metric.prefix}sha256": digest}

    return replace_file(target, table, described, write_codes)


def describe(table: Table, census: Census, subtables: Mapping[str, str]) -> dict[str, str | int]:
    """Return the attributes of a table's metric, the digest not filled in."""
    counted = census.as_dict()
    described = {
        "counts": json.dumps(counted, separators=(",", ":")),
        "sha256": "0" * 64,
        "subtables": json.dumps(dict(sorted(subtables.items()))),
    }
    if table.metric in METRICS:
        longest = {side: counts["longest_win"] for side, counts in counted.items()}
        described["longest_wins"] = json.dumps(longest)
    if table.metric.outcomes is None:
        used = [outcomes[: np.count_nonzero(outcomes)].tolist() for outcomes in table.outcomes]
        described["outcomes"] = json.dumps(dict(zip(SIDES, used, strict=True)))
    return {f"{table.metric.prefix}{name}": value for name, value in described.items()}


def _write_codes(
    file: h5py.File,
    table: Table,
    legal: NDArray[np.uint64],
    chunk_size: int,
    threads: int | None,
    report: Callable[[], None] | None,
) -> str:
    """Write the values of all sides to move to be stored, and return their SHA-256."""
    digest = ValueDigest(table.metric, table.outcomes, table.material.rules)
    order, size = slot_order(table.material), table.index.size
    sides = stored_sides(table.material)
    parts = [table.metric.name]
    if is_long(table):
        parts.append(f"{table.metric}{EPOCH_SUFFIX}")
    datasets = {
        color: [create_codes(file, color, part, size, chunk_size) for part in parts]
        for color in sides
    }

    def packed_chunks(start: tuple[Color, int]) -> tuple[NDArray[Any], list[list[bytes]]]:
        color, slot = start
        slots = range(slot, min(slot + window, size))
        (codes,) = gather_chunks(order, slots, chunk_size, [table.codes[color]], legal[color])
        parts = split_codes(codes)
        return codes, [
            [
                pack(part[first : first + chunk_size], chunk_size, COMPRESSION_LEVEL)
                for part in parts
            ]
            for first in range(0, len(slots), chunk_size)
        ]

    # One sequence for all sides, so that no thread waits for the last chunk of one.
    window = chunk_size * chunks_at_once(-(-size // chunk_size), threads)
    starts = [(color, slot) for color in sides for slot in range(0, size, window)]
    for (color, slot), (codes, chunks) in zip(
        starts, map_on_threads(packed_chunks, starts, threads, ahead=1), strict=True
    ):
        digest.update(codes)
        for number, chunk in enumerate(chunks):
            if report is not None:
                report()
            for dataset, data in zip(datasets[color], chunk, strict=True):
                write_packed(dataset, slot + number * chunk_size, data)
    return digest.hexdigest()


def is_long(table: Table) -> bool:
    """Return whether codes have two bytes, see `tablebase.core.outcomes.codes`."""
    return table.white.itemsize > 1


def create_codes(
    file: h5py.File, color: Color, part: str, size: int, chunk_size: int
) -> h5py.h5d.DatasetID:
    """Return a new, empty data set for the codes of one side to move, or their epochs."""
    return create_dataset(file, SIDES[color], part, size, chunk_size)


def create_dataset(
    file: h5py.File, group_name: str, part: str, size: int, chunk_size: int
) -> h5py.h5d.DatasetID:
    """Return a new, empty data set of bytes in compressed chunks."""
    group = file.require_group(group_name)
    properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    properties.set_chunk((chunk_size,))
    properties.set_deflate(COMPRESSION_LEVEL)
    properties.set_fletcher32()
    properties.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
    properties.set_obj_track_times(False)
    space = h5py.h5s.create_simple((size,))
    return h5py.h5d.create(group.id, part.encode(), h5py.h5t.STD_U8LE, space, properties)


def replace_file(
    target: Path, table: Table, described: Mapping[str, str | int], write_codes: WriteCodes
) -> str:
    """Write a table's file unless it is there, and return the SHA-256 of its values.

    `described` are the attributes known beforehand, see `describe`; `write_codes` writes the codes
    to a file, in chunks of a size that it gets, and returns the others.
    """
    metric = table.metric
    with _naming(target), partial_file(target) as (partial, file):
        with _open_if_sound(target) as old:
            attributes = _write_file(partial, table, described, old, write_codes)
        with sole_writer(target):  # until the file has its name
            with _open_if_sound(target) as there:
                has_more = there is not None and _lacks(attributes, there, table)
                if there is not None and has_more:
                    _merge(target, table, partial, there)
                is_done = has_more or _says_the_same(there, attributes, metric)
            if not is_done:  # after the old file is closed, since Windows replaces no open one
                give_name(partial, file, target)
    return str(attributes[f"{metric.prefix}sha256"])


@contextmanager
def _open_if_sound(path: Path) -> Iterator[TableFile | None]:
    """Open the table file of a name; None if there is none, or no complete table.

    What the system refuses is passed on: it says nothing about the file, which may hold a metric.
    """
    try:
        file = open_table(path)
    except (MissingTableError, CorruptTableError):
        yield None
        return
    with file:
        try:
            file.check()
        except CorruptTableError:
            is_sound = False
        else:
            is_sound = True
        yield file if is_sound else None


def _write_file(
    path: Path,
    table: Table,
    described: Mapping[str, str | int],
    old: TableFile | None,
    write_codes: WriteCodes,
) -> dict[str, str | int]:
    """Fill a new file and return its attributes; what else `old` holds is copied from there."""
    kept = [] if old is None else _kept_metrics(old, table)
    chunk_size = min(CHUNK_SIZE, table.index.size)
    metrics = [metric for metric in DISTANCES if metric in kept or metric == table.metric]
    if metrics[0] not in METRICS:
        raise TablebaseError(f"{path}: helpmates go into a file that has distances to mate")
    long = is_long(table) or (old is not None and any(len(old.parts(one)) > 1 for one in kept))
    attributes = {**fixed_attributes(table.material, metrics, long=long), **described}
    if table.material.rules.mark:
        attributes["rules_name"] = table.material.rules.name
    if old is not None and kept:
        attributes |= _kept_attributes(old, kept)
    attributes["generator_version"] = __version__
    attributes["created"] = datetime.now(UTC).isoformat(timespec="seconds")
    attributes[CHECKSUM] = checksum(attributes)
    with create_file(path) as file:
        # First, so that they lie together; the digest, at least, is known last.
        write_attributes(file, attributes)
        stated = dict(attributes)
        for metric in metrics:
            if metric == table.metric:
                attributes |= write_codes(file, chunk_size)
            elif old is not None:
                _copy_codes(file, old, metric, chunk_size)
        attributes[CHECKSUM] = checksum(attributes)
        changed = sorted(attributes.items() - stated.items())
        write_attributes(file, dict(changed))
    return attributes


def _kept_metrics(old: TableFile, table: Table) -> list[Metric]:
    """Return the sound metrics of a file, which stay beside a table's."""
    if old.material != table.material:
        return []
    kept = []
    for metric in old.distances:
        if metric == table.metric:
            continue
        with suppress(CorruptTableError):
            for color in stored_sides(old.material):
                for part in old.parts(metric):
                    for _ in old.chunks.stored(color, part):
                        pass
            kept.append(metric)
    return kept


def _kept_attributes(old: TableFile, kept: Sequence[Metric]) -> dict[str, str | int]:
    """Return the attributes of some metrics of a file as they are stored."""
    stored = old.stored_attributes()
    names = {
        f"{metric.prefix}{name}": stored.get(f"{metric.prefix}{name}")
        for metric in kept
        for name in ("counts", "longest_wins", "sha256", "subtables", "outcomes")
    }
    return {name: value for name, value in names.items() if value is not None}


def create_file(path: Path) -> h5py.File:
    """Return an emptied file whose metadata is all checksummed: attributes stay in the header."""
    creation = h5py.h5p.create(h5py.h5p.FILE_CREATE)
    creation.set_attr_phase_change(64, 0)
    flags = h5py.h5f.ACC_TRUNC  # `partial_file` made it
    return h5py.File(h5py.h5f.create(os.fsencode(path), flags, creation, file_access()))


def write_attributes(file: h5py.File, attributes: Mapping[str, str | int]) -> None:
    """Write attributes of the root, in place where they exist and the size allows it."""
    for name, value in attributes.items():
        data = value if isinstance(value, int) else value.encode()
        # Of fixed length: text of any length would lie in a heap without checksum.
        dtype = h5py.string_dtype("utf-8", len(data)) if isinstance(data, bytes) else np.int64
        if name in file.attrs and file.attrs.get_id(name).dtype == dtype:
            file.attrs.modify(name, data)
        else:
            file.attrs.create(name, data, dtype=dtype)


def _copy_codes(file: h5py.File, old: TableFile, metric: Metric, chunk_size: int) -> None:
    """Copy the values of a metric from another file, byte for byte."""
    for color in stored_sides(old.material):
        for i, part in enumerate(old.parts(metric)):
            dataset = create_codes(file, color, part, old.size, chunk_size)
            if old.chunk_size == chunk_size:
                packed = old.chunks.stored(color, part)
            else:
                chunks = [old.chunk(color, number, metric) for number in range(old.chunk_count)]
                codes = split_codes(np.concatenate(chunks))[i]
                packed = (
                    pack(codes[slot : slot + chunk_size], chunk_size, COMPRESSION_LEVEL)
                    for slot in range(0, old.size, chunk_size)
                )
            for number, data in enumerate(packed):
                write_packed(dataset, number * chunk_size, data)


def _lacks(attributes: Mapping[str, str | int], there: TableFile, table: Table) -> bool:
    """Return whether a file has got another metric than a table's since it was read."""
    return there.material == table.material and any(
        attributes.get(f"{metric.prefix}sha256") != there.sha256_of(metric)
        for metric in there.distances
        if metric != table.metric
    )


def _merge(target: Path, table: Table, new: Path, there: TableFile) -> None:
    """Replace a file by what was written of a table and what else is there now."""
    metric = table.metric
    with partial_file(target) as (merged, file), open_table(new) as own:
        described = _kept_attributes(own, [metric])
        if has_epoch_data(own.version, metric):
            described |= long_attributes(table.material, metric)

        def copy(file: h5py.File, chunk_size: int) -> dict[str, str | int]:
            _copy_codes(file, own, metric, chunk_size)
            return {}

        attributes = _write_file(merged, table, described, there, copy)
        if not _says_the_same(there, attributes, metric):
            give_name(merged, file, target)


def _says_the_same(
    file: TableFile | None, attributes: Mapping[str, str | int], metric: Metric
) -> bool:
    """Return whether a sound file differs at most in when and by which version it was made."""
    if file is None:
        return False
    try:
        for name in attributes.keys() - {"created", "generator_version", CHECKSUM}:
            value = attributes[name]
            stated = file.attributes[name]
            if stated != (value if isinstance(stated, str | int) else json.loads(str(value))):
                return False
        file.read_sides((), metric=metric, check=True)
    except (TablebaseError, OSError, KeyError):
        return False
    return True
