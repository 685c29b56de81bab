"""From the bitboards of a position to the location of its code, in one compiled call.

A position comes as python-chess keeps it: one word for each kind of man, one for White's men,
and the side to move. The answer is a *location*: the number of a page, shifted by `PAGE_BITS`,
plus the offset inside the page; or a negative number for the reason why there is none. A page is
`PAGE_SIZE` codes of one side of one table; those of all tables are numbered consecutively.

What is known about the tables stands in a `catalog`, so that the kernels are the same for any
tables. The slots that they compute are those of `tablebase.core.index` and
`tablebase.core.storage.order`, taken by groups of men instead of man by man: the tests hold them
equal.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import types

from tablebase.core.board import D4, FLIP, Color, PieceType, make_movement
from tablebase.core.capacity import MAX_MEN
from tablebase.core.index import (
    BINOMIALS,
    FIRST_PAWN_SQUARE,
    NO_SYMMETRY,
    PAWN_BASE,
    second_slice_symmetry,
    slice_number,
    slice_symmetry,
)
from tablebase.core.jit import byte_at, count_bits, hot_entry, hot_kernel, lowest_bit
from tablebase.core.probing.catalog import (
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
_ATTACKS, _BETWEEN = make_movement().attacks, make_movement().between[_WHITE, _QUEEN]
_FLIP = int(FLIP)


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
def _is_attacked(square: Any, by: Any, color: Any, occupied: Any, words: Any) -> Any:
    """Return whether men `by` of a colour attack a square."""
    pawns, knights, bishops, rooks, queens, kings, _, _ = words
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
def barred_squares(words: Any, men: Any, color: Any, occupied: Any, king: Any) -> Any:
    """Return the squares barred to the other king when a side with a king and `men` is to move."""
    pawns, knights, bishops, rooks, queens, _, _, _ = words
    here = np.uint64(1) << np.uint64(king)
    barred = occupied | here | _ATTACKS[_WHITE, _KING, king]
    while men != np.uint64(0):
        square = lowest_bit(men)
        bit = np.uint64(1) << np.uint64(square)
        men &= men - np.uint64(1)
        if pawns & bit:
            barred |= _ATTACKS[color, _PAWN, square]
        elif knights & bit:
            barred |= _ATTACKS[_WHITE, _KNIGHT, square]
        reached = np.uint64(0)
        if (rooks | queens) & bit:
            reached |= _ATTACKS[_WHITE, _ROOK, square]
        if (bishops | queens) & bit:
            reached |= _ATTACKS[_WHITE, _BISHOP, square]
        reached &= ~barred
        while reached != np.uint64(0):
            target = lowest_bit(reached)
            reached &= reached - np.uint64(1)
            if _BETWEEN[square, target] & (occupied | here) == np.uint64(0):
                barred |= np.uint64(1) << np.uint64(target)
    return barred


@hot_kernel
def rank_of(words: Any, black: Any, symmetry: Any) -> Any:
    """Return the combination number of the image of the pieces, the index's `rank`."""
    pawns, knights, bishops, rooks, queens, _, white, _ = words
    taken = image(pawns, symmetry)
    free = 64 - count_bits(taken)
    rank = np.int64(0)
    for side in (white, black):
        for kind in (queens, rooks, bishops, knights):
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
def pawn_digits(pawns: Any) -> Any:
    """Return the pawns' squares as digits to the base `PAWN_BASE`, and the next weight."""
    digits = np.int64(0)
    weight = np.int64(1)
    while pawns != np.uint64(0):
        digits += weight * (lowest_bit(pawns) - FIRST_PAWN_SQUARE)
        weight *= PAWN_BASE
        pawns &= pawns - np.uint64(1)
    return digits, weight


@hot_kernel
def men_number(words: Any, black: Any) -> Any:
    """Return the number of the material of a position."""
    pawns, knights, bishops, rooks, queens, _, white, _ = words
    number = np.int64(0)
    digit = np.int64(0)
    for side in (white, black):
        for kind in (queens, rooks, bishops, knights, pawns):
            digit += 1
            for _ in range(count_bits(kind & side)):
                number = number * MEN_BASE + digit
    return number


