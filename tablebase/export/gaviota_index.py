"""Cells of Gaviota files, and the slots of our tables that they correspond to.

A cell's number has digits of mixed radix, each a list of placements of one to three men (kings,
identical pieces, pawns, one man), so that one kernel goes through the cells of all materials.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import combinations
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.core.board.geometry import (
    PAWN_SQUARES,
    SQUARES,
    Color,
    PieceType,
    kings_touch,
    square,
    square_file,
    square_rank,
)
from tablebase.core.board.symmetry import D4, DIAGONAL, MIRROR, TRIANGLE_SQUARES
from tablebase.core.ground.errors import InvalidMaterialError
from tablebase.core.index.numbering import encode_position, table_index
from tablebase.core.jit.instructions import count_bits, work_space
from tablebase.core.jit.kernels import hot_entry, hot_kernel
from tablebase.core.jit.records import KernelRecord
from tablebase.core.rules.material import Material

GAVIOTA_SUFFIX = ".gtb.cp4"
MIN_MEN = 3
MAX_MEN_OF_GAVIOTA = 5  # of the format's numberings
MAX_DIGITS = MAX_MEN_OF_GAVIOTA
NO_SLOT = -1
_LEFT = range(4)  # files
_RIGHT = range(4, 8)
_UP, _DOWN = range(1, 7), range(6, 0, -1)  # the ranks of pawns

Placement = tuple[int, ...]  # squares


class Digit(NamedTuple):
    """A digit of a cell's number."""

    men: tuple[int, ...]  # which of `Material.men` it places
    placements: Sequence[Placement]  # by value: their squares


class CellTables(NamedTuple):
    """The digits of a numbering as arrays for kernels, most significant first."""

    sizes: NDArray[np.int64]  # [digits] number of values
    men: NDArray[np.int64]  # [digits] how many men the digit places
    places: NDArray[np.int64]  # [digits, 3] which of `Material.men`
    squares: NDArray[np.uint8]  # [digits, values, 3] where they stand
    men_count: int  # of the material


class Cells:
    """The cells of a material, `count` for each side to move."""

    def __init__(self, material: Material) -> None:
        self.material = material
        self.count = cell_count(material)
        self._record = KernelRecord(cell_tables(material))
        self._index = table_index(material)

    def slots(self, first: int, last: int) -> NDArray[np.int64]:
        """Return the slots of some cells in our tables, NO_SLOT for cells without a position."""
        slots = np.empty(last - first, dtype=np.int64)
        _find_slots(self._record, self._index.record, first, slots)
        return slots

    def squares(self, cell: int) -> list[int]:
        """Return the squares of the men of a cell, in the order of `Material.men`."""
        found = [0] * self.material.piece_count
        for men, placements in reversed(digits_of(self.material)):
            cell, value = divmod(cell, len(placements))
            for man, one in zip(men, placements[value], strict=True):
                found[man] = one
        return found


@hot_entry
def _find_slots(cells, tables, first, slots):
    """Write the slots of cells from `first` on to `slots` int64 [n], NO_SLOT for no position."""
    digits = len(cells.sizes)
    values = work_space(MAX_DIGITS, np.int64)[:digits]
    squares = work_space(MAX_MEN_OF_GAVIOTA, np.uint8)[: cells.men_count]
    rest = np.int64(first)
    for number in range(digits - 1, -1, -1):
        values[number] = rest % cells.sizes[number]
        rest //= cells.sizes[number]
        _place(cells, number, values[number], squares)
    for i in range(len(slots)):
        slots[i] = _slot(tables, squares)
        # On to the next cell: add one to the last digit, and carry.
        for number in range(digits - 1, -1, -1):
            values[number] += 1
            is_full = values[number] == cells.sizes[number]
            values[number] = 0 if is_full else values[number]
            _place(cells, number, values[number], squares)
            if not is_full:
                break


@hot_kernel
def _place(cells, number, value, squares):
    """Put the men of a digit where its value says, in `squares` uint8 [men]."""
    for i in range(cells.men[number]):
        squares[cells.places[number, i]] = cells.squares[number, value, i]


@hot_kernel
def _slot(tables, squares):
    """Return the slot of a position, NO_SLOT if two men share a square or the kings touch."""
    taken = np.uint64(0)
    for one in squares:
        taken |= np.uint64(1) << np.uint64(one)
    if count_bits(taken) < len(squares):
        return np.int64(NO_SLOT)
    return encode_position(tables, squares)


def cell_count(material: Material) -> int:
    """Return the number of cells for each side to move."""
    return prod(len(digit.placements) for digit in digits_of(material))


