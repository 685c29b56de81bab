"""From the bitboards of a position to the location of its code, in one compiled call.

A *location* is the number of a page, shifted by `PAGE_BITS`, plus the offset inside, or negative
with the reason why there is none. A page is `PAGE_SIZE` codes of one side of one table, and all
pages are numbered; the tables stand in a `catalog`, so that kernels are the same for all.

Positions are words, bit i for square i: `men`, six by kind from pawns to kings, and `sides`,
White's and Black's. All kernels are inlined, because calls with a dozen arguments are slow.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from tablebase.core.board.geometry import Color, PieceType
from tablebase.core.board.movement import make_movement
from tablebase.core.board.symmetry import D4, FLIP
from tablebase.core.ground.capacity import MAX_MEN
from tablebase.core.index.combinations import BINOMIALS, combination_number
from tablebase.core.index.kings import NO_SYMMETRY
from tablebase.core.index.pawns import (
    FIRST_PAWN_SQUARE,
    PAWN_BASE,
    second_slice_symmetry,
    slice_number,
    slice_symmetry,
)
from tablebase.core.jit.instructions import byte_at, count_bits, lowest_bit, work_space
from tablebase.core.jit.kernels import hot_entry, inlined_kernel
from tablebase.core.reading.catalog import (
    MATERIAL_NUMBERS,
    MEN_BASE,
    KingBit,
    Missing,
    Record,
    Start,
)

if TYPE_CHECKING:
    from collections.abc import Callable

PAGE_BITS = 16
PAGE_SIZE = 1 << PAGE_BITS

# Why a position has no location.
BARE_KINGS = -1  # a draw that needs no table
OPPONENT_IN_CHECK = -2  # the side to move could take the king
IMPOSSIBLE = -3  # not one king a side, a pawn on the first or last rank, two men on a square
TOO_MANY_MEN = -4
# Only in batches: the page of the code is not in memory, or a table is known to be missing.
NOT_LOADED = -5
MISSING_TABLE = -6
# The catalog has no table of this material; minus the number of the material.
UNKNOWN_TABLE = -16

# The words of a position, as `board_words` gives them; columns in a batch.
PAWNS, KNIGHTS, BISHOPS, ROOKS, QUEENS, KINGS, WHITE_MEN, WHITE_TO_MOVE = range(8)

FIRST_AND_LAST_RANK = np.uint64(0xFF000000000000FF)
_WHITE, _BLACK = int(Color.WHITE), int(Color.BLACK)
_PAWN, _KNIGHT, _BISHOP, _ROOK, _QUEEN, _KING = map(int, PieceType)
ATTACKS, BETWEEN = make_movement().attacks, make_movement().between[_WHITE, _QUEEN]
_FLIP = int(FLIP)


@cache
def compile_locate() -> Callable[..., int]:
    """Return `locate`, compiled for words and nothing else; one thread at a time may do this.

    numba takes a Python int for signed or unsigned by its size, so without this it would compile
    once for every combination of men on the square h8.
    """
    from numba import types  # noqa: PLC0415 (it takes longer than to locate some boards)

    words = types.UniTuple(types.uint64, WHITE_TO_MOVE + 1)
    compiled = locate.dispatcher
    compiled.compile((types.Array(types.int32, 1, "C"), words))
    compiled.disable_compile()
    found: Callable[..., int] = compiled
    return found


@hot_entry
def locate(catalog, words):
    """Return the location of a position, or the negative reason why it has none.

    `catalog` int32 [any], `words` eight uint64 as of `board_words`: the men by kind, White's men,
    and whether White is to move.
    """
    return _locate(catalog, words, 0)


@inlined_kernel
def _locate(catalog: Any, words: Any, wanted: Any) -> Any:
    """Return the location that `locate` does; `wanted` is as of `_obstacle`."""
    white_to_move = words[WHITE_TO_MOVE] != np.uint64(0)
    men, sides = split_words(words)
    reason = _obstacle(men, sides, white_to_move, wanted)
    if reason:
        return reason
    material = number_of_men(men, sides)
    record = np.int64(catalog[Start.MATERIALS + material])
    if record == Missing.UNKNOWN:
        return UNKNOWN_TABLE - material
    if record == Missing.SKIPPED:
        return np.int64(MISSING_TABLE)
    if is_exchanged(catalog, record, white_to_move):
        record, white_to_move = abs(record), not white_to_move
        men, sides = exchange_men(men, sides)
    first = first_location(catalog, record, white_to_move)
    return first + _find_slot(catalog, record, men, sides)


@inlined_kernel
def split_words(words: Any) -> Any:
    """Return `men` and `sides` of a position from its eight words, a tuple or an array."""
    pawns, knights, bishops = words[PAWNS], words[KNIGHTS], words[BISHOPS]
    rooks, queens, kings = words[ROOKS], words[QUEENS], words[KINGS]
    occupied = pawns | knights | bishops | rooks | queens | kings
    men = pawns, knights, bishops, rooks, queens, kings
    return men, (occupied & words[WHITE_MEN], occupied & ~words[WHITE_MEN])


@inlined_kernel
def _obstacle(men: Any, sides: Any, white_to_move: Any, wanted: Any) -> Any:
    """Return the reason why a position is in no table, whatever tables there are, or 0.

    `wanted` is the number of men that it must have, 0 for any number.
    """
    pawns, knights, bishops, rooks, queens, kings = men
    white, black = sides
    occupied = white | black
    count = count_bits(occupied)
    if wanted > 0 and count != wanted:
        return np.int64(IMPOSSIBLE)
    if count > MAX_MEN:
        return np.int64(TOO_MANY_MEN)
    by_kind = count_bits(pawns) + count_bits(knights) + count_bits(bishops)
    by_kind += count_bits(rooks) + count_bits(queens) + count_bits(kings)
    if (
        by_kind != count  # two men are on one square
        or count_bits(kings & white) != 1
        or count_bits(kings & black) != 1
        or pawns & FIRST_AND_LAST_RANK
    ):
        return np.int64(IMPOSSIBLE)
    movers, color = (white, _WHITE) if white_to_move else (black, _BLACK)
    if _is_attacked(men, movers, color, occupied, lowest_bit(kings & ~movers)):
        return np.int64(OPPONENT_IN_CHECK)
    return np.int64(BARE_KINGS if count == 2 else 0)


# Is it a position?
@inlined_kernel
def _is_attacked(men: Any, by: Any, color: Any, occupied: Any, square: Any) -> Any:
    """Return whether one of the men in the word `by`, all of one colour, attacks a square."""
    pawns, knights, bishops, rooks, queens, kings = men
    leapers = ATTACKS[1 - color, _PAWN, square] & pawns
    leapers |= ATTACKS[_WHITE, _KNIGHT, square] & knights
    leapers |= ATTACKS[_WHITE, _KING, square] & kings
    if leapers & by:
        return True
    sliders = ATTACKS[_WHITE, _ROOK, square] & (rooks | queens)
    sliders |= ATTACKS[_WHITE, _BISHOP, square] & (bishops | queens)
    sliders &= by
    while sliders:
        if not BETWEEN[square, lowest_bit(sliders)] & occupied:
            return True
        sliders &= sliders - np.uint64(1)
    return False


# Which table has it, and does that have the colours exchanged?
@inlined_kernel
def number_of_men(men: Any, sides: Any) -> Any:
    """Return the number of a position's material, as `catalog.material_number` does."""
    pawns, knights, bishops, rooks, queens, _ = men
    number = np.int64(0)
    digit = np.int64(0)
    for side in sides:
        for kind in (queens, rooks, bishops, knights, pawns):
            digit += 1
            for _ in range(count_bits(kind & side)):
                number = number * MEN_BASE + digit
    return number


