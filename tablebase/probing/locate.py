"""From the bitboards of a position to the place of its value, in one compiled call.

A position comes as python-chess keeps it: one word for each kind of man, one for White's men,
and the side to move. The answer is a *location*: the number of a page, shifted by `PAGE_BITS`,
plus the place inside the page; or a negative number that says why there is none. A page is
`PAGE_SIZE` codes of one side of one table; those of all tables are numbered consecutively.

What is known about the tables stands in one flat array of numbers, the *catalog*, so that the
kernels are the same for any tables. The slots that they compute are those of `tablebase.index` and
`tablebase.storage.order`, taken by groups of men instead of man by man: the tests hold them equal.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import types

from tablebase.board import (
    D4,
    FLIP,
    MAX_MEN,
    Color,
    Material,
    PieceType,
    make_movement,
)
from tablebase.index import (
    BINOMIALS,
    FIRST_PAWN_SQUARE,
    NO_SYMMETRY,
    PAWN_BASE,
    IndexTables,
    TableIndex,
    king_groups,
    second_slice_symmetry,
    slice_number,
    slice_symmetry,
)
from tablebase.jit import byte_at, count_bits, hot_entry, hot_kernel, lowest_bit

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

PAGE_BITS = 16
PAGE_SIZE = 1 << PAGE_BITS

# Why a position has no location.
BARE_KINGS = -1  # a draw that needs no table
OPPONENT_IN_CHECK = -2  # the side to move could take the king
IMPOSSIBLE = -3  # not one king a side, a pawn on the first or last rank, two men on a square
TOO_MANY_MEN = -4
# Only in batches: the page of the value is not in memory, or a table is known to be missing.
NOT_LOADED = -5
MISSING_TABLE = -6
# The catalog has no table of this material; minus the number of the material.
UNKNOWN_TABLE = -16

# Columns of a position in a batch.
PAWNS, KNIGHTS, BISHOPS, ROOKS, QUEENS, KINGS, WHITE_MEN, WHITE_TO_MOVE = range(8)

# A material is numbered by its men besides the kings, digits to the base of `MEN_BASE` in the
# order of `Material.men`: 1 to 5 for White's Q R B N P, 6 to 10 for Black's.
MEN_BASE = 11
MATERIAL_NUMBERS = MEN_BASE ** (MAX_MEN - 2)

# The parts of a catalog. First, by number of material, where the record of its table begins;
# negative if it is that of the material with the colours exchanged, 0 if nothing is known yet,
# `NO_RECORD` while a batch skips it because the table is missing.
# Then, without and with pawns, an entry for each pair of king squares.
KINGS_START = MATERIAL_NUMBERS
KINGS_LENGTH = 64 * 64
NO_RECORD = 1
RECORDS_START = KINGS_START + 2 * KINGS_LENGTH
# An entry of a pair of kings: the symmetry that makes the kings canonical, whether there is
# another one and which, then its place among those with the same square of Black's king, how many
# these are, and its number.
SYMMETRY_SHIFT, HAS_SECOND_SHIFT, SECOND_SHIFT = 0, 3, 4
PLACE_SHIFT, COUNT_SHIFT, PAIR_SHIFT = 7, 13, 19
# A record: first pages with White and Black to move, sizes of the digits of the index, whether
# both sides have the same men, then the slice of each placement of the pawns.
WHITE_PAGES, BLACK_PAGES, RANK_COUNT, KING_PAIR_COUNT, IS_SYMMETRIC, SLICES = range(6)

_FIRST_AND_LAST_RANK = np.uint64(0xFF000000000000FF)
_WHITE, _BLACK = int(Color.WHITE), int(Color.BLACK)
_PAWN, _KNIGHT, _BISHOP, _ROOK, _QUEEN, _KING = map(int, PieceType)
_ATTACKS, _BETWEEN = make_movement().attacks, make_movement().between[_WHITE, _QUEEN]
_FLIP = int(FLIP)


def material_number(material: Material) -> int:
    """Return the number of a material in catalogs."""
    number = 0
    for color, man in material.men[2:]:
        number = number * MEN_BASE + PieceType.KING - man + 5 * color
    return number


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
    return np.zeros(RECORDS_START, dtype=np.int32)


def with_table(
    catalog: NDArray[np.int32], index: TableIndex, first_pages: tuple[int, int]
) -> NDArray[np.int32]:
    """Return a catalog with one more table.

    Parameters
    ----------
    catalog
        The catalog so far, left as it is.
    index
        Numbering of the positions, of a normalized material.
    first_pages
        Number of the first page with White and with Black to move. That of Black is not used if
        both sides have the same men: such a table stores White to move only.

    Returns
    -------
    NDArray[np.int32]
        The new catalog.
    """
    material, tables = index.material, index.tables
    record = np.empty(SLICES + len(tables.slice_of), dtype=np.int32)
    record[WHITE_PAGES], record[BLACK_PAGES] = first_pages
    record[RANK_COUNT], record[KING_PAIR_COUNT] = index.ranks, index.king_pairs
    record[IS_SYMMETRIC] = material.is_symmetric
    record[SLICES:] = tables.slice_of
    grown = np.concatenate([catalog, record])
    start = KINGS_START + KINGS_LENGTH * material.has_pawns
    grown[start : start + KINGS_LENGTH] = _king_entries(tables)
    grown[material_number(material.swapped())] = -len(catalog)
    grown[material_number(material)] = len(catalog)
    return grown


def _king_entries(tables: IndexTables) -> NDArray[np.int32]:
    """Return an entry for each pair of king squares, 0 for kings that touch."""
    groups = king_groups(tables.king_squares)
    pair = tables.king_pair.astype(np.int32)
    group = np.searchsorted(groups, pair, side="right") - 1
    place = (pair - groups[group]).astype(np.int32)
    count = np.append(np.diff(groups), 0)[group].astype(np.int32)
    has_second = tables.king_second != NO_SYMMETRY
    entries: NDArray[np.int32] = (
        (pair << PAIR_SHIFT)
        + (count << COUNT_SHIFT)
        + (place << PLACE_SHIFT)
        + (np.where(has_second, tables.king_second, 0).astype(np.int32) << SECOND_SHIFT)
        + (has_second.astype(np.int32) << HAS_SECOND_SHIFT)
        + (tables.king_symmetry.astype(np.int32) << SYMMETRY_SHIFT)
    )
    return np.where(pair < 0, np.int32(0), entries)


@hot_kernel
def image(word: Any, symmetry: Any) -> Any:
    """Return the image of a set of few squares under a symmetry."""
    result = np.uint64(0)
    while word != np.uint64(0):
        square = lowest_bit(word)
        word &= word - np.uint64(1)
        result |= np.uint64(1) << np.uint64(D4[symmetry, square])
    return result


@hot_kernel
def is_attacked(square: Any, by: Any, color: Any, occupied: Any, words: Any) -> Any:
    """Return whether men `by` of a colour attack a square; `words` are pawns to kings."""
    pawns, knights, bishops, rooks, queens, kings = words
    leapers = _ATTACKS[1 - color, _PAWN, square] & pawns
    leapers |= _ATTACKS[_WHITE, _KNIGHT, square] & knights
    leapers |= _ATTACKS[_WHITE, _KING, square] & kings
    if leapers & by != np.uint64(0):
        return True
    sliders = _ATTACKS[_WHITE, _ROOK, square] & (rooks | queens)
    sliders |= _ATTACKS[_WHITE, _BISHOP, square] & (bishops | queens)
    sliders &= by
    while sliders != np.uint64(0):
        if _BETWEEN[square, lowest_bit(sliders)] & occupied == np.uint64(0):
            return True
        sliders &= sliders - np.uint64(1)
    return False


@hot_kernel
def _rank(pieces: Any, white: Any, black: Any, pawns: Any, symmetry: Any) -> Any:
    """Return the rank of the image of pieces; `pieces` are words of queens to knights."""
    taken = image(pawns, symmetry)
    free = 64 - count_bits(taken)
    rank = np.int64(0)
    for side in (white, black):
        for kind in pieces:
            group = kind & side
            if group == np.uint64(0):
                continue
            group = image(group, symmetry)
            size = count_bits(group)
            inside = np.int64(0)
            rest = group
            for i in range(1, size + 1):
                below = (rest & (~rest + np.uint64(1))) - np.uint64(1)
                label = lowest_bit(rest) - count_bits(taken & below)
                inside += BINOMIALS[label, i]
                rest &= rest - np.uint64(1)
            rank = rank * BINOMIALS[free, size] + inside
            taken |= group
            free -= size
    return rank


@hot_kernel
def _pawn_digits(pawns: Any) -> Any:
    """Return the pawns' squares as digits to the base `PAWN_BASE`, and the next weight."""
    digits = np.int64(0)
    weight = np.int64(1)
    while pawns != np.uint64(0):
        digits += weight * (lowest_bit(pawns) - FIRST_PAWN_SQUARE)
        weight *= PAWN_BASE
        pawns &= pawns - np.uint64(1)
    return digits, weight