@hot_kernel
def colors_exchanged(words: Any, black: Any) -> Any:
    """Return the words of a position with the colours exchanged, and of its black men."""
    pawns, knights, bishops, rooks, queens, kings, white, white_to_move = words
    flipped = (
        image(pawns, _FLIP),
        image(knights, _FLIP),
        image(bishops, _FLIP),
        image(rooks, _FLIP),
        image(queens, _FLIP),
        image(kings, _FLIP),
        image(black, _FLIP),
        np.uint64(white_to_move == np.uint64(0)),
    )
    return flipped, image(white, _FLIP)


@hot_entry
def locate(catalog: Any, words: Any) -> Any:
    """Return the location of a position, or the negative reason why it has none.

    `catalog` int32 [any], `words` eight uint64 as of `board_words`: the men, those of White, and
    whether White is to move.
    """
    pawns, knights, bishops, rooks, queens, kings, white, white_to_move = words
    occupied = pawns | knights | bishops | rooks | queens | kings
    white &= occupied
    black = occupied & ~white
    words = (pawns, knights, bishops, rooks, queens, kings, white, white_to_move)
    men = count_bits(occupied)
    if men > MAX_MEN:
        return np.int64(TOO_MANY_MEN)
    listed = count_bits(pawns) + count_bits(knights) + count_bits(bishops) + count_bits(rooks)
    if (
        listed + count_bits(queens) + count_bits(kings) != men
        or count_bits(kings & white) != 1
        or count_bits(kings & black) != 1
        or pawns & FIRST_AND_LAST_RANK != np.uint64(0)
    ):
        return np.int64(IMPOSSIBLE)
    if white_to_move:
        taken = _is_attacked(lowest_bit(kings & black), white, _WHITE, occupied, words)
    else:
        taken = _is_attacked(lowest_bit(kings & white), black, _BLACK, occupied, words)
    if taken:
        return np.int64(OPPONENT_IN_CHECK)
    if men == 2:
        return np.int64(BARE_KINGS)
    material = men_number(words, black)
    record = np.int64(catalog[Start.MATERIALS + material])
    if record == Missing.UNKNOWN:
        return np.int64(UNKNOWN_TABLE) - material
    if record == Missing.SKIPPED:
        return np.int64(MISSING_TABLE)
    if record < 0 or (catalog[record + Record.IS_SYMMETRIC] and not white_to_move):
        record = abs(record)
        words, black = colors_exchanged(words, black)
    first_page = catalog[
        record + (Record.WHITE_PAGES if words[WHITE_TO_MOVE] else Record.BLACK_PAGES)
    ]
    return (np.int64(first_page) << PAGE_BITS) + _slot(catalog, record, words, black)


@cache
def compile_locate() -> Callable[..., int]:
    """Return `locate`, compiled for words and nothing else; one thread at a time may do this.

    numba takes a Python int for signed or unsigned by its size, so without this it would compile
    once for every combination of men on the square h8.
    """
    words = types.UniTuple(types.uint64, WHITE_TO_MOVE + 1)  # type: ignore[no-untyped-call]
    locate.compile((types.Array(types.int32, 1, "C"), words))
    locate.disable_compile()
    compiled: Callable[..., int] = locate
    return compiled


@hot_kernel
def king_slot(catalog: Any, record: Any, slice_: Any, rank: Any, entry: Any) -> Any:
    """Return the index within a slice and the slot of two kings by their entry in the catalog."""
    ranks = np.int64(catalog[record + Record.RANKS])
    pairs = np.int64(catalog[record + Record.KING_PAIRS])
    king_pair = entry >> KingBit.PAIR
    before, count = entry >> KingBit.BEFORE & 63, entry >> KingBit.COUNT & 63
    slot = (slice_ * pairs + king_pair - before) * ranks + rank * count + before
    return rank * pairs + king_pair, slot