@inlined_kernel
def is_exchanged(catalog: Any, record: Any, white_to_move: Any) -> Any:
    """Return whether a table has its positions with the colours exchanged.

    `record` is negative if Black has the stronger side. Where both are equal, only positions with
    White to move are stored.
    """
    return record < 0 or (catalog[record + Record.IS_SYMMETRIC] != 0 and not white_to_move)


@inlined_kernel
def exchange_men(men: Any, sides: Any) -> Any:
    """Return `men` and `sides` with the board turned upside down and the colours exchanged."""
    pawns, knights, bishops, rooks, queens, kings = men
    pawns, knights, bishops = image(pawns, _FLIP), image(knights, _FLIP), image(bishops, _FLIP)
    rooks, queens, kings = image(rooks, _FLIP), image(queens, _FLIP), image(kings, _FLIP)
    white, black = sides
    turned = pawns, knights, bishops, rooks, queens, kings
    return turned, (image(black, _FLIP), image(white, _FLIP))


@inlined_kernel
def image(word: Any, symmetry: Any) -> Any:
    """Return the image of a set of few squares under a symmetry."""
    result = np.uint64(0)
    while word:
        result |= np.uint64(1) << np.uint64(D4[symmetry, lowest_bit(word)])
        word &= word - np.uint64(1)
    return result


