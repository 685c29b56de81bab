"""The catalog: what `locate` must know about the tables, in one array.

A flat array of numbers can be handed to a kernel at once. Its parts::

    Start.MATERIALS         int32 by number of a material:
                                n > 0   the record of its table begins at n
                                n < 0   it begins at -n, and is of the material with the colours
                                        exchanged
                                0, 1    there is none, see `Missing`
    Start.KINGS             int32 by 64 * White's king + Black's king, without pawns:
                                bits    31 .. 19 | 18 .. 13 | 12 .. 7 | 6 .. 4 |   3    | 2 .. 0
                                        pair     | count    | before  | second | has it | symmetry
    Start.KINGS_AND_PAWNS   the same with pawns
    Start.RECORDS           for each table, one after the other:
                                WHITE_PAGES BLACK_PAGES RANKS KING_PAIRS KINGS IS_SYMMETRIC
                                SLICES ...
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tablebase.core.board.geometry import PieceType
from tablebase.core.ground.capacity import MAX_MEN
from tablebase.core.index.kings import NO_SYMMETRY, king_groups
from tablebase.core.index.numbering import IndexTables, TableIndex
from tablebase.core.rules.material import Material

if TYPE_CHECKING:
    from numpy.typing import NDArray

# A material is numbered by its men besides the kings, digits to the base of `MEN_BASE` in the
# order of `Material.men`: 1 to 5 for White's Q R B N P, 6 to 10 for Black's.
MEN_BASE = 11
MATERIAL_NUMBERS = MEN_BASE ** (MAX_MEN - 2)
KING_SQUARES = 64 * 64


class _Start(NamedTuple):
    """Beginnings of the parts of a catalog."""

    MATERIALS: int = 0  # by number of a material: where its record begins, or one of `Missing`
    KINGS: int = MATERIAL_NUMBERS  # by squares of White's and Black's king, without pawns
    KINGS_AND_PAWNS: int = MATERIAL_NUMBERS + KING_SQUARES  # the same with pawns
    RECORDS: int = MATERIAL_NUMBERS + 2 * KING_SQUARES  # one after the other


Start = _Start()


class _Missing(NamedTuple):
    """Entries of the catalog for a material without a record."""

    UNKNOWN: int = 0  # nothing is known yet
    SKIPPED: int = 1  # the table is missing, and the batch goes without it


Missing = _Missing()


class _Record(NamedTuple):
    """Columns of the record of a table."""

    WHITE_PAGES: int = 0  # number of the first page with White to move
    BLACK_PAGES: int = 1  # and with Black to move
    RANKS: int = 2  # sizes of the digits of the index, see `TableIndex`
    KING_PAIRS: int = 3
    KINGS: int = 4  # where its entries for two kings begin, one of `Start`
    IS_SYMMETRIC: int = 5  # whether both sides have the same men
    SLICES: int = 6  # from here on, `IndexTables.slice_of`


Record = _Record()


class _KingBit(NamedTuple):
    """Lowest bits of the fields of an entry for two kings; the highest bits hold the king pair."""

    SYMMETRY: int = 0  # 3 bits: the symmetry that makes the kings canonical
    HAS_SECOND: int = 3  # 1 bit: whether there is another one
    SECOND: int = 4  # 3 bits: which
    BEFORE: int = 7  # 6 bits: how many pairs with the same square of Black's king come before
    COUNT: int = 13  # 6 bits: how many such pairs there are
    PAIR: int = 19


KingBit = _KingBit()


def material_of_number(number: int) -> Material:
    """Return the material of a number, as given by `material_number`."""
    sides: tuple[list[PieceType], list[PieceType]] = ([], [])
    while number:
        number, digit = divmod(number, MEN_BASE)
        color, kind = divmod(digit - 1, 5)
        sides[color].append(PieceType(PieceType.QUEEN - kind))
    return Material(tuple(sides[0]), tuple(sides[1]))


def empty_catalog() -> NDArray[np.int32]:
    """Return the catalog of no tables."""
    return np.zeros(Start.RECORDS, dtype=np.int32)


def with_table(
    catalog: NDArray[np.int32], index: TableIndex, first_pages: tuple[int, int]
) -> NDArray[np.int32]:
    """Return a new catalog with the table of a normalized material added.

    `first_pages` are the numbers of the first page with White and with Black to move; Black's is
    not used if both sides have the same men, since such a table stores White to move only.
    """
    material, tables = index.material, index.tables
    record = np.empty(Record.SLICES + len(tables.slice_of), dtype=np.int32)
    record[Record.WHITE_PAGES], record[Record.BLACK_PAGES] = first_pages
    record[Record.RANKS], record[Record.KING_PAIRS] = index.ranks, index.king_pairs
    start = Start.KINGS_AND_PAWNS if material.has_pawns else Start.KINGS
    record[Record.KINGS], record[Record.IS_SYMMETRIC] = start, material.is_symmetric
    record[Record.SLICES :] = tables.slice_of
    grown = np.concatenate([catalog, record])
    grown[start : start + KING_SQUARES] = _king_entries(tables)
    grown[material_number(material.swapped())] = -len(catalog)
    grown[material_number(material)] = len(catalog)
    return grown


def _king_entries(tables: IndexTables) -> NDArray[np.int32]:
    """Return an entry for each pair of king squares, 0 for kings that touch."""
    groups = king_groups(tables.king_squares)
    pair = tables.king_pair.astype(np.int32)
    group = np.searchsorted(groups, pair, side="right") - 1
    before = (pair - groups[group]).astype(np.int32)
    count = np.append(np.diff(groups), 0)[group].astype(np.int32)
    has_second = tables.king_second != NO_SYMMETRY
    entries: NDArray[np.int32] = (
        (pair << KingBit.PAIR)
        + (count << KingBit.COUNT)
        + (before << KingBit.BEFORE)
        + (np.where(has_second, tables.king_second, 0).astype(np.int32) << KingBit.SECOND)
        + (has_second.astype(np.int32) << KingBit.HAS_SECOND)
        + (tables.king_symmetry.astype(np.int32) << KingBit.SYMMETRY)
    )
    return np.where(pair < 0, np.int32(0), entries)


def material_number(material: Material) -> int:
    """Return the number of a material in catalogs."""
    number = 0
    for color, man in material.men[2:]:
        number = number * MEN_BASE + PieceType.KING - man + 5 * color
    return number
