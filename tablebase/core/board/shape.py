"""Boards of other sizes, and with walls, as sets of squares of the board of 8 x 8.

A smaller board lies where it keeps as many symmetries as it can: an even number of files or ranks
in the middle, an odd one from the a-file or first rank on. Its own lower left square is named a1.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablebase.core.board.geometry import (
    FILES,
    RANKS,
    SQUARES,
    square,
    square_file,
    square_name,
    square_rank,
)
from tablebase.core.board.symmetry import ALL_SYMMETRIES, D4
from tablebase.core.ground.errors import InvalidRulesError
from tablebase.core.ground.words import quoted

WALL = "*"  # in FENs, as Fairy-Stockfish has it
LEAST_SIZE = 3  # of files and of ranks: less has no room for kings that do not touch


def signed_word(squares: Iterable[int]) -> int:
    """Return the word of some squares as the signed number that records for kernels take."""
    word = sum(1 << one for one in squares)
    return word - (1 << SQUARES) if word >> SQUARES - 1 else word


@dataclass(frozen=True)
class BoardShape:
    """A board of up to 8 x 8 squares, which must look the same from both sides.

    Errors of size or walls are `InvalidRulesError`.

    >>> small = BoardShape(6, 6)
    >>> small.square_of("a1"), small.name_of(54), len(small.squares)
    (9, 'f6', 36)
    """

    files: int = FILES  # 3 to 8
    ranks: int = RANKS  # 3 to 8
    walls: str = ""  # names of squares that no man enters or passes, by number, with spaces between

    def __post_init__(self) -> None:
        for name, size, most in (("files", self.files, FILES), ("ranks", self.ranks, RANKS)):
            if not LEAST_SIZE <= size <= most:
                raise InvalidRulesError(f"a board has from {LEAST_SIZE} to {most} {name}")
        walls = sorted({self._numbered(name) for name in self.walls.split()})
        object.__setattr__(self, "walls", " ".join(map(self.name_of, walls)))
        if {int(self.flip[one]) for one in self.squares} != set(self.squares):
            raise InvalidRulesError(
                f"walls on {self.walls}: the board must look the same from both sides, so that "
                "colours can be exchanged"
            )

    def __reduce__(self) -> tuple[Any, ...]:
        # Pickled arrays come back writable, and kernels would be compiled once more for those.
        return BoardShape, (self.files, self.ranks, self.walls)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number on the board of 8 x 8 of each square, walls included, by its name."""
        files = range(self.first_file, self.first_file + self.files)
        ranks = range(self.first_rank, self.last_rank + 1)
        every = (square(file, rank) for rank in ranks for file in files)
        return {self.name_of(one): one for one in every}

    def _numbered(self, name: str) -> int:
        if name not in self.numbers:
            size = f"{self.files}x{self.ranks}"
            raise InvalidRulesError(f"{quoted(name)} is not a square of a board of {size}")
        return self.numbers[name]

    @property
    def first_file(self) -> int:
        """The file of the board of 8 x 8 on which the a-file lies, from 0 on."""
        return 0 if self.files % 2 else (FILES - self.files) // 2

    @property
    def first_rank(self) -> int:
        """The rank of the board of 8 x 8 on which the first rank lies, from 0 on."""
        return 0 if self.ranks % 2 else (RANKS - self.ranks) // 2

    @property
    def last_rank(self) -> int:
        """The rank of the board of 8 x 8 on which the last rank lies, from 0 on."""
        return self.first_rank + self.ranks - 1

    @cached_property
    def squares(self) -> tuple[int, ...]:
        """The squares on which men can stand, ascending."""
        walls = set(self.walls.split())
        return tuple(one for name, one in self.numbers.items() if name not in walls)

    @cached_property
    def word(self) -> int:
        """The word of `squares`."""
        return sum(1 << one for one in self.squares)

    @property
    def outside(self) -> int:
        """The word of squares that are not on the board, as `signed_word` has it."""
        return signed_word(set(range(SQUARES)).difference(self.squares))

    @cached_property
    def symmetries(self) -> frozenset[int]:
        """Which of the eight symmetries keep the board."""
        own = set(self.squares)
        kept = (t for t in ALL_SYMMETRIES if {int(D4[t, one]) for one in own} == own)
        return frozenset(kept)

    @cached_property
    def flip(self) -> NDArray[np.uint8]:
        """The image of each square when top and bottom of the board are exchanged, shape [64].

        Colours are exchanged with it.
        """
        ranks = range(self.first_rank, self.last_rank + 1)
        images = np.arange(SQUARES, dtype=np.uint8)
        for one in range(SQUARES):
            if square_rank(one) in ranks:
                turned = self.first_rank + self.last_rank - square_rank(one)
                images[one] = square(square_file(one), turned)
        images.setflags(write=False)
        return images

    @cached_property
    def flip_if(self) -> NDArray[np.uint8]:
        """The image of each square, first as it is, then by `flip`; shape [2, 64]."""
        both = np.stack([np.arange(SQUARES, dtype=np.uint8), self.flip])
        both.setflags(write=False)
        return both

    def name_of(self, number: int) -> str:
        """Return the name of a square by its number on the board of 8 x 8."""
        file, rank = square_file(number) - self.first_file, square_rank(number) - self.first_rank
        return square_name(square(file, rank))

    def square_of(self, name: str) -> int:
        """Return the number of a named square on the board of 8 x 8.

        Raises `InvalidRulesError` if the board has no such square, or a wall there.
        """
        number = self._numbered(name)
        if number not in self.squares:
            raise InvalidRulesError(f"there is a wall on {name}")
        return number

    def on(self, file: int, rank: int) -> int | None:
        """Return the square on a file and a rank of the board of 8 x 8, None if there is none."""
        if not (0 <= file < FILES and 0 <= rank < RANKS):
            return None
        number = square(file, rank)
        return number if self.word >> number & 1 else None


FULL_BOARD = BoardShape()
