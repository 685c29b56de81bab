"""Solved tables into files."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from tablebase import __version__
from tablebase.atomic import complete_or_absent
from tablebase.census import SIDES, Census, take_census
from tablebase.chunks import map_ahead, pack
from tablebase.filling import fill
from tablebase.format import fixed_attributes
from tablebase.geometry import Color
from tablebase.legality import is_legal, mark_slots
from tablebase.slots import TO_FILE, slot_order, walk
from tablebase.storage import file_access
from tablebase.table import Table, stored_sides

# Tables that many people will have are worth more time: libdeflate's level 11 takes ten times as
# long as 5 and saves a tenth, large chunks save 1.9 %, filling 4 %. Of large tables, chunks are
# small, so that single positions are found fast even if little of the table is in memory.
LARGE_TABLE_MEN = 5
COMPRESSION_LEVEL, COMPRESSION_LEVEL_OF_LARGE_TABLES = 11, 5
CHUNK_SIZE, CHUNK_SIZE_OF_LARGE_TABLES = 1 << 18, 1 << 16


def _describe(table: Table, census: Census, subtables: Mapping[str, str]) -> dict[str, str | int]:
    """Return the attributes of the root, the digest not filled in."""
    return {
        **fixed_attributes(table.material),
        "counts": json.dumps(census.as_dict(), separators=(",", ":")),
        "longest_wins": json.dumps(
            {side: counts["longest_win"] for side, counts in census.as_dict().items()}
        ),
        "sha256": "0" * 64,
        "subtables": json.dumps(dict(sorted(subtables.items()))),
        "generator_version": __version__,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _write_attributes(file: h5py.File, attributes: Mapping[str, str | int]) -> None:
    for name, value in attributes.items():
        if isinstance(value, int):
            file.attrs.create(name, value, dtype=np.int64)
        else:
            # Of fixed length: text of any length would lie in a heap without checksum.
            text = value.encode()
            file.attrs.create(name, text, dtype=h5py.string_dtype("utf-8", len(text)))


def _create_codes(group: h5py.Group, size: int, chunk_size: int, level: int) -> h5py.Dataset:
    """Return a new, empty data set for the values of one side to move."""
    properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    properties.set_chunk((chunk_size,))
    properties.set_deflate(min(level, 9))  # what a reader may know of levels
    properties.set_fletcher32()
    properties.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
    properties.set_obj_track_times(False)
    space = h5py.h5s.create_simple((size,))
    return h5py.h5d.create(group.id, b"dtm", h5py.h5t.STD_U8LE, space, properties)


def _write_codes(
    file: h5py.File, table: Table, marks: NDArray[np.uint8] | None, digest: Any, threads: int
) -> None:
    """Write the values of all sides to move to be stored, and add them to a digest.

    Slots without a legal position are filled if `marks` tell which they are.
    """
    order, size = slot_order(table.material), table.index.size
    chunk_size, level = CHUNK_SIZE, COMPRESSION_LEVEL
    if marks is None:
        chunk_size, level = CHUNK_SIZE_OF_LARGE_TABLES, COMPRESSION_LEVEL_OF_LARGE_TABLES
    chunk_size = min(chunk_size, size)
    sides = stored_sides(table.material)
    datasets = {
        color: _create_codes(file.create_group(SIDES[color]), size, chunk_size, level)
        for color in sides
    }
    rows = np.ones(size // order.king_pairs, dtype=np.bool_)

    def part(of: NDArray[np.uint8], slot: int) -> NDArray[np.uint8]:
        chunk = np.empty(min(chunk_size, size - slot), dtype=np.uint8)
        walk(order, slot, len(chunk), rows, TO_FILE, of.ctypes.data, chunk.ctypes.data)
        return chunk

    def packed_chunk(place: tuple[Color, int]) -> tuple[NDArray[np.uint8], bytes]:
        color, slot = place
        chunk = part(table.codes[color], slot)
        if marks is not None:
            fill(chunk, is_legal(part(marks, slot), color))
        return chunk, pack(chunk, chunk_size, level)

    # One sequence for all sides, so that no thread waits for the last chunk of one.
    places = [(color, slot) for color in sides for slot in range(0, size, chunk_size)]
    with ThreadPoolExecutor(threads) as pool:
        packed = map_ahead(pool, packed_chunk, iter(places), 4 * threads)
        for (color, slot), (chunk, data) in zip(places, packed, strict=True):
            digest.update(chunk.data)
            datasets[color].write_direct_chunk((slot,), data)


def _create(path: Path) -> h5py.File:
    """Return an emptied file whose metadata is all checksummed: attributes stay in the header."""
    creation = h5py.h5p.create(h5py.h5p.FILE_CREATE)
    creation.set_attr_phase_change(64, 0)
    flags = h5py.h5f.ACC_TRUNC  # `complete_or_absent` made it
    return h5py.File(h5py.h5f.create(os.fsencode(path), flags, creation, file_access()))


def write_table(
    table: Table,
    path: str | os.PathLike[str],
    *,
    census: Census | None = None,
    subtables: Mapping[str, str] | None = None,
    threads: int | None = None,
) -> str:
    """Write a table to a file that is complete as soon as it has its name.

    Parameters
    ----------
    table
        The solved table.
    path
        The file; one that exists is replaced.
    census
        The table's counts, taken now if not given.
    subtables
        The SHA-256 of the values of each sub-table by the name of its material.
    threads
        How many threads to use; by default one for each processor.

    Returns
    -------
    str
        SHA-256 of the stored values.

    Raises
    ------
    OSError
        If the file cannot be written; then nothing is left of it.
    """
    target = Path(path)
    threads = threads or os.cpu_count() or 1
    census = census or take_census(table, threads=threads)
    digest = hashlib.sha256()
    is_large = table.material.piece_count >= LARGE_TABLE_MEN
    marks = None if is_large else mark_slots(table.index, threads=threads)
    try:
        with complete_or_absent(target) as partial, _create(partial) as file:
            # First, so that they lie together; the digest is known last.
            _write_attributes(file, _describe(table, census, subtables or {}))
            _write_codes(file, table, marks, digest, threads)
            file.attrs.modify("sha256", digest.hexdigest().encode())
    except OSError as error:
        if error.errno is None:
            raise
        # HDF5 tells at length about the temporary file.
        raise OSError(error.errno, os.strerror(error.errno), str(target)) from error
    except RuntimeError as error:  # what h5py makes of a disk that is full on closing
        raise OSError(f"{target} could not be written: {error}") from error
    return digest.hexdigest()
