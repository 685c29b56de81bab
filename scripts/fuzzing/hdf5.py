"""HDF5 files changed so that the library notices nothing: every checksum is made right again."""

from __future__ import annotations

import io
import random
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import h5py
import numpy as np
from fuzzing.mutations import change_text

_SIGNATURES = re.compile(rb"\x89HDF\r\n\x1a\n|OHDR|OCHK|FAHD|FADB|EAHD|EAIB|EASB|EADB|BTHD|BTLF")
_LONGEST_BLOCK = 1 << 9  # of those whose length is found by trying
_HAS_TIMES = 0x20
_MASK = 0xFFFFFFFF

# How some may be rewritten, by a file that is open.
Edit = Callable[[random.Random, h5py.File], None]


def change_metadata(rng: random.Random, data: bytes) -> bytes:
    """Return a file with a few bytes of its metadata changed, and the checksum made right."""
    start, end = rng.choice(sealed_blocks(data))
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 4))):
        place = rng.randrange(start + 4, end)
        changed[place] = rng.choice((0, 1, 255, changed[place] ^ 1 << rng.randrange(8)))
    seal(changed, start, end)
    return bytes(changed)


@lru_cache(maxsize=16)
def sealed_blocks(data: bytes) -> list[tuple[int, int]]:
    """Return start and end of all blocks of metadata that a checksum of four bytes follows."""
    found = []
    for match in _SIGNATURES.finditer(data):
        start = match.start()
        for end in _possible_ends(data, start):
            if data[end : end + 4] == lookup3(data[start:end]).to_bytes(4, "little"):
                found.append((start, end))
                break
    return found


def _possible_ends(data: bytes, start: int) -> range:
    """Return where a block may end."""
    if data.startswith(b"OHDR", start):
        flags = data[start + 5]
        place = start + 6 + (16 if flags & _HAS_TIMES else 0) + (4 if flags & 0x10 else 0)
        width = 1 << (flags & 3)
        end = place + width + int.from_bytes(data[place : place + width], "little")
        return range(end, end + 1)
    return range(start + 8, min(start + _LONGEST_BLOCK, len(data) - 3))


def lookup3(data: bytes) -> int:
    """Return Jenkins's checksum, by which HDF5 guards its metadata."""

    def rotated(word: int, bits: int) -> int:
        return (word << bits | word >> (32 - bits)) & _MASK

    a = b = c = (0xDEADBEEF + len(data)) & _MASK
    padded = data + bytes(-len(data) % 12)
    words = np.frombuffer(padded, dtype="<u4").tolist()
    for i in range(0, len(words) - 3, 3):
        a, b, c = (a + words[i]) & _MASK, (b + words[i + 1]) & _MASK, (c + words[i + 2]) & _MASK
        a = ((a - c) & _MASK) ^ rotated(c, 4)
        c = (c + b) & _MASK
        b = ((b - a) & _MASK) ^ rotated(a, 6)
        a = (a + c) & _MASK
        c = ((c - b) & _MASK) ^ rotated(b, 8)
        b = (b + a) & _MASK
        a = ((a - c) & _MASK) ^ rotated(c, 16)
        c = (c + b) & _MASK
        b = ((b - a) & _MASK) ^ rotated(a, 19)
        a = (a + c) & _MASK
        c = ((c - b) & _MASK) ^ rotated(b, 4)
        b = (b + a) & _MASK
    if not words:
        return c
    a, b, c = ((x + y) & _MASK for x, y in zip((a, b, c), words[-3:], strict=True))
    for bits in (14, 11, 25, 16, 4, 14, 24):
        c = ((c ^ b) - rotated(b, bits)) & _MASK
        a, b, c = b, c, a
    return b


def seal(data: bytearray, start: int, end: int) -> None:
    """Write the right checksum behind a block."""
    data[end : end + 4] = lookup3(bytes(data[start:end])).to_bytes(4, "little")


def rewrite(rng: random.Random, data: bytes, edit: Edit) -> bytes:
    """Return a file that the HDF5 library has changed."""
    content = io.BytesIO(data)
    with h5py.File(content, "r+") as file:
        edit(rng, file)
    return undated(content.getvalue())


def undated(data: bytes) -> bytes:
    """Return a file without the times at which its groups were made."""
    changed = bytearray(data)
    for start, end in sealed_blocks(data):
        if data.startswith(b"OHDR", start) and data[start + 5] & _HAS_TIMES:
            changed[start + 6 : start + 22] = bytes(16)
            seal(changed, start, end)
    return bytes(changed)


