"""Boards of any size, numbered in rows with ghost columns, and what differences of numbers tell.

A board lies in a grid with more columns, and perhaps rows, which are *ghosts*: numbers without
squares. Every step adds the same number wherever it starts, and the ghost columns decide whether a
step off an edge wraps to a square, and whether a difference belongs to one vector only, so that one
row can answer for all pairs of squares. Draughts numbers half of the squares.

Layouts for draughts are Rein Halbersma's, "New board layouts / square numberings", World Draughts
Forum, 24 May 2020; the chess board in 15 or 16 columns is 0x88.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from math import gcd

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tablebase.core.board.geometry import FILES, RANKS, Vector

NO_STEP: Vector = (0, 0)


def straight_step(vector: Vector) -> Vector:
    """Return the single step of a queen that leads along a vector, (0, 0) if none does.

    >>> straight_step((-3, 3)), straight_step((2, 1))
    ((-1, 1), (0, 0))
    """
    files, ranks = vector
    length = gcd(files, ranks)
    if length == 0 or max(abs(files), abs(ranks)) > length:
        return NO_STEP
    return files // length, ranks // length


@dataclass(frozen=True)
class BoardLayout:
    """A numbering of the squares of a board.

    Parameters
    ----------
    width, height
        Files and rows of the board, at least 1. Rows count from the one that is numbered first:
        White's first rank in chess, the upper edge of the diagram in draughts.
    ghost_columns
        Columns of the grid that are not on the board.
    parity
        1 if only squares are numbered whose file and row have an odd sum, as in draughts; 0 if it
        must be even; None for all squares. Half of them take an odd number of columns in all.
    left
        How many of the ghost columns are to the left of the board, the others being to its right.
    ghost_rows
        Rows of the grid before the board, and as many after it.
    excluded
        File and row of squares that are left out.

    Raises
    ------
    ValueError
        If there is no such layout.

    Examples
    --------
    The board of international draughts, its squares numbered as bits of a word:

    >>> BoardLayout(10, 10, ghost_columns=1, parity=1).number(0, 1)
    5
    """

    width: int
    height: int
    ghost_columns: int = 0
    _: KW_ONLY
    parity: int | None = None
    left: int = 0
    ghost_rows: int = 0
    excluded: frozenset[Vector] = frozenset()

    def __post_init__(self) -> None:
        if not all(0 <= x < self.width and 0 <= y < self.height for x, y in self.excluded):
            raise ValueError(f"squares left out must be on the board, got {sorted(self.excluded)}")
        if self.parity not in {None, 0, 1}:
            raise ValueError(f"parity {self.parity}: take 0, 1 or None")
        if self.width < 1 or self.height < 1 or not self.squares:
            raise ValueError(
                f"a board of {self.width} x {self.height} has no squares: take more files or rows"
            )
        if self.ghost_columns < 0 or self.ghost_rows < 0:
            what = f"{self.ghost_columns} ghost columns, {self.ghost_rows} ghost rows"
            raise ValueError(f"{what}: take 0 or more")
        if not 0 <= self.left <= self.ghost_columns:
            raise ValueError(
                f"{self.left} of {self.ghost_columns} ghost columns to the left: take 0 to all"
            )
        if self.parity is not None and self.columns % 2 == 0:
            raise ValueError(
                f"in {self.columns} columns a step adds different numbers from odd and even rows: "
                "take an odd number of columns if only the squares of one colour have numbers"
            )

    @property
    def columns(self) -> int:
        """Columns of the grid, ghosts included."""
        return self.width + self.ghost_columns

    @cached_property
    def squares(self) -> tuple[Vector, ...]:
        """File and row of every square, by ascending number."""
        return tuple(
            (file, row)
            for row in range(self.height)
            for file in range(self.width)
            if self.parity in {None, (file + row) % 2} and (file, row) not in self.excluded
        )

    @cached_property
    def numbers(self) -> NDArray[np.int64]:
        """The number of every square, ascending; numbers left out are ghosts, shape [squares]."""
        numbers = np.array([self.number(file, row) for file, row in self.squares], dtype=np.int64)
        numbers.setflags(write=False)
        return numbers

    @property
    def span(self) -> int:
        """Numbers from the first square to the last, both and the ghosts between them included."""
        return int(self.numbers[-1] - self.numbers[0]) + 1

    @property
    def size(self) -> int:
        """Numbers of the whole grid, ghosts included, from 0."""
        places = self.columns * (self.height + 2 * self.ghost_rows)
        return places if self.parity is None else (places + 1) // 2

    def number(self, file: int, row: int) -> int:
        """Return the number of a place of the grid, which need not be a square."""
        place = file + self.left + self.columns * (row + self.ghost_rows)
        return place if self.parity is None else place // 2

    def difference(self, vector: Vector) -> int:
        """Return the difference that a vector of files and rows makes to the number of a square.

        Raises
        ------
        ValueError
            If the vector changes the colour of the square and only one is numbered.
        """
        files, rows = vector
        places = files + self.columns * rows
        if self.parity is None:
            return places
        if places % 2:
            raise ValueError(f"vector {vector} leads off the squares of this colour")
        return places // 2

    def wraps(self, step: Vector) -> bool:
        """Return whether a step off the board somewhere leads to the number of a square."""
        return any(
            (file + step[0], row + step[1]) not in self._square_set
            and self.number(file, row) + self.difference(step) in self._number_set
            for file, row in self.squares
        )

    def guards(self, step: Vector) -> bool:
        """Return whether a step off the board always leads to a ghost, as an array needs."""
        ends = self.numbers + self.difference(step)
        return not self.wraps(step) and bool(((ends >= 0) & (ends < self.size)).all())

    @cached_property
    def _square_set(self) -> frozenset[Vector]:
        return frozenset(self.squares)

    @cached_property
    def _number_set(self) -> frozenset[int]:
        return frozenset(self.numbers.tolist())

    @cached_property
    def vectors(self) -> dict[int, frozenset[Vector]]:
        """The vectors between two squares, by the difference of their numbers."""
        found: dict[int, set[Vector]] = {}
        for file, row in self.squares:
            for other_file, other_row in self.squares:
                vector = (other_file - file, other_row - row)
                found.setdefault(self.difference(vector), set()).add(vector)
        return {difference: frozenset(vectors) for difference, vectors in sorted(found.items())}

    @property
    def has_unique_differences(self) -> bool:
        """Whether the difference of two squares' numbers tells the vector between them."""
        return all(len(vectors) == 1 for vectors in self.vectors.values())

    def difference_table(
        self, value: Callable[[Vector], ArrayLike], dtype: type[np.generic]
    ) -> NDArray[np.generic]:
        """Return a function of the vector between two squares as a table over differences.

        Parameters
        ----------
        value
            What to store for a vector of files and rows.
        dtype
            Type of the entries.

        Returns
        -------
        NDArray
            Read-only, shape [2 * `span` - 1, ...]. The entry of two squares is at the number of the
            second, less that of the first, plus `span` - 1. Differences that no two squares have
            hold zeros.

        Raises
        ------
        ValueError
            If differences are not unique.
        """
        if not self.has_unique_differences:
            raise ValueError(
                f"differences are not unique in {self.columns} columns: a board of {self.width} "
                f"files needs {2 * self.width - 1}"
            )
        values = {
            difference: np.asarray(value(*vectors), dtype=dtype)
            for difference, vectors in self.vectors.items()
        }
        table = np.zeros((2 * self.span - 1, *values[0].shape), dtype=dtype)
        for difference, entry in values.items():
            table[difference + self.span - 1] = entry
        table.setflags(write=False)
        return table

    @cached_property
    def directions(self) -> NDArray[np.int8]:
        """The single step from one square towards another, as a table over differences.

        Shape [2 * `span` - 1, 2], files and rows, read-only; (0, 0) if the squares are on no common
        rank, file or diagonal. Raises `ValueError` if differences are not unique.
        """
        return self.difference_table(straight_step, np.int8)  # type: ignore[return-value]


#: The chess board in the least number of columns in which differences are unique.
CHESS_DIFFERENCES = BoardLayout(FILES, RANKS, ghost_columns=FILES - 1)
