"""What was solved, kept in a file: to be probed, checked, and gone on from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tablebase.errors import CorruptTableError
from tablebase.solving.attractor import make_work
from tablebase.solving.planes import MAX_SQUARES
from tablebase.solving.region import CLOSED, EXACT, FEW, LIMIT, NONE, OPEN, TOP, Region
from tablebase.solving.rows import write_unknown
from tablebase.solving.structures import expand
from tablebase.storage import (
    FROM_TABLE,
    NOT_ASKED,
    PASSING,
    RegionFile,
    RegionHeader,
    write_region,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray


# A gap that is not known: whatever comes out when such a structure is solved again is a change.
_UNKNOWN_GAP = 1 << 60
_PART = 1 << 20  # words that are read at once


def save_region(
    path: Path, region: Region, fen: str, tables: tuple[str, ...], threads: int
) -> None:
    """Write all that is solved into a file, which is complete or absent."""
    fields, count = region.fields, region.count
    solved = np.flatnonzero((fields.state[:count] != CLOSED).any(axis=1))
    solved = solved[np.lexsort(fields.keys[solved].T[::-1])]
    is_exact = (fields.state[solved] == EXACT).all(axis=1)
    states = np.where(is_exact, EXACT, OPEN).astype(np.uint8)
    states[fields.stale[solved] >= 0] |= PASSING
    states[fields.gap[solved, 0] == NONE] |= FROM_TABLE
    for attacker in range(2):
        states[fields.state[solved, attacker] == CLOSED] |= NOT_ASKED << attacker
    few = bool(fields.numbers[FEW])
    header = RegionHeader(fen, few, tables, fields.keys[solved].copy(), states)

    def words() -> Iterator[NDArray[np.uint64]]:
        for structure, exact in zip(solved.tolist(), is_exact, strict=True):
            bounds = [_bounds(region, structure, attacker) for attacker in range(2)]
            for bound in range(1 if exact else 2):
                yield from (both[bound] for both in bounds)
            if fields.stale[structure] >= 0:
                yield _sets(region, structure, int(fields.stale[structure]))

    write_region(path, header, words(), threads)


def _sets(region: Region, structure: int, place: int) -> NDArray[np.uint64]:
    """Return what lies in memory by side to move."""
    return region.fields.arena[place : place + region.words_of(structure)]


def _bounds(region: Region, structure: int, attacker: int) -> list[NDArray[np.uint64]]:
    """Return both bounds of an attacker, which say nothing where it was not asked for."""
    fields = region.fields
    if fields.state[structure, attacker] == CLOSED:
        return unknown_bounds(region, structure, attacker)
    places = fields.lower[structure, attacker], fields.upper[structure, attacker]
    return [_sets(region, structure, int(place)) for place in places]


def unknown_bounds(region: Region, structure: int, attacker: int) -> list[NDArray[np.uint64]]:
    """Return both bounds of an attacker as they are where they say nothing."""
    sets = np.empty((2, region.words_of(structure)), dtype=np.uint64)
    codes, squares = np.zeros((2, MAX_SQUARES), dtype=np.int64)
    write_unknown(region.record, structure, attacker, codes, squares, sets.ravel())
    return list(sets)


def load_region(file: RegionFile, region: Region) -> NDArray[np.int64]:
    """Enter what a file holds into an empty region; return the structures.

    Raises
    ------
    MemoryError
        If the region has no memory for it.
    CorruptTableError
        If the file is damaged.
    """
    keys, starts = file.header.keys, file.starts
    numbers = np.array([region.number_of(*map(int, key)) for key in keys], dtype=np.int64)
    first = 0
    while first < len(numbers):
        # As many structures as are read at once, but at least one.
        last = max(first + 1, int(np.searchsorted(starts, starts[first] + _PART, side="right")) - 1)
        words = file.words(int(starts[first]), int(starts[last]))
        for i in range(first, last):
            own = words[starts[i] - starts[first] : starts[i + 1] - starts[first]]
            _enter(region, int(numbers[i]), file, i, own)
        first = last
    return numbers


def load_neighbours(file: RegionFile, number: int, most: int) -> Region | None:
    """Return a region of the structures that moves out of one lead to, as far as a file has them.

    That one is the first, closed itself. None if they have more than `most` bytes.

    Raises
    ------
    CorruptTableError
        If the file is damaged.
    """

    def around(room: int) -> Region:
        region = Region(np.empty(room, dtype=np.uint64), few=file.header.few)
        region.number_of(*map(int, file.header.keys[number]))
        expand(region.record, make_work(1), np.zeros(1, dtype=np.int64), 0, 1)
        return region

    region = around(0)
    keys = region.fields.keys[1 : region.count]
    places = [(i, file.find(*map(int, key))) for i, key in enumerate(keys, 1)]
    found = [(i, at, file.starts[at : at + 2]) for i, at in places if at is not None]
    size = int(sum(end - start for *_, (start, end) in found))
    if 8 * size > most:
        return None
    region = around(size)
    for i, at, (start, end) in found:
        _enter(region, i, file, at, file.words(int(start), int(end)))
    return region


def _enter(
    region: Region, structure: int, file: RegionFile, number: int, words: NDArray[np.uint64]
) -> None:
    """Enter a structure as it was written."""
    fields, state = region.fields, int(file.header.states[number])
    sets = words.reshape(-1, region.words_of(structure))
    asked = [attacker for attacker in range(2) if not state & NOT_ASKED << attacker]
    above = 2 if state & OPEN else 0
    both_win = len(asked) == 2 and (sets[0] & sets[1]).any()
    if both_win or any((sets[one] & ~sets[one + above]).any() for one in asked):
        raise CorruptTableError(f"{file.path} is damaged: bounds contradict each other")

    def place(one: NDArray[np.uint64]) -> int:
        top = int(fields.numbers[TOP])
        if top + len(one) > fields.numbers[LIMIT]:
            raise MemoryError
        fields.arena[top : top + len(one)] = one
        fields.numbers[TOP] = top + len(one)
        return top

    for attacker in asked:
        here = structure, attacker
        lower, upper = sets[attacker], sets[attacker + above]
        fields.lower[here] = fields.upper[here] = place(lower)
        fields.state[here], fields.gap[here] = EXACT, NONE if state & FROM_TABLE else 0
        if not np.array_equal(lower, upper):
            fields.upper[here] = place(upper)
            fields.state[here], fields.gap[here] = OPEN, _UNKNOWN_GAP
    if state & PASSING:
        fields.stale[structure] = place(sets[-1])
