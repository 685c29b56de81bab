"""Regions in files: to be probed, checked, and resumed."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablebase.core.ground.errors import CorruptTableError
from tablebase.solve.kernels.fields import LOWER, NONE, UPPER, Number, State, make_men, make_work
from tablebase.solve.kernels.king_planes import WORDS
from tablebase.solve.kernels.rows import write_unknown
from tablebase.solve.region import Region
from tablebase.solve.region_file import (
    EN_PASSANT,
    FROM_TABLE,
    NOT_ASKED,
    RegionFile,
    RegionHeader,
    prepare_writing,
    rehearse_writing,
    write_region,
)

# A gap that is not known: whatever comes out when such a structure is solved again is a change.
_UNKNOWN_GAP = 1 << 60
_PART = 1 << 20  # words that are read at once

# To estimate how long saving takes, a sample of the region is written whenever it has doubled:
# about SAMPLE_WORDS words, but at least every RAREST-th structure, and at most every DENSEST-th.
# The time reserved for saving is MARGIN times the estimate.
SAMPLE_WORDS, RAREST, DENSEST, MARGIN = 1 << 17, 16, 4, 1.25


class Saver:
    """Saves the region of a position, and estimates beforehand how long that takes.

    Raises `OSError` if the file cannot be written.
    """

    def __init__(self, path: Path, fen: str) -> None:
        prepare_writing(path)
        self.path, self._fen = path, fen
        self._threads = os.cpu_count() or 1
        self._measured = SAMPLE_WORDS // 4
        self._seconds_a_word = 0.0

    def seconds(self, region: Region) -> float:
        """Return the seconds that saving takes; 0 if there was too little to measure."""
        return self._seconds_a_word * region.words

    def measure(self, region: Region) -> None:
        """Measure how long saving takes, if the region has doubled since that was done."""
        words = region.words
        if words < 2 * self._measured:
            return
        every = min(max(words // SAMPLE_WORDS, DENSEST), RAREST)
        began = time.monotonic()
        with suppress(OSError):  # it is reported when the region is saved
            rehearse_writing(self.path, *_contents(region, self._fen, (), every), self._threads)
        self._measured = words
        self._seconds_a_word = MARGIN * every * (time.monotonic() - began) / words

    def save(self, region: Region, tables: tuple[str, ...]) -> None:
        """Write all that is solved; after an `OSError` the previous file is left."""
        save_region(self.path, region, self._fen, tables, self._threads)


def save_region(
    path: Path, region: Region, fen: str, tables: tuple[str, ...], threads: int
) -> None:
    """Write all that is solved into a file, which is complete or absent."""
    write_region(path, *_contents(region, fen, tables), threads)


def _contents(
    region: Region, fen: str, tables: tuple[str, ...], every: int = 1
) -> tuple[RegionHeader, Iterator[NDArray[np.uint64]]]:
    """Return the header and the words of a region, of every structure or of each `every`-th."""
    fields, count = region.fields, region.count
    solved = np.flatnonzero((fields.state[:count] != State.CLOSED).any(axis=1))[::every]
    solved = solved[np.lexsort(fields.keys[solved].T[::-1])]
    is_exact = (fields.state[solved] == State.EXACT).all(axis=1)
    states = np.where(is_exact, State.EXACT, State.OPEN).astype(np.uint8)
    states[fields.stale[solved] != NONE] |= EN_PASSANT
    states[fields.gap[solved, 0] == NONE] |= FROM_TABLE
    for attacker in range(2):
        states[fields.state[solved, attacker] == State.CLOSED] |= NOT_ASKED << attacker
    few = bool(fields.numbers[Number.FEW])
    header = RegionHeader(fen, few, tables, fields.keys[solved].copy(), states)

    def words() -> Iterator[NDArray[np.uint64]]:
        men = make_men()
        for structure, exact in zip(solved.tolist(), is_exact, strict=True):
            bounds = [_bounds(region, men, structure, attacker) for attacker in range(2)]
            for bound in range(1 if exact else 2):
                yield from (both[bound] for both in bounds)
            if fields.stale[structure] != NONE:
                stale = int(fields.stale[structure])
                yield region.planes(stale, NONE, 0, region.words_of(structure) // WORDS)

    return header, words()


def _bounds(region: Region, men: Any, structure: int, attacker: int) -> list[NDArray[np.uint64]]:
    """Return both bounds of an attacker, which say nothing where they were not asked for."""
    if region.fields.state[structure, attacker] == State.CLOSED:
        return unknown_bounds(region, men, structure, attacker)
    return [region.bound(structure, attacker, bound) for bound in (LOWER, UPPER)]


def unknown_bounds(
    region: Region, men: Any, structure: int, attacker: int
) -> list[NDArray[np.uint64]]:
    """Return both bounds of an attacker as they are where they say nothing; `men` is scratch."""
    sets = np.empty((2, region.words_of(structure)), dtype=np.uint64)
    write_unknown(region.record, men, structure, attacker, sets.ravel())
    return list(sets)


def load_region(
    file: RegionFile, region: Region, check_time: Callable[[], None] = lambda: None
) -> NDArray[np.int64]:
    """Enter what a file holds into an empty region; return the structures.

    What `check_time` raises passes on; `MemoryError` if the region is too small,
    `CorruptTableError` if the file is damaged.
    """
    keys, starts = file.header.keys, file.starts
    numbers = np.array([region.number_of(*map(int, key)) for key in keys], dtype=np.int64)
    first = 0
    while first < len(numbers):
        check_time()
        # As many structures as are read at once, but at least one.
        last = max(first + 1, int(np.searchsorted(starts, starts[first] + _PART, side="right")) - 1)
        words = file.words(int(starts[first]), int(starts[last]))
        for i in range(first, last):
            own = words[starts[i] - starts[first] : starts[i + 1] - starts[first]]
            _enter(region, int(numbers[i]), file, i, own)
        first = last
    return numbers


def _enter(
    region: Region, structure: int, file: RegionFile, number: int, words: NDArray[np.uint64]
) -> None:
    """Enter a structure as it was written."""
    fields, state = region.fields, int(file.header.states[number])
    sets = words.reshape(-1, region.words_of(structure))
    asked = [attacker for attacker in range(2) if not state & NOT_ASKED << attacker]
    above = 2 if state & State.OPEN else 0
    both_win = len(asked) == 2 and (sets[0] & sets[1]).any()
    if both_win or any((sets[one] & ~sets[one + above]).any() for one in asked):
        raise CorruptTableError(f"{file.path} is damaged: bounds contradict each other")

    def store(one: NDArray[np.uint64]) -> int:
        start = region.take(len(one))
        fields.arena[start : start + len(one)] = one
        return start

    for attacker in asked:
        here = structure, attacker
        lower, upper = sets[attacker], sets[attacker + above]
        fields.lower[here] = fields.upper[here] = store(lower)
        fields.state[here], fields.gap[here] = State.EXACT, NONE if state & FROM_TABLE else 0
        if not np.array_equal(lower, upper):
            fields.upper[here] = store(upper)
            fields.state[here], fields.gap[here] = State.OPEN, _UNKNOWN_GAP
    if state & EN_PASSANT:
        fields.stale[structure] = store(sets[-1])


def load_neighbours(file: RegionFile, number: int, most: int) -> Region | None:
    """Return a region of a structure of a file, its first, and of those its moves out lead to.

    None if they have more than `most` bytes; `CorruptTableError` if the file is damaged.
    """

    def around(room: int) -> Region:
        region = Region(np.empty(room, dtype=np.uint64), few=file.header.few)
        region.number_of(*map(int, file.header.keys[number]))
        region.expand(make_work(1), np.zeros(1, dtype=np.int64))
        return region

    region = around(0)
    keys = region.fields.keys[: region.count]
    numbers = [(i, file.find(*map(int, key))) for i, key in enumerate(keys)]
    found = [(i, at, file.starts[at : at + 2]) for i, at in numbers if at is not None]
    size = int(sum(end - start for *_, (start, end) in found))
    if 8 * size > most:
        return None
    region = around(size)
    for i, at, (start, end) in found:
        _enter(region, i, file, at, file.words(int(start), int(end)))
    return region