@lru_cache(maxsize=8)
def digits_of(material: Material) -> tuple[Digit, ...]:
    """Return the digits of the cells of a material, most significant first."""
    gaviota_name(material)  # raises if there is none
    found: list[Digit] = []
    if material.has_pawns:
        found += _pawn_digits(material)
        found += [Digit((king,), _single(range(SQUARES))) for king in (0, 1)]
    else:
        found.append(Digit((0, 1), _king_pairs()))
    pieces, first = [], 2
    for _, man, count in material.groups:
        if man is not PieceType.PAWN:
            pieces.append(Digit(tuple(range(first, first + count)), _sets(count)))
        first += count
    # Identical pieces come before others.
    return (*found, *sorted(pieces, key=lambda digit: -len(digit.men)))


def gaviota_name(material: Material) -> str:
    """Return the name of the Gaviota file of a material.

    Raises `InvalidMaterialError` if there is none: it has two men, or Black is the stronger side.

    >>> gaviota_name(Material.from_name("KRKP"))
    'krkp.gtb.cp4'
    """
    if not MIN_MEN <= material.piece_count <= MAX_MEN_OF_GAVIOTA:
        raise InvalidMaterialError(
            f"there is no Gaviota table of {material}: "
            f"name a material of {MIN_MEN} to {MAX_MEN_OF_GAVIOTA} pieces, like KRK"
        )
    if not material.is_normalized:
        raise InvalidMaterialError(
            f"there is no Gaviota table of {material}: name the stronger side first, "
            f"{material.swapped()}"
        )
    return material.name.lower() + GAVIOTA_SUFFIX


def _pawn_digits(material: Material) -> list[Digit]:
    """Return the digits that place the pawns: White's, Black's, or of both."""
    white, black = (
        tuple(i for i, man in enumerate(material.men) if man == (color, PieceType.PAWN))
        for color in Color
    )
    if white and black:
        if len(white) == 2:
            pairs = list(combinations(reversed(PAWN_SQUARES), 2))
            return [Digit(black, _single(_pawns(_UP))), Digit(white, pairs)]
        return [Digit(white, _single(_pawns(_DOWN))), Digit(black, _single(PAWN_SQUARES))]
    if black:
        return [Digit(black, _single(_pawns(_UP)))]
    placements = {1: _single(_pawns(_DOWN)), 2: _pawn_pairs(), 3: _pawn_triples()}
    return [Digit(white, placements[len(white)])]


def _single(squares: Iterable[int]) -> list[Placement]:
    return [(one,) for one in squares]


def _pawns(ranks: Iterable[int]) -> list[int]:
    """Return the pawns' squares on the left half, rank by rank."""
    return [square(file, rank) for rank in ranks for file in _LEFT]


def _pawn_pairs() -> list[Placement]:
    """Return two pawns of one side, the anchor first, numbered in order of appearance."""
    found: dict[Placement, None] = {}
    for pair in combinations(reversed(PAWN_SQUARES), 2):
        if square_file(pair[0]) in _RIGHT:
            pawns = sorted(pair, key=_anchor_first)
            if square_file(pawns[0]) in _RIGHT:
                pawns = D4[MIRROR, pawns].tolist()
            found.setdefault(tuple(pawns))
    return list(found)


def _anchor_first(pawn: int) -> tuple[int, int, int]:
    """Return a key by which the pawn comes first that is to be on the left half of the board."""
    return -square_rank(pawn), min(square_file(pawn), 7 - square_file(pawn)), pawn


def _pawn_triples() -> list[Placement]:
    """Return three pawns of one side, at most one of them on the right half of the board."""
    order = [square(file, rank) for files in (_RIGHT, _LEFT) for rank in _DOWN
             for file in reversed(files)]  # fmt: skip
    return [
        pawns
        for pawns in combinations(order, 3)
        if square_file(pawns[1]) in _LEFT and square_file(pawns[2]) in _LEFT
    ]


def _king_pairs() -> list[Placement]:
    """Return White's and Black's king, up to all symmetries: Black's in the triangle a1-d1-d4."""
    return [
        (white, black)
        for black in TRIANGLE_SQUARES
        for white in range(SQUARES)
        if not kings_touch(white, black)
        and not (D4[DIAGONAL, black] == black and D4[DIAGONAL, white] < white)
    ]


def _sets(count: int) -> list[Placement]:
    """Return the placements of identical pieces."""
    found = list(combinations(range(SQUARES), count))
    return found if count < 3 else sorted(found, key=lambda squares: squares[::-1])


def cell_tables(material: Material) -> CellTables:
    """Return the numbering of a material's cells as arrays for kernels."""
    digits = digits_of(material)
    sizes = [len(digit.placements) for digit in digits]
    places = np.zeros((len(digits), 3), dtype=np.int64)
    squares = np.zeros((len(digits), max(sizes), 3), dtype=np.uint8)
    for number, (men, placements) in enumerate(digits):
        places[number, : len(men)] = men
        squares[number, : len(placements), : len(men)] = placements
    return CellTables(
        sizes=np.array(sizes, dtype=np.int64),
        men=np.array([len(men) for men, _ in digits], dtype=np.int64),
        places=places,
        squares=squares,
        men_count=material.piece_count,
    )
