"""From our tables to the cells of Syzygy files, and whether what cells hold is right.

Every cell is asked for the position that it stands for, never the other way round: some positions
with all leading men on the diagonal have two cells, and readers may look at either.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tablebase.core.board.geometry import Color
from tablebase.core.index.numbering import MAX_MEN_OF_INDEX, TableIndex, encode_position
from tablebase.core.jit.instructions import work_space
from tablebase.core.jit.kernels import hot_entry
from tablebase.core.jit.records import KernelRecord
from tablebase.core.outcomes.codes import DRAW
from tablebase.core.outcomes.metrics import FIFTY_MOVES, Outcome, wdl50
from tablebase.core.rules.material import Material
from tablebase.export.syzygy_facts import ANY, NO_DISTANCE, SYZYGY_DRAW, SYZYGY_RESULTS, UP_TO
from tablebase.export.syzygy_layout import first_digits, next_digits, squares_of_cell

# Results but draws in the order of a file's lists of distances, as `Wdl50` plus 2.
LISTED = (4, 0, 3, 1)


@dataclass(frozen=True)
class CellSource:
    """The positions with a side to move, from which cells are filled."""

    index: TableIndex
    color: Color
    codes: NDArray[np.uint8]  # of the table, [size]
    outcomes: NDArray[np.int16]  # of the codes, [256], with distances as people count them
    facts: NDArray[np.uint8]  # of `syzygy_facts.find_facts`, [size]

    @property
    def material(self) -> Material:
        """The men."""
        return self.index.material


@dataclass(frozen=True)
class Distances:
    """Results and stored distances of a file by code of our table, shape [256]."""

    results: NDArray[np.int64]
    stored: NDArray[np.int64]

    @classmethod
    def of(cls, outcomes: NDArray[np.int16], *, exact_wins: bool, exact_losses: bool) -> Distances:
        """Return the results and stored distances of codes in a file with some flags."""
        found = outcomes.tolist()
        exact = {4: exact_wins, 0: exact_losses}
        results = [result_of(outcome) for outcome in found]
        stored = [
            stored_distance(outcome, exact=exact.get(result, False))
            for outcome, result in zip(found, results, strict=True)
        ]
        return cls(np.array(results, dtype=np.int64), np.array(stored, dtype=np.int64))


def gather(
    source: CellSource,
    cells: KernelRecord,
    *,
    distances: bool,
    cell_range: range,
) -> NDArray[np.uint8]:
    """Return the facts of cells, below `NO_DISTANCE`, or with `distances` their codes, uint8 [n].

    A code is `DRAW` where any distance will do.
    """
    found = np.empty(len(cell_range), dtype=np.uint8)
    _gather(
        cells, source.index.record, source.facts, source.codes, cell_range.start, distances, found
    )
    return found


@hot_entry
def _gather(cells, tables, facts, codes, first, distances, found):
    """Write what the cells from `first` on must hold to `found` uint8 [n].

    That is a fact of the result, or if `distances` the code, `DRAW` for any distance.
    """
    digits = work_space(MAX_MEN_OF_INDEX, np.int64)
    squares = work_space(MAX_MEN_OF_INDEX, np.uint8)
    squares = squares[: 2 + len(tables.piece_men) + len(tables.pawn_men)]
    squares[:] = 0  # also where a side has no lead
    first_digits(cells, first, digits)
    for i in range(len(found)):
        squares_of_cell(cells, digits, squares)
        next_digits(cells, digits)
        slot = encode_position(tables, squares)
        if distances:
            found[i] = DRAW
            if slot >= 0 and facts[slot] < NO_DISTANCE:
                found[i] = codes[slot]
        else:
            found[i] = ANY if slot < 0 else facts[slot] & (NO_DISTANCE - 1)


def count_values(values: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return the occurrences of each byte, shape [256]; numpy would make a wide copy of them."""
    found = np.zeros(256, dtype=np.int64)
    _count(values, found)
    return found


@hot_entry
def _count(values, found):
    for value in values:
        found[value] += 1