@inlined_kernel
def first_location(catalog: Any, record: Any, white_to_move: Any) -> Any:
    """Return the location of slot 0 of a table with a side to move."""
    pages = Record.WHITE_PAGES if white_to_move else Record.BLACK_PAGES
    return np.int64(catalog[record + pages]) << PAGE_BITS


@inlined_kernel
def _find_slot(catalog: Any, record: Any, men: Any, sides: Any) -> Any:
    """Return the slot of a position in the table of a record."""
    kings = lowest_bit(men[KINGS] & sides[_WHITE]), lowest_bit(men[KINGS] & sides[_BLACK])
    if men[PAWNS]:
        slice_, symmetries = canonical_by_pawns(catalog, record, men[PAWNS], sides)
    else:
        slice_, symmetries = np.int64(0), canonical_by_kings(catalog, kings)
    ranks = work_space(8, np.int64)
    rank_images(men, sides, symmetries, ranks)
    return slot_at(catalog, record, slice_, kings, symmetries, ranks)


@inlined_kernel
def canonical_by_pawns(catalog: Any, record: Any, pawns: Any, sides: Any) -> Any:
    """Return the slice of some pawns, and the symmetries that make them canonical.

    There are one or two of these; without a second one it is NO_SYMMETRY.
    """
    white, black = sides
    white_key, weight = _pawn_key(pawns & white)
    black_key, _ = _pawn_key(pawns & black)
    entry = np.int64(catalog[record + Record.SLICES + white_key + weight * black_key])
    return slice_number(entry), (slice_symmetry(entry), second_slice_symmetry(entry))


# Where does the table have it?
@inlined_kernel
def _pawn_key(pawns: Any) -> Any:
    """Return the squares of some pawns as digits to the base `PAWN_BASE`, and the next weight."""
    key = np.int64(0)
    weight = np.int64(1)
    while pawns:
        key += weight * (lowest_bit(pawns) - FIRST_PAWN_SQUARE)
        weight *= PAWN_BASE
        pawns &= pawns - np.uint64(1)
    return key, weight


@inlined_kernel
def canonical_by_kings(catalog: Any, kings: Any) -> Any:
    """Return the symmetries that make two kings canonical without pawns, one or two.

    `kings` are the squares of White's and Black's king.
    """
    entry = np.int64(catalog[Start.KINGS + kings[0] * 64 + kings[1]])
    second = entry >> KingBit.SECOND & 7
    if not entry >> KingBit.HAS_SECOND & 1:
        second = np.int64(NO_SYMMETRY)
    return entry >> KingBit.SYMMETRY & 7, second


@inlined_kernel
def rank_images(men: Any, sides: Any, symmetries: Any, ranks: Any) -> None:
    """Write to `ranks` int64 [8], by symmetry, the rank of the image of the pieces under some."""
    for symmetry in symmetries:
        if symmetry != NO_SYMMETRY:
            ranks[symmetry] = _rank_of(men, sides, symmetry)


@inlined_kernel
def _rank_of(men: Any, sides: Any, symmetry: Any) -> Any:
    """Return the rank of the image of the pieces under a symmetry, see `index.combinations`."""
    pawns, knights, bishops, rooks, queens, _ = men
    taken = image(pawns, symmetry)
    free = 64 - count_bits(taken)
    rank = np.int64(0)
    for side in sides:
        for kind in (queens, rooks, bishops, knights):
            if kind & side:
                group = image(kind & side, symmetry)
                size = count_bits(group)
                rank = rank * BINOMIALS[free, size] + combination_number(group, taken)
                taken |= group
                free -= size
    return rank