@hot_kernel
def _men_number(kinds: Any, white: Any, black: Any) -> Any:
    """Return the number of a material; `kinds` are words of queens to pawns."""
    number = np.int64(0)
    digit = np.int64(0)
    for side in (white, black):
        for kind in kinds:
            digit += 1
            for _ in range(count_bits(kind & side)):
                number = number * MEN_BASE + digit
    return number


@hot_entry
def locate(
    catalog: Any,
    pawns: Any,
    knights: Any,
    bishops: Any,
    rooks: Any,
    queens: Any,
    kings: Any,
    white: Any,
    white_to_move: Any,
) -> Any:
    """Return the location of a position, or the negative reason why it has none.

    `catalog` int32 [any], the men as uint64 words, `white` those of White.
    """
    occupied = pawns | knights | bishops | rooks | queens | kings
    white &= occupied
    black = occupied & ~white
    men = count_bits(occupied)
    if men > MAX_MEN:
        return np.int64(TOO_MANY_MEN)
    listed = count_bits(pawns) + count_bits(knights) + count_bits(bishops) + count_bits(rooks)
    if (
        listed + count_bits(queens) + count_bits(kings) != men
        or count_bits(kings & white) != 1
        or count_bits(kings & black) != 1
        or pawns & _FIRST_AND_LAST_RANK != np.uint64(0)
    ):
        return np.int64(IMPOSSIBLE)
    words = (pawns, knights, bishops, rooks, queens, kings)
    if white_to_move:
        taken = is_attacked(lowest_bit(kings & black), white, _WHITE, occupied, words)
    else:
        taken = is_attacked(lowest_bit(kings & white), black, _BLACK, occupied, words)
    if taken:
        return np.int64(OPPONENT_IN_CHECK)
    if men == 2:
        return np.int64(BARE_KINGS)
    material = _men_number((queens, rooks, bishops, knights, pawns), white, black)
    record = np.int64(catalog[material])
    if record == 0:
        return np.int64(UNKNOWN_TABLE) - material
    if record == NO_RECORD:
        return np.int64(MISSING_TABLE)
    if record < 0 or (catalog[record + IS_SYMMETRIC] and not white_to_move):
        record = abs(record)
        pawns, knights, bishops = image(pawns, _FLIP), image(knights, _FLIP), image(bishops, _FLIP)
        rooks, queens, kings = image(rooks, _FLIP), image(queens, _FLIP), image(kings, _FLIP)
        white, black = image(black, _FLIP), image(white, _FLIP)
        white_to_move = not white_to_move
    slot = _slot(catalog, record, (queens, rooks, bishops, knights), pawns, kings, white, black)
    first_page = np.int64(catalog[record + (WHITE_PAGES if white_to_move else BLACK_PAGES)])
    return (first_page << PAGE_BITS) + slot


