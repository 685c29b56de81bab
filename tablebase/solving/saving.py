"""What was solved, kept in a file: to be probed, checked, and gone on from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tablebase.solving.planes import WORDS
from tablebase.solving.region import CLOSED, EXACT, FEW, LIMIT, NONE, OPEN, SETS, TOP, TURNS
from tablebase.storage import FROM_TABLE, PASSING, RegionFile, RegionHeader, write_region

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from tablebase.solving.region import Region

# A gap that is not known: whatever comes out when such a structure is solved again is a change.
_UNKNOWN_GAP = 1 << 60
_PART = 1 << 20  # words that are read at once


def save_region(
    path: Path, region: Region, fen: str, tables: tuple[str, ...], threads: int
) -> None:
    """Write all that is solved into a file, which is complete or absent."""
    fields, count = region.fields, region.count
    solved = np.flatnonzero(fields.state[:count] != CLOSED)
    solved = solved[np.lexsort(fields.keys[solved].T[::-1])]
    states = fields.state[solved].copy()
    states[fields.stale[solved] >= 0] |= PASSING
    states[fields.gap[solved] == NONE] |= FROM_TABLE
    few = bool(fields.numbers[FEW])
    header = RegionHeader(fen, few, tables, fields.keys[solved].copy(), states)

    def words() -> Iterator[NDArray[np.uint64]]:
        for structure in solved.tolist():
            size = WORDS << (6 * int(fields.pieces[structure]))
            places = [(fields.lower[structure], SETS)]
            if fields.state[structure] == OPEN:
                places.append((fields.upper[structure], SETS))
            if fields.stale[structure] >= 0:
                places.append((fields.stale[structure], TURNS))
            for place, sets in places:
                yield fields.arena[place : place + sets * size]

    write_region(path, header, words(), threads)


def load_region(file: RegionFile, region: Region) -> NDArray[np.int64]:
    """Enter what a file holds into an empty region; return the structures.

    Raises
    ------
    MemoryError
        If the region has no memory for it.
    CorruptTableError
        If the file is damaged.
    """
    starts, top = file.starts, int(region.fields.numbers[TOP])
    total = int(starts[-1])
    if top + total > region.fields.numbers[LIMIT]:
        raise MemoryError
    for first in range(0, total, _PART):
        last = min(first + _PART, total)
        region.fields.arena[top + first : top + last] = file.words(first, last)
    region.fields.numbers[TOP] = top + total
    keys, states = file.header.keys, file.header.states
    numbers = np.array([region.number_of(*map(int, key)) for key in keys], dtype=np.int64)
    fields = region.fields
    sizes = WORDS * file.header.planes
    is_open = states & OPEN != 0
    fields.state[numbers] = np.where(is_open, OPEN, EXACT)
    fields.lower[numbers] = top + starts[:-1]
    fields.upper[numbers] = top + starts[:-1] + np.where(is_open, SETS * sizes, 0)
    fields.stale[numbers] = np.where(states & PASSING, top + starts[1:] - TURNS * sizes, NONE)
    given = np.where(states & FROM_TABLE, NONE, 0)
    fields.gap[numbers] = np.where(is_open, _UNKNOWN_GAP, given)
    return numbers
