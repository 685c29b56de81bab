"""Files of regions: structures of pawns and pieces, with bounds on the results of all positions.

A *structure* fixes the squares of all pawns and the kinds of pieces, a *plane* one placement of
these: a word for each square of the white king, bits for the black king's. See ``docs/format.md``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import h5py
import numpy as np
from numpy.typing import NDArray

from tablebase._version import __version__
from tablebase.core.ground.capacity import SOLVED_PIECES
from tablebase.core.ground.closing import Closing
from tablebase.core.ground.parallel import map_on_threads
from tablebase.core.rules.material import Material
from tablebase.core.storage.atomic import complete_or_absent, partial_file, remove_leftovers
from tablebase.core.storage.chunks import pack
from tablebase.core.storage.damage import check_regular, naming_damage, naming_refusal, require
from tablebase.core.storage.datasets import (
    chunk_size_of,
    open_dataset,
    open_to_read,
    read_attribute,
    write_packed,
)
from tablebase.core.storage.writing import create_dataset, create_file, write_attributes

REGION_SUFFIX = ".region"
FORMAT, FORMAT_VERSION = "chess-tablebase-region", 1
# States of structures: bounds may differ, or both are the result. Further bits: a double push may
# just have been made there, so that stalemates follow the bounds; a complete table gave the values;
# where White wins was not asked for, so that these bounds say nothing, and (twice the bit) Black.
OPEN, EXACT = 1, 2
EN_PASSANT, FROM_TABLE, NOT_ASKED = 4, 8, 16
_STATES = (
    *(kind | en_passant for kind in (OPEN, EXACT) for en_passant in (0, EN_PASSANT)),
    *(OPEN | ep | NOT_ASKED << attacker for ep in (0, EN_PASSANT) for attacker in range(2)),
    EXACT | FROM_TABLE,
)
# Sets of a bound, each with all planes: by attacker, and by side to move.
SETS = 4
MOST_PAWNS = 8
_WORDS = 64
_PAWN_SQUARES = np.uint64(0x00FF_FFFF_FFFF_FF00)
_FEN = re.compile(r"[1-8KQRBNPkqrbnp/]+ [wb] - (?:-|[a-h][36]) [0-9]+ [0-9]+")
# Deflate makes nothing smaller than by this factor.
_MOST_COMPRESSED = 1032
_PART = 1 << 16  # keys that are read and checked at once
_CHUNK_SIZE = 1 << 17
_LEVEL = 1  # most of it is empty
_GROUP = "region"


class RegionHeader(NamedTuple):
    """The contents of a region."""

    fen: str  # the position for which it was solved
    few: bool  # men promote to queen and knight only, with the rules that keep bounds sound
    tables: tuple[str, ...]  # materials of the complete tables on which it rests
    # [n, 3] white pawns, black pawns, four bits for each kind of piece; in order
    keys: NDArray[np.uint64]
    states: NDArray[np.uint8]  # [n] OPEN or EXACT, with EN_PASSANT, FROM_TABLE and NOT_ASKED

    @property
    def planes(self) -> NDArray[np.int64]:
        """Number of planes of each structure, int64 [n]."""
        planes: NDArray[np.int64] = np.left_shift(1, 6 * _pieces_of(self.keys))
        return planes

    @property
    def exact(self) -> int:
        """Number of structures without a position whose result is open."""
        return int((self.states & EXACT != 0).sum())

    @property
    def starts(self) -> NDArray[np.int64]:
        """The first word of each structure, and the number of all words, int64 [n + 1].

        These are the lower bounds, the upper bounds where they may differ, and stalemates by side
        to move where a double push may just have been made.
        """
        sets = np.where(self.states & OPEN, 2 * SETS, SETS) + np.where(
            self.states & EN_PASSANT, 2, 0
        )
        return np.concatenate([[0], np.cumsum(_WORDS * sets * self.planes)]).astype(np.int64)


class RegionFile(Closing):
    """An open file of a region, with its `header`; a context manager.

    Raises `CorruptTableError` if the file is damaged or not a region.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        check_regular(self.path)
        with naming_damage(self.path):
            self._file = open_to_read(self.path)
        self._bounds: h5py.Dataset | None = None
        try:
            with naming_damage(self.path):
                self.header = self._read_header()
                self.starts = self.header.starts
                self._bounds = self._open("bounds", 8 * int(self.starts[-1]))
        except BaseException:
            self._file.close()
            raise

    def close(self) -> None:
        """Close the file; nothing happens if it is closed."""
        self._bounds = None  # HDF5 keeps files open as long as there are data sets
        if self._file.valid:
            self._file.close()

    def _open(self, name: str, size: int) -> h5py.Dataset:
        require(size <= _MOST_COMPRESSED * self._file.get_filesize(), f"there are too few {name}")
        dataset = open_dataset(self._file, _GROUP, name, size)
        chunks = -(-size // chunk_size_of(dataset))
        require(dataset.get_num_chunks() == chunks, f"some {name} are missing")
        return h5py.Dataset(dataset)

    def _read_header(self) -> RegionHeader:
        file = self._file
        require(read_attribute(file, "format") == FORMAT, "the attribute `format` is another one")
        version = read_attribute(file, "format_version")
        require(version == FORMAT_VERSION, f"format version {version} is not known")
        count = int(read_attribute(file, "structures"))
        # None has less than bounds on the planes of kings alone.
        most = _MOST_COMPRESSED * file.get_filesize() // (8 * SETS * _WORDS)
        require(0 < count <= most, f"there are not {count} structures")
        fen, names = (str(read_attribute(file, name)) for name in ("fen", "tables"))
        require(_FEN.fullmatch(fen), "the attribute `fen` is not a position")
        tables = tuple(name for name in names.split() if name != "-")
        for name in tables:
            Material.from_name(name)
        few = bool(read_attribute(file, "few_promotions"))
        keys = self._read_keys(count)
        states = self._open("states", count)[:]
        require(np.isin(states, _STATES).all(), "a state is unknown")
        return RegionHeader(fen, few, tables, keys, states)

    def _read_keys(self, count: int) -> NDArray[np.uint64]:
        """Return the keys, up to the first that is malformed or out of order."""
        dataset, parts = self._open("keys", 24 * count), [np.empty((0, 3), dtype=np.uint64)]
        for start in range(0, 24 * count, 24 * _PART):
            data = dataset[start : start + 24 * _PART]
            part = data.view("<u8").astype(np.uint64).reshape(-1, 3)
            _check_keys(part)
            in_order = _is_ascending(np.concatenate([parts[-1][-1:], part]))
            require(in_order, "structures are not in order")
            parts.append(part)
        return np.concatenate(parts)

    def find(self, white_pawns: int, black_pawns: int, pieces: int) -> int | None:
        """Return the number of a structure, None if it is not in the file."""
        key = (white_pawns, black_pawns, pieces)
        keys = self.header.keys
        first, last = 0, len(keys)
        while first < last:
            middle = (first + last) // 2
            found = tuple(map(int, keys[middle]))
            if found == key:
                return middle
            first, last = (middle + 1, last) if found < key else (first, middle)
        return None

    def words(self, first: int, last: int) -> NDArray[np.uint64]:
        """Return words of the bounds; `CorruptTableError` if they are damaged."""
        assert self._bounds is not None, "the file is closed"
        with naming_damage(self.path):
            data: NDArray[np.uint8] = self._bounds[8 * first : 8 * last]
        return data.view("<u8").astype(np.uint64)

    def is_won(self, number: int, upper: bool, attacker: int, place: Sequence[int]) -> bool:  # noqa: FBT001
        """Return whether a position is in the bound, `upper` or lower, of an attacker.

        The place is the plane, the side to move, and the squares of the kings.
        """
        if self.header.states[number] & NOT_ASKED << attacker:
            return upper
        plane, turn, white_king, black_king = place
        planes = self._planes(number)
        above = SETS * planes * _WORDS if upper and self.header.states[number] & OPEN else 0
        word = above + ((2 * attacker + turn) * planes + plane) * _WORDS + white_king
        at = int(self.starts[number]) + word
        return bool(int(self.words(at, at + 1)[0]) >> black_king & 1)

    def _planes(self, number: int) -> int:
        pieces = int(self.header.keys[number, 2])
        return 1 << (6 * sum(pieces >> shift & 15 for shift in range(0, 32, 4)))


def _check_keys(keys: NDArray[np.uint64]) -> None:
    """Raise a ValueError if a key is not of a structure."""
    white, black, pieces = keys.T
    require(not ((white | black) & ~_PAWN_SQUARES).any(), "a pawn stands on the first or last rank")
    require(not (white & black).any(), "two pawns stand on one square")
    most = max(np.bitwise_count(pawns).max() for pawns in (white, black))
    require(most <= MOST_PAWNS, "a side has too many pawns")
    require(not (pieces >> np.uint64(32)).any(), "there is an unknown piece")
    require(_pieces_of(keys).max() <= SOLVED_PIECES, "a structure has too many pieces")


def _pieces_of(keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return the number of pieces of structures, int64 [n]."""
    counts = keys[:, 2:] >> np.arange(0, 32, 4, dtype=np.uint64) & np.uint64(15)
    pieces: NDArray[np.int64] = counts.sum(axis=1).astype(np.int64)
    return pieces


def _is_ascending(keys: NDArray[np.uint64]) -> bool:
    """Return whether each key is greater than the key before."""
    before, after = keys[:-1].T, keys[1:].T
    greater = after[2] > before[2]
    for column in (1, 0):
        same = after[column] == before[column]
        greater = (after[column] > before[column]) | (same & greater)
    return bool(greater.all())


def write_region(
    path: Path, header: RegionHeader, words: Iterable[NDArray[np.uint64]], threads: int = 1
) -> None:
    """Write a region, `words` of all structures in parts of any size; it is complete or absent.

    Raises `OSError` if the file cannot be written.
    """
    with naming_refusal(path), complete_or_absent(path) as new:
        _write(new, header, words, threads)


def _write(
    new: Path, header: RegionHeader, words: Iterable[NDArray[np.uint64]], threads: int
) -> None:
    parts: list[tuple[str, int, Iterable[NDArray[Any]]]] = [
        ("keys", 8, [header.keys.ravel()]),
        ("states", 1, [header.states]),
        ("bounds", 8, words),
    ]
    sizes = [24 * len(header.keys), len(header.keys), 8 * int(header.starts[-1])]
    with create_file(new) as file:
        for (name, _, blocks), size in zip(parts, sizes, strict=True):
            chunk_size = min(_CHUNK_SIZE, size)
            dataset = create_dataset(file, _GROUP, name, size, chunk_size)
            compress = partial(pack, chunk_size=chunk_size, level=_LEVEL)
            chunks = _chunks(blocks, chunk_size)
            for number, data in enumerate(map_on_threads(compress, chunks, threads)):
                write_packed(dataset, number * chunk_size, data)
        write_attributes(
            file,
            {
                "format": FORMAT,
                "format_version": FORMAT_VERSION,
                "fen": header.fen,
                "structures": len(header.keys),
                "few_promotions": int(header.few),
                "tables": " ".join(header.tables) or "-",
                "generator_version": __version__,
            },
        )


def _chunks(blocks: Iterable[NDArray[Any]], size: int) -> Iterator[NDArray[np.uint8]]:
    """Yield the bytes of arrays in chunks of one size; the last chunk may be smaller."""
    waiting, count = [np.zeros(0, dtype=np.uint8)], 0
    for block in blocks:
        little = block.astype(block.dtype.newbyteorder("<"), copy=False)
        waiting.append(little.view(np.uint8))
        count += block.nbytes
        if count >= size:
            data = np.concatenate(waiting)
            whole = count // size * size
            yield from data[:whole].reshape(-1, size)
            waiting, count = [data[whole:]], count - whole
    if count:
        yield np.concatenate(waiting)


def prepare_writing(path: Path) -> None:
    """Remove what dead processes left in a folder; `OSError` if the file cannot be written."""
    with naming_refusal(path):
        remove_leftovers(path.parent)
        with partial_file(path):
            pass


def rehearse_writing(
    path: Path, header: RegionHeader, words: Iterable[NDArray[np.uint64]], threads: int = 1
) -> None:
    """Do all that `write_region` does, but for naming the file, and leave nothing of it."""
    with naming_refusal(path), partial_file(path) as (new, file):
        _write(new, header, words, threads)
        os.fsync(file.fileno())