@cache
def compile_locate() -> Callable[..., int]:
    """Return `locate`, compiled for words and nothing else; one thread at a time may do this.

    numba takes a Python int for signed or unsigned by its size, so without this it would compile
    once for every combination of men on the square h8.
    """
    words = (types.uint64,) * 7
    locate.compile((types.Array(types.int32, 1, "C"), *words, types.boolean))
    locate.disable_compile()
    compiled: Callable[..., int] = locate
    return compiled


@hot_kernel
def _slot(
    catalog: Any, record: Any, pieces: Any, pawns: Any, kings: Any, white: Any, black: Any
) -> Any:
    """Return the slot of a position by the record of its table."""
    start = np.int64(KINGS_START)
    slice_ = np.int64(0)
    entry = np.int64(0)
    pair = lowest_bit(kings & white) * 64 + lowest_bit(kings & black)
    if pawns != np.uint64(0):
        start += KINGS_LENGTH
        white_digits, weight = _pawn_digits(pawns & white)
        black_digits, _ = _pawn_digits(pawns & black)
        flagged = np.int64(catalog[record + SLICES + white_digits + weight * black_digits])
        slice_ = slice_number(flagged)
        symmetry, second = slice_symmetry(flagged), second_slice_symmetry(flagged)
    else:
        entry = np.int64(catalog[start + pair])
        symmetry = entry >> SYMMETRY_SHIFT & 7
        second = np.int64(NO_SYMMETRY)
        if entry >> HAS_SECOND_SHIFT & 1:
            second = entry >> SECOND_SHIFT & 7
    ranks, pairs = (
        np.int64(catalog[record + RANK_COUNT]),
        np.int64(catalog[record + KING_PAIR_COUNT]),
    )
    best = slot = np.int64(-1)
    for t in (symmetry, second):
        if t == NO_SYMMETRY:
            continue
        rank = _rank(pieces, white, black, pawns, t)
        if pawns != np.uint64(0):
            pair = np.int64(D4[t, lowest_bit(kings & white)]) * 64
            pair += np.int64(D4[t, lowest_bit(kings & black)])
            entry = np.int64(catalog[start + pair])
        king_pair = entry >> PAIR_SHIFT
        # Of two images that of the smaller index counts, whatever the order of the slots.
        number = rank * pairs + king_pair
        if best < 0 or number < best:
            best = number
            place, count = entry >> PLACE_SHIFT & 63, entry >> COUNT_SHIFT & 63
            slot = (slice_ * pairs + king_pair - place) * ranks + rank * count + place
    return slot