@inlined_kernel
def slot_at(catalog: Any, record: Any, slice_: Any, kings: Any, symmetries: Any, ranks: Any) -> Any:
    """Return the slot of a position in the table of a record.

    `kings` are the squares of White's and Black's king, `symmetries` the one or two that make the
    position canonical, and `ranks` is as of `rank_images`.
    """
    first, second = symmetries
    index, slot = _slot_of_image(catalog, record, slice_, kings, first, ranks)
    if second == NO_SYMMETRY:
        return slot
    # Of two images the one with the smaller index counts, whatever the order of the slots.
    other, other_slot = _slot_of_image(catalog, record, slice_, kings, second, ranks)
    return slot if index <= other else other_slot


@inlined_kernel
def _slot_of_image(
    catalog: Any, record: Any, slice_: Any, kings: Any, symmetry: Any, ranks: Any
) -> Any:
    """Return the index of the image of a position within its slice, and the slot of the image."""
    white, black = np.int64(D4[symmetry, kings[0]]), np.int64(D4[symmetry, kings[1]])
    rank_count = np.int64(catalog[record + Record.RANKS])
    pair_count = np.int64(catalog[record + Record.KING_PAIRS])
    entry = np.int64(catalog[catalog[record + Record.KINGS] + white * 64 + black])
    rank, pair = ranks[symmetry], entry >> KingBit.PAIR
    before, count = entry >> KingBit.BEFORE & 63, entry >> KingBit.COUNT & 63
    # See `storage.order`: `pair - before` is the first pair with this square of Black's king.
    slot = (slice_ * pair_count + pair - before) * rank_count + rank * count + before
    return rank * pair_count + pair, slot


# Many positions.
@hot_entry
def words_of_squares(squares, kinds, is_white, white_to_move, words):
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


@hot_entry
def outcomes_in_pages(
    catalog,
    pages,
    words,
    men,
    locations,
    outcomes,
    states,
    wanted,
):
    """Write the outcomes of positions to `outcomes` int16 [n]; those without keep what is there.

    `words` uint64 [n, 8] have `men` men each (0 for any number); `locations` int64 [n] is work
    space. `states` int8 [n] becomes 0, or the negative reason why there is none. `wanted` bool
    [materials + pages] marks what the `catalog` lacks, and pages without an address; `pages` are
    `addresses` and `meanings` of a `PageCache`.
    """
    addresses, meanings = pages
    # In a loop of their own, several reads wait for memory at the same time.
    for i in range(len(words)):
        locations[i] = _locate(catalog, words[i], men)
    for i in range(len(locations)):
        location = locations[i]
        states[i] = max(min(location, 0), UNKNOWN_TABLE)
        if location <= UNKNOWN_TABLE:
            wanted[UNKNOWN_TABLE - location] = True
        elif location >= 0:
            value = stored_at(addresses, location)
            if value >= 0:
                outcomes[i] = meanings[value] if len(meanings) else value
            else:
                states[i] = NOT_LOADED
                wanted[MATERIAL_NUMBERS + (location >> PAGE_BITS)] = True


@inlined_kernel
def stored_at(addresses: Any, location: Any) -> Any:
    """Return the value at a location as it is stored, -1 if its page is not in memory.

    `addresses` int64 [pages] are 0 for pages not in memory, negative for values of two bytes.
    """
    address, offset = addresses[location >> PAGE_BITS], location & (PAGE_SIZE - 1)
    if address > 0:
        return np.int64(byte_at(address, offset))
    if address == 0:
        return np.int64(-1)
    low = np.int64(byte_at(-address, 2 * offset))
    return low | np.int64(byte_at(-address, 2 * offset + 1)) << 8


@hot_entry
def kings_can_move(words, can):
    """Write to `can` bool [n] whether the side to move has a king with a safe square to go to.

    `words` uint64 [n, 8]; of several kings the first counts.
    """
    for i in range(len(words)):
        men, (white, black) = split_words(words[i])
        own, color = (white, _BLACK) if words[i, WHITE_TO_MOVE] else (black, _WHITE)
        targets, occupied = np.uint64(0), white | black
        if own & men[KINGS]:
            king = lowest_bit(own & men[KINGS])
            targets = ATTACKS[_WHITE, _KING, king] & ~own
            # The king does not shield what is behind it from an attack.
            occupied &= ~(np.uint64(1) << np.uint64(king))
        is_safe = False
        while targets and not is_safe:
            is_safe = not _is_attacked(men, ~own, color, occupied, lowest_bit(targets))
            targets &= targets - np.uint64(1)
        can[i] = is_safe