@hot_kernel
def _slot(catalog: Any, record: Any, words: Any, black: Any) -> Any:
    """Return the slot of a position by the record of its table."""
    pawns, kings, white = words[PAWNS], words[KINGS], words[WHITE_MEN]
    start = np.int64(Start.KINGS)
    slice_ = np.int64(0)
    entry = np.int64(0)
    squares = lowest_bit(kings & white) * 64 + lowest_bit(kings & black)
    if pawns != np.uint64(0):
        start = np.int64(Start.KINGS_AND_PAWNS)
        white_digits, weight = pawn_digits(pawns & white)
        black_digits, _ = pawn_digits(pawns & black)
        flagged = np.int64(catalog[record + Record.SLICES + white_digits + weight * black_digits])
        slice_ = slice_number(flagged)
        symmetry, second = slice_symmetry(flagged), second_slice_symmetry(flagged)
    else:
        entry = np.int64(catalog[start + squares])
        symmetry = entry >> KingBit.SYMMETRY & 7
        second = np.int64(NO_SYMMETRY)
        if entry >> KingBit.HAS_SECOND & 1:
            second = entry >> KingBit.SECOND & 7
    best = slot = np.int64(-1)
    for t in (symmetry, second):
        if t == NO_SYMMETRY:
            continue
        rank = rank_of(words, black, t)
        if pawns != np.uint64(0):
            squares = np.int64(D4[t, lowest_bit(kings & white)]) * 64
            squares += np.int64(D4[t, lowest_bit(kings & black)])
            entry = np.int64(catalog[start + squares])
        # Of two images that of the smaller index counts, whatever the order of the slots.
        number, found = king_slot(catalog, record, slice_, rank, entry)
        if best < 0 or number < best:
            best, slot = number, found
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
        white, white_to_move = words[i, WHITE_MEN], words[i, WHITE_TO_MOVE]
        position = (pawns, knights, bishops, rooks, queens, kings, white, white_to_move)
        locations[i] = locate(catalog, position)


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
    """Write the codes of positions to `codes` int16 [n]; those without keep theirs.

    `words` uint64 [n, 8]; `men` is the number of men that each position must have, 0 for any;
    `addresses` int64 [pages] of pages in memory, 0 if not there, negative if codes have two bytes;
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
            offset = location & (PAGE_SIZE - 1)
            if addresses[page] > 0:
                codes[i] = byte_at(addresses[page], offset)
            elif addresses[page] < 0:
                low = np.int64(byte_at(-addresses[page], 2 * offset))
                codes[i] = low | np.int64(byte_at(-addresses[page], 2 * offset + 1)) << 8
            else:
                states[i] = NOT_LOADED
                wanted[MATERIAL_NUMBERS + page] = True
        elif location <= UNKNOWN_TABLE:
            wanted[UNKNOWN_TABLE - location] = True


@hot_entry
def kings_can_move(words: Any, can: Any) -> Any:
    """Write to `can` bool [n] whether the side to move has a king with a safe square to go to.

    `words` uint64 [n, 8]; of several kings the first counts.
    """
    for i in range(len(words)):
        pawns, knights, bishops = words[i, PAWNS], words[i, KNIGHTS], words[i, BISHOPS]
        rooks, queens, kings = words[i, ROOKS], words[i, QUEENS], words[i, KINGS]
        white, white_to_move = words[i, WHITE_MEN], words[i, WHITE_TO_MOVE]
        position = (pawns, knights, bishops, rooks, queens, kings, white, white_to_move)
        occupied = pawns | knights | bishops | rooks | queens | kings
        own, color = white, _BLACK
        if not white_to_move:
            own, color = occupied & ~white, _WHITE
        can[i] = False
        targets = np.uint64(0)
        if kings & own != np.uint64(0):
            king = lowest_bit(kings & own)
            targets = _ATTACKS[_WHITE, _KING, king] & ~own
            occupied &= ~(np.uint64(1) << np.uint64(king))
        while targets != np.uint64(0) and not can[i]:
            square = lowest_bit(targets)
            targets &= targets - np.uint64(1)
            can[i] = not _is_attacked(square, ~own, color, occupied, position)