def squares_at(material: Material, cells: KernelRecord, cell: int) -> list[int]:
    """Return the squares of a cell's men in the order of `Material.men`."""
    squares = np.zeros(len(material.men), dtype=np.uint8)
    _squares_at(cells, cell, squares)
    found: list[int] = squares.tolist()
    return found


@hot_entry
def _squares_at(cells, cell, squares):
    digits = work_space(MAX_MEN_OF_INDEX, np.int64)
    first_digits(cells, cell, digits)
    squares_of_cell(cells, digits, squares)


def stored_distance(outcome: int, *, exact: bool) -> int:
    """Return the distance of an outcome, no draw, as files store it.

    One less than the plies to zeroing, or than what they exceed the 50-move rule by; halved unless
    `exact`, and always where the rule makes a draw of it.

    >>> [stored_distance(outcome, exact=True) for outcome in (1, 31, ~0, ~2, 101, 104)]
    [0, 30, 0, 1, 0, 1]
    >>> stored_distance(31, exact=False)
    15
    """
    plies = max(Outcome(outcome).plies, 1)
    if plies > FIFTY_MOVES:
        return (plies - FIFTY_MOVES - 1) // 2
    return plies - 1 if exact else (plies - 1) // 2


def result_of(outcome: int) -> int:
    """Return the result of an outcome as files number them: 0 for a loss to 4 for a win."""
    return SYZYGY_DRAW + wdl50(outcome)


def by_threats(source: CellSource) -> NDArray[np.uint8]:
    """Return the codes of wins that a threat may win: whose answer is a capture, if it is forced.

    Readers find these by themselves, so that files of others may have any distance there.
    """
    forced = not source.material.rules.royal
    plies = (2, FIFTY_MOVES + 2) if forced else ()
    return np.flatnonzero(np.isin(source.outcomes, plies)).astype(np.uint8)


def wrong_results(facts: NDArray[np.uint8], values: NDArray[np.uint16]) -> tuple[int, int, int]:
    """Return the numbers of cells that count and that are wrong, and the first wrong cell."""
    wrong = np.zeros(2, dtype=np.int64)
    first = _wrong_results(facts, values, wrong)
    return int(wrong[0]), int(wrong[1]), first


@hot_entry
def _wrong_results(facts, values, wrong):
    """Count cells by their facts and values; return the first wrong cell."""
    first = np.int64(-1)
    for i in range(len(facts)):
        fact = np.int64(facts[i])
        if fact == ANY:
            continue
        wrong[0] += 1
        good = values[i] == fact if fact < SYZYGY_RESULTS else values[i] <= fact - UP_TO
        if not good:
            wrong[1] += 1
            if first < 0:
                first = np.int64(i)
    return first


def wrong_distances(
    codes: NDArray[np.uint8],
    values: NDArray[np.uint16],
    distances: Distances,
    maps: tuple[NDArray[np.uint16], ...],
) -> tuple[int, int, int]:
    """Compare distances with what they must be; see `wrong_results`."""
    size = max(map(len, maps), default=4096) if maps else 4096
    meanings = np.full((SYZYGY_RESULTS, max(size, 1)), -1, dtype=np.int64)
    if not maps:
        meanings[:] = np.arange(size)
    for result, values_of in zip(LISTED, maps, strict=False):
        meanings[result, : len(values_of)] = values_of
    wrong = np.zeros(2, dtype=np.int64)
    first = _wrong_distances(codes, values, distances.results, meanings, distances.stored, wrong)
    return int(wrong[0]), int(wrong[1]), first


@hot_entry
def _wrong_distances(codes, values, results, meanings, expected, wrong):
    """Count cells by their codes and values; return the first wrong cell.

    `results` and `expected` int64 [256] are the result and the distance to be stored by code,
    `meanings` int64 [5, n] the stored distance by result and value of a cell, -1 for none.
    """
    first = np.int64(-1)
    for i in range(len(codes)):
        code = codes[i]
        if code == DRAW:
            continue
        wrong[0] += 1
        good = False
        if values[i] < meanings.shape[1]:
            good = meanings[results[code], values[i]] == expected[code]
        if not good:
            wrong[1] += 1
            if first < 0:
                first = np.int64(i)
    return first
