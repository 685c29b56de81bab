"""The catalog: what kernels must know about a game and its tables to look positions up.

It is one array, so that it can be handed to a kernel at once: the address of the `GameRecord`, the
last number of a place, and for each place the number of a material with the address of its
`TableRecord`, or one of `Missing`. A material is searched from the place of its `hash_of` on.

The *number* of a material has its men in a row's order, six bits each, the first man lowest: 32 for
Black's, plus the kind. In this order White's men come first, and of each side the lesser kinds.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.core.board.geometry import NOBODY, PieceType
from tablebase.core.board.shape import signed_word
from tablebase.core.ground.capacity import MAX_MEN
from tablebase.core.index.kings import pairs_by_black
from tablebase.core.index.numbering import table_index
from tablebase.core.jit.kernels import inlined_kernel
from tablebase.core.jit.records import KernelRecord, RecordReader
from tablebase.core.positions.chess_position import ChessPosition
from tablebase.core.rules.material import Man, Material
from tablebase.core.rules.rules import Rules

MAN_BITS, BLACK_MAN = 6, 32
_LARGEST_NUMBER = 1 << MAN_BITS * MAX_MEN


class _Missing(NamedTuple):
    """Entries of the catalog for a material without a record."""

    UNKNOWN: int = 0  # nothing is known yet
    SKIPPED: int = 1  # the table is missing, and the batch goes without it


Missing = _Missing()


class _Start(NamedTuple):
    """Beginnings of the parts of a catalog."""

    GAME: int = 0
    LAST_PLACE: int = 1
    PLACES: int = 2


Start = _Start()


class GameRecord(NamedTuple):
    """What tells legal positions of a game from others."""

    attacks: NDArray[np.uint64]  # [2, kinds, 64], see `Movement`
    between: NDArray[np.uint64]  # [2, kinds, 64, 64]
    shields: NDArray[np.uint64]  # [64], see `Rules`
    pawn_squares: NDArray[np.uint64]  # [2] by colour, as words
    images: NDArray[np.uint8]  # [2, 64] see `BoardShape.flip_if`
    goal: int  # the squares on which a king has won
    answered: int  # whether Black may answer that
    outside: int  # squares that are not on the board
    royal: int
    checking: int  # whether moves may give check
    counting: int  # whether checks are counted
    bare_draws: int  # whether two kings draw
    plain: int  # whether royal kings must not be taken, and nothing else makes positions illegal
    most_men: int


class TableRecord(NamedTuple):
    """Where a table has the positions of a material, which may be that with colours exchanged."""

    numbering: KernelRecord  # of `Numbering`
    row_men: NDArray[np.int64]  # [2, men] places in a row of the men of the index, first as they
    # are, then for positions whose colours are exchanged
    first: NDArray[np.int64]  # [king pairs] the first with the same square of Black's king, and
    number: NDArray[np.int64]  # [king pairs] how many have it, see `storage.order`
    layers: NDArray[np.int64]  # [2] see `Material`
    pages: NDArray[np.int64]  # [2] the first page by side to move
    is_swapped: int
    is_symmetric: int  # both sides have the same men, and White is always to move


def number_of(material: Material) -> int:
    """Return the number of a material; 0 if it has more men than tables."""
    men = sorted(man for man in material.men if man[1] is not NOBODY)
    codes = (BLACK_MAN * color + man for color, man in men)
    number = sum(code << MAN_BITS * place for place, code in enumerate(codes))
    return number if number < _LARGEST_NUMBER else 0


def material_numbered(number: int, rules: Rules) -> Material:
    """Return the material of a number."""
    sides: tuple[list[PieceType], list[PieceType]] = ([], [])
    while number:
        color, kind = divmod(number % (1 << MAN_BITS), BLACK_MAN)
        if not (rules.royal and kind == PieceType.KING):
            sides[color].append(PieceType(kind))
        number >>= MAN_BITS
    return Material(tuple(sides[0]), tuple(sides[1]), rules)


def row_columns(material: Material) -> NDArray[np.int64]:
    """Return the numbers of the men of a material, in the order of a row."""
    men = [one for one in enumerate(material.men) if one[1][1] is not NOBODY]
    return np.array([column for column, _ in sorted(men, key=lambda one: one[1])], dtype=np.int64)


def row_places(men: Iterable[Man], row: Material) -> NDArray[np.int64]:
    """Return the place of each of some men in the row of a material; any of `NOBODY`."""
    order = [row.men[column] for column in row_columns(row)]
    found = []
    for man in men:
        place = order.index(man) if man in order else 0
        if man in order:
            order[place] = man[0], NOBODY  # taken
        found.append(place)
    return np.array(found, dtype=np.int64)


@lru_cache(maxsize=64)
def game_record(rules: Rules) -> KernelRecord:
    """Return the record of a game, made once."""
    movement, board = rules.movement, rules.board
    pawn_squares = [sum(1 << at for at in squares) for squares in rules.pawn_squares]
    return KernelRecord(
        GameRecord(
            attacks=movement.attacks,
            between=movement.between,
            shields=rules.shields,
            pawn_squares=np.array(pawn_squares, dtype=np.uint64),
            images=board.flip_if,
            goal=signed_word(rules.goal_squares),
            answered=rules.flag_move,
            outside=board.outside,
            royal=rules.royal,
            checking=rules.checking,
            counting=rules.check_counting,
            bare_draws=rules.royal and not rules.goal,
            plain=rules.royal and rules.checking and not (rules.goal or rules.blast),
            most_men=rules.most_men,
        )
    )


def table_record(material: Material, pages: tuple[int, int]) -> KernelRecord:
    """Return the record of a material, whose table begins at pages with each side to move."""
    table = material.normalized()
    index = table_index(table)
    swapped = ((color.opponent, man) for color, man in table.men)
    groups = pairs_by_black(index.numbering.king_squares)
    sizes = np.diff(groups)
    return KernelRecord(
        TableRecord(
            numbering=index.record,
            row_men=np.stack([row_places(table.men, material), row_places(swapped, material)]),
            first=np.repeat(groups[:-1], sizes),
            number=np.repeat(sizes, sizes),
            layers=np.array(table.layers, dtype=np.int64),
            pages=np.array(pages, dtype=np.int64),
            is_swapped=table != material,
            is_symmetric=table.is_symmetric,
        )
    )


class _Kept:
    """An array with what it has the addresses of, which lasts as long as arrays made from it."""

    def __init__(self, array: NDArray[np.int64], records: list[KernelRecord]) -> None:
        self._array, self._records = array, records
        self.__array_interface__ = array.__array_interface__


class Catalog:
    """The tables of a game that are known, for kernels; `array` is replaced by each change."""

    def __init__(self, rules: Rules) -> None:
        self._game = game_record(rules)
        self._records: dict[int, KernelRecord] = {}  # by number, kept alive
        self._skipped: set[int] = set()
        self.array = self._made()

    def add(self, material: Material, pages: tuple[int, int]) -> None:
        """Enter the table of a normalized material, also for exchanged colours."""
        for one in _both(material):
            self._records[number_of(one)] = table_record(one, pages)
        self.array = self._made()

    def address_of(self, material: Material) -> int:
        """Return the address of the record of a material, 0 if its table is not in the catalog."""
        record = self._records.get(number_of(material))
        return 0 if record is None else record.address

    def forget(self, material: Material) -> None:
        """Take the table of a normalized material out, as if nothing were known of it."""
        for one in _both(material):
            self._records.pop(number_of(one), None)
        self.array = self._made()

    def skip(self, materials: Iterable[Material]) -> None:
        """Let batches go without the tables of some normalized materials, and of no others."""
        skipped = {number_of(one) for material in materials for one in _both(material)}
        if skipped != self._skipped:
            self._skipped = skipped
            self.array = self._made()

    def _made(self) -> NDArray[np.int64]:
        """Return the array, whatever thread may still read the one before."""
        entries = dict.fromkeys(self._skipped, Missing.SKIPPED)
        entries |= {number: record.address for number, record in self._records.items()}
        last = (1 << (2 * len(entries)).bit_length()) - 1
        array = np.zeros(Start.PLACES + 2 * (last + 1), dtype=np.int64)
        array[Start.GAME], array[Start.LAST_PLACE] = self._game.address, last
        for number, entry in entries.items():
            place = hash_of(number) & last
            while array[Start.PLACES + 2 * place]:
                place = place + 1 & last
            array[Start.PLACES + 2 * place :][:2] = number, entry
        return np.asarray(_Kept(array, [self._game, *self._records.values()]))


def _both(material: Material) -> set[Material]:
    return {material} if material.rules.one_sided else {material, material.swapped()}


def hash_of(number: Any) -> Any:
    """Return a number that differs for most materials in its low bits."""
    return number ^ number >> 5 ^ number >> 11 ^ number >> 19


@inlined_kernel
def find_entry(catalog: Any, number: Any) -> Any:
    """Return the address of a material's record, or one of `Missing`."""
    place = number ^ number >> 5 ^ number >> 11 ^ number >> 19
    while True:
        place &= catalog[Start.LAST_PLACE]
        found = catalog[Start.PLACES + 2 * place]
        if found == number:
            return catalog[Start.PLACES + 2 * place + 1]
        if found == 0:
            return np.int64(Missing.UNKNOWN)
        place += 1


# Records that kernels find by their addresses, which are like these.
game_at = RecordReader(lambda: game_record(ChessPosition.rules).fields)
table_at = RecordReader(lambda: table_record(Material(), (0, 0)).fields)