def edit_attribute(rng: random.Random, file: h5py.File) -> None:
    """Change an attribute of the root, or remove it."""
    names = sorted(file.attrs)
    name = rng.choice(names)
    value = file.attrs[name]
    if rng.random() < 0.05:
        del file.attrs[name]
    elif rng.random() < 0.05:
        file.attrs.create(
            name, rng.choice((-1.5, [1, 2], "long" * 9, file.attrs[rng.choice(names)]))
        )
    elif isinstance(value, bytes):
        file.attrs.create(name, np.bytes_(change_text(rng, value) or b" "))
    else:
        new = rng.choice((0, -1, int(value) + 1, 1 << rng.randrange(63), rng.randrange(1 << 20)))
        file.attrs.create(name, np.int64(new))


def edit_layout(rng: random.Random, file: h5py.File) -> None:
    """Write a data set anew, with the same values in another way."""
    name = rng.choice(data_sets(file))
    values = file[name][:]
    options: dict[str, Any] = {
        "data": values,
        "chunks": (file[name].chunks[0],),
        "compression": "gzip",
        "fletcher32": True,
    }
    size = len(values)
    changes: tuple[dict[str, Any], ...] = (
        {"chunks": (max(1, size // rng.randrange(1, 20)),)},
        {"chunks": None, "compression": None, "fletcher32": False},
        {"compression": None},
        {"fletcher32": False},
        {"shuffle": True},
        {"data": values[: rng.randrange(1, size + 1)], "chunks": True},
        {"data": np.concatenate([values, values]), "chunks": True},
        {"data": values.astype("u2")},
        {"data": values.astype("i1")},
        {"maxshape": (None,)},
        {"data": None, "shape": (rng.choice((size, 1 << 33, 1 << 50)),), "dtype": "u1"},
    )
    options |= rng.choice(changes)
    del file[name]
    links = (h5py.SoftLink("/"), h5py.ExternalLink("other.h5", name), None)
    if rng.random() < 0.2:
        link = rng.choice(links)
        if link is not None:
            file[name] = link
        return
    file.create_dataset(name, **options)


def data_sets(file: h5py.File) -> list[str]:
    """Return the names of all data sets, in order."""
    found: list[str] = []
    file.visititems(lambda name, one: found.append(name) if isinstance(one, h5py.Dataset) else None)
    return sorted(found)


def edit_chunk(rng: random.Random, file: h5py.File) -> None:
    """Damage a compressed chunk and make its checksum right, or say that a filter was left out."""
    from tablebase.core.storage.chunks import fletcher32

    dataset = file[rng.choice(data_sets(file))].id
    info = dataset.get_chunk_info(rng.randrange(dataset.get_num_chunks()))
    mask, stored = dataset.read_direct_chunk(info.chunk_offset)
    content = bytearray(stored[:-4])
    kind = rng.randrange(4)
    if kind == 0:
        mask = rng.choice((1, 2, 3, 1 << 31))
    elif kind == 1:
        content = content[: rng.randrange(len(content))]
    elif kind == 2:
        content += rng.randbytes(rng.choice((1, 100, 100_000)))
    else:
        for _ in range(rng.choice((1, 3))):
            content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    sealed = bytes(content) + fletcher32(bytes(content)).to_bytes(4, "little")
    dataset.write_direct_chunk(info.chunk_offset, sealed, mask)


def edit_values(rng: random.Random, file: h5py.File) -> None:
    """Change some values; their chunks get right checksums."""
    dataset = file[rng.choice(data_sets(file))]
    values = dataset[:]
    for _ in range(rng.choice((1, 3, 30))):
        place = rng.randrange(len(values))
        values[place] = rng.choice((0, 255, values[place] ^ 1 << rng.randrange(8)))
    kind = rng.randrange(4)
    if kind == 0:
        start, size = rng.randrange(len(values)), rng.randrange(len(values))
        values[start : start + size] = rng.choice((0, 255))
    elif kind == 1:  # exchange two runs
        size = rng.choice((1, 8, 24, 512))
        one, other = (rng.randrange(max(1, len(values) - size)) for _ in range(2))
        kept = values[one : one + size].copy()
        values[one : one + size], values[other : other + size] = values[other : other + size], kept
    dataset[:] = values
