"""Files, attributes and data sets of HDF5, each checked before anything relies on it.

A `ValueError` names the flaw; `damage.naming_damage` adds the file.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from h5py._objects import phil

from tablebase.core.storage.chunks import MAX_CHUNK_SIZE
from tablebase.core.storage.damage import require

MAX_ATTRIBUTE_SIZE = 1 << 16
_OF_LOCKS = re.compile("unable to lock file|file locking.* match")


def open_to_read(path: Path) -> Any:
    """Open a file with HDF5's own options, so that other parts of a program may have it open too.

    Where there are no locks it is opened without: files that have their name never change.
    """
    try:
        return h5py.h5f.open(os.fsencode(path), h5py.h5f.ACC_RDONLY)
    except OSError as error:  # `BlockingIOError`: another program changes it after all
        if isinstance(error, BlockingIOError) or not _OF_LOCKS.search(str(error)):
            raise
    access = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    access.set_file_locking(False, True)  # noqa: FBT003 (use locks; ignore where they are off)
    return h5py.h5f.open(os.fsencode(path), h5py.h5f.ACC_RDONLY, access)


def find_attribute(file: Any, name: str) -> str | int | None:
    """Return an attribute of the root, None if there is none."""
    return read_attribute(file, name) if h5py.h5a.exists(file, name.encode()) else None


def read_attribute(file: Any, name: str) -> str | int:
    """Return an attribute of the root: a short text or an integer."""
    attribute = h5py.h5a.open(file, name.encode())
    kind = attribute.get_type()
    size = kind.get_size()
    require(attribute.shape == () and size <= MAX_ATTRIBUTE_SIZE, f"attribute {name} is too long")
    if kind.get_class() == h5py.h5t.STRING and not kind.is_variable_str():
        text = np.empty((), dtype=f"S{size}")
        attribute.read(text, mtype=kind)
        return bytes(text[()]).decode()
    require(kind.get_class() == h5py.h5t.INTEGER, f"attribute {name} is of another type")
    number = np.empty((), dtype=np.int64)
    attribute.read(number)
    return int(number)


def all_attributes(file: Any) -> dict[str, str | int]:
    """Return all attributes of the root by name."""
    names = (
        h5py.h5a.open(file, index=number).name.decode()
        for number in range(h5py.h5a.get_num_attrs(file))
    )
    return {name: read_attribute(file, name) for name in names}


def open_dataset(file: Any, group_name: str, name: str, size: int) -> Any:
    """Return a data set of bytes in compressed chunks that lie in the file itself."""
    hard = h5py.h5l.TYPE_HARD
    group_link = file.links.get_info(group_name.encode())
    require(group_link.type == hard, "a group lies elsewhere")
    group = h5py.h5g.open(file, group_name.encode())
    require(group.links.get_info(name.encode()).type == hard, "the values lie elsewhere")
    dataset = h5py.h5d.open(group, name.encode())
    properties = dataset.get_create_plist()
    require(dataset.shape == (size,), f"there are {dataset.shape} values, not {size}")
    require(dataset.dtype == np.dtype(np.uint8), f"values are of type {dataset.dtype}")
    require(properties.get_layout() == h5py.h5d.CHUNKED, "values are not stored in chunks")
    require(properties.get_external_count() == 0, "values lie in another file")
    chunk_size, most = chunk_size_of(dataset), min(MAX_CHUNK_SIZE, size)
    require(0 < chunk_size <= most, f"chunks have {chunk_size} values, not 1 to {most}")
    filters = [properties.get_filter(i)[0] for i in range(properties.get_nfilters())]
    require(
        filters == [h5py.h5z.FILTER_DEFLATE, h5py.h5z.FILTER_FLETCHER32],
        f"filters are {filters}",
    )
    return dataset


def chunk_size_of(dataset: Any) -> int:
    """Return the number of codes in a chunk of a data set."""
    return int(dataset.get_create_plist().get_chunk()[0])


def read_packed(dataset: Any, first: int) -> bytes:
    """Return the chunk that begins at a slot, as it is stored.

    Threads take turns: h5py forgot its lock for whole chunks until its change 2764, of 2025.
    """
    with phil:
        packed: bytes = dataset.read_direct_chunk((first,))[1]
    return packed


def write_packed(dataset: Any, first: int, packed: bytes) -> None:
    """Write the chunk that begins at a slot, as it is stored, see `read_packed`."""
    with phil:
        dataset.write_direct_chunk((first,), packed)
