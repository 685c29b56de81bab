"""The values of a Gaviota file against the values of our table, cell by cell."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tablebase.core.board.geometry import Color
from tablebase.core.ground.parallel import map_on_threads
from tablebase.core.positions.chess_board import board_of
from tablebase.export.gaviota_blocks import BLOCK_CELLS
from tablebase.export.gaviota_index import Cells
from tablebase.export.gaviota_reading import GaviotaFile, gaviota_material
from tablebase.export.gaviota_values import ILLEGAL, Values, gather, read_values, value_in_words
from tablebase.export.reports import Audit, Mismatch

BLOCKS_PER_TASK = 8

Progress = Callable[[int, int], None]


class _Difference(NamedTuple):
    """A cell with another value; the smallest cell comes first."""

    color: Color
    cell: int
    found: int
    expected: int


class _Compared(NamedTuple):
    """Result of comparing some blocks."""

    compared: int
    different: int
    first: _Difference | None


def audit_gaviota(
    path: Path,
    source: Path,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Audit:
    """Compare a Gaviota file of any origin with our table.

    Every cell is compared that stands for a position which is legal with that side to move.

    Parameters
    ----------
    path
        The Gaviota file, named after its material.
    source
        Our file of the same material, with distances to mate.
    threads
        How many threads to use; by default one for each processor.
    progress
        Called with how many parts are done and how many there are, in order.

    Raises
    ------
    CorruptTableError
        If one of the files is damaged.
    InvalidMaterialError
        If the names are not those of one material.
    MissingTableError
        If one of the files is not there, or `source` has no distances to mate.
    """
    material = gaviota_material(path)
    with GaviotaFile(path, material) as file:
        values = read_values(source, material, threads=threads)
        step = count_steps(len(block_ranges(file.blocks)), progress)
        return compare_file(file, Cells(material), values, threads=threads, step=step)


def count_steps(total: int, listener: Progress | None) -> Callable[[], None]:
    """Return a function that reports the number of its calls and the total to a listener."""
    numbers = count(1)

    def step() -> None:
        if listener is not None:
            listener(next(numbers), total)

    return step


def block_ranges(blocks: int) -> list[tuple[int, int]]:
    """Return the blocks of each task: the first block, and the end."""
    starts = range(0, blocks, BLOCKS_PER_TASK)
    return [(first, min(first + BLOCKS_PER_TASK, blocks)) for first in starts]


def compare_file(
    file: GaviotaFile,
    cells: Cells,
    values: Values,
    *,
    threads: int | None,
    step: Callable[[], None],
) -> Audit:
    """Compare all cells of an open file that stand for legal positions with bytes by slot.

    `step` is called after each of `block_ranges`; `CorruptTableError` if the file is damaged.
    """

    def compare(task: tuple[int, int]) -> _Compared:
        return _compare_blocks(file, cells, values, *task)

    compared = different = 0
    differences = []
    for found in map_on_threads(compare, block_ranges(file.blocks), threads, ahead=2):
        compared += found.compared
        different += found.different
        differences += [found.first] if found.first else []
        step()
    first = min(differences, default=None)
    mismatch = None if first is None else _in_words(cells, first)
    return Audit(file.path, cells.material, compared, different, mismatch)


def _compare_blocks(
    file: GaviotaFile, cells: Cells, values: Values, first: int, last: int
) -> _Compared:
    """Compare some blocks of both sides to move."""
    start = first * BLOCK_CELLS
    slots = cells.slots(start, min(last * BLOCK_CELLS, cells.count))
    compared = different = 0
    differences = []
    for color in Color:
        found = file.values(color, first, last)
        expected = gather(values[color], slots)
        legal = expected != ILLEGAL
        wrong = np.flatnonzero(legal & (found != expected))
        compared += int(np.count_nonzero(legal))
        different += len(wrong)
        if len(wrong):
            i = int(wrong[0])
            differences.append(_Difference(color, start + i, int(found[i]), int(expected[i])))
    return _Compared(compared, different, min(differences, default=None))


def _in_words(cells: Cells, difference: _Difference) -> Mismatch:
    color = difference.color
    board = board_of(cells.material, cells.squares(difference.cell), color is Color.WHITE)
    found, expected = (
        value_in_words(value, color) for value in (difference.found, difference.expected)
    )
    return Mismatch(board.fen(), found, expected)