@hot_entry
def words_of_squares(
    squares: Any, kinds: Any, is_white: Any, white_to_move: Any, words: Any
) -> Any:
    """Write the words of positions to `words` uint64 [n, 8] from `squares` uint8 [n, men].

    `kinds` int64 [men] are columns of `words`, `is_white` bool [men], `white_to_move` bool [n].
    Rows with a number that is not a square become positions without kings.
    """
    for i in range(len(squares)):
        words[i] = 0
        for man in range(len(kinds)):
            square = squares[i, man]
            if square > 63:
                words[i] = 0
                break
            bit = np.uint64(1) << np.uint64(square)
            words[i, kinds[man]] |= bit
            if is_white[man]:
                words[i, WHITE_MEN] |= bit
        words[i, WHITE_TO_MOVE] = np.uint64(white_to_move[i])


@hot_kernel
def _locate_many(catalog: Any, words: Any, men: Any, locations: Any) -> Any:
    """Write the location of each row of `words` uint64 [n, 8] to `locations` int64 [n]."""
    for i in range(len(words)):
        pawns, knights, bishops = words[i, PAWNS], words[i, KNIGHTS], words[i, BISHOPS]
        rooks, queens, kings = words[i, ROOKS], words[i, QUEENS], words[i, KINGS]
        if men > 0 and count_bits(pawns | knights | bishops | rooks | queens | kings) != men:
            locations[i] = IMPOSSIBLE
            continue
        locations[i] = locate(
            catalog,
            pawns,
            knights,
            bishops,
            rooks,
            queens,
            kings,
            words[i, WHITE_MEN],
            words[i, WHITE_TO_MOVE] != np.uint64(0),
        )


@hot_entry
def read_codes(
    catalog: Any,
    addresses: Any,
    words: Any,
    men: Any,
    locations: Any,
    codes: Any,
    states: Any,
    wanted: Any,
) -> Any:
    """Write the values of positions to `codes` int16 [n]; those without keep theirs.

    `words` uint64 [n, 8]; `men` is the number of men that each position must have, 0 for any;
    `addresses` int64 [pages] of pages in memory, 0 if not there, negative if values have two bytes;
    `locations` int64 [n] is written over. `states` int8 [n] becomes 0 or
    a negative reason. `wanted` bool [materials + pages] marks materials unknown to the catalog
    and pages not in memory.
    """
    # In a loop of their own, several reads wait for memory at the same time.
    _locate_many(catalog, words, men, locations)
    for i in range(len(locations)):
        location = locations[i]
        states[i] = max(min(location, 0), UNKNOWN_TABLE)
        if location >= 0:
            page = location >> PAGE_BITS
            place = location & (PAGE_SIZE - 1)
            if addresses[page] > 0:
                codes[i] = byte_at(addresses[page], place)
            elif addresses[page] < 0:
                value = np.int64(byte_at(-addresses[page], 2 * place))
                codes[i] = value | np.int64(byte_at(-addresses[page], 2 * place + 1)) << 8
            else:
                states[i] = NOT_LOADED
                wanted[MATERIAL_NUMBERS + page] = True
        elif location <= UNKNOWN_TABLE:
            wanted[UNKNOWN_TABLE - location] = True
