"""From men on squares to the location of the code, for any game, by kernels.

A *location* is the number of a page, shifted by `PAGE_BITS`, plus the offset inside, or negative
with the reason why there is none. A page is `PAGE_SIZE` codes of one side of one table, and all
pages are numbered. `catalog` says how tables and materials are known.

Positions are *words*, bit i for square i: one for each kind of men from pawns on, White's men, and
the side to move; or *rows*: the number of the material, the squares in its order, and the side. A
*side* is 1 if White is to move, plus 2 times White's checks left, plus 8 times Black's.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from tablebase.core.board.geometry import PieceType
from tablebase.core.ground.capacity import MAX_MEN
from tablebase.core.index.numbering import MAX_MEN_OF_INDEX, encode_position
from tablebase.core.jit.instructions import byte_at, count_bits, lowest_bit, work_space
from tablebase.core.jit.kernels import hot_entry, hot_kernel, inlined_kernel
from tablebase.core.outcomes.metrics import ARRIVED_OUTCOME
from tablebase.core.reading.catalog import (
    BLACK_MAN,
    MAN_BITS,
    Missing,
    Start,
    find_entry,
    game_at,
    table_at,
)

PAGE_BITS = 16
PAGE_SIZE = 1 << PAGE_BITS

# Why a position has no location.
BARE_KINGS = -1  # a draw that needs no table
ILLEGAL = -2  # or no position at all
TOO_MANY_MEN = -3
# Only in batches: the page of the code is not in memory, or a table is known to be missing.
NOT_LOADED = -4
MISSING_TABLE = -5
# The game is over, before the side to move can do anything: `OVER` minus the sign of the outcome.
OVER = -8
# The catalog has no table of this material; minus the number of the material.
UNKNOWN_TABLE = -16

WHITE_TO_MOVE = 1  # of a side
_PAWN, _KING = int(PieceType.PAWN), int(PieceType.KING)
_LOST, _WON = -1, 1  # signs; a side that has won and is to move has arrived at its goal
TWO_KINGS = _KING | (BLACK_MAN + _KING) << MAN_BITS  # the number of that material
ONE = np.uint64(1)


@cache
def compile_locate() -> Callable[..., int]:
    """Return `locate`, compiled for words of chess's men; one thread at a time may do this.

    numba takes a Python int for signed or unsigned by its size, so without this it would compile
    once for every combination of men on the square h8.
    """
    from numba import types  # noqa: PLC0415 (it takes longer than to locate some boards)

    words = types.UniTuple(types.uint64, _KING + 2)
    compiled = locate.dispatcher
    compiled.compile((types.Array(types.int64, 1, "C"), words))
    compiled.disable_compile()
    found: Callable[..., int] = compiled
    return found


@hot_entry
def locate(catalog, words):
    """Return the location of a position, or the negative reason why it has none.

    `catalog` int64 [any], `words` uint64 of chess's men and the side to move.
    """
    squares = work_space(MAX_MEN, np.uint8)
    number = _row_of_words(words, squares)
    if number < 0:
        return number
    return _locate(catalog, number, squares, np.int64(words[len(words) - 1]))


@inlined_kernel
def _row_of_words(words: Any, squares: Any) -> Any:
    """Write the squares of a position's men to `squares` uint8 [MAX_MEN], and return their number.

    It is 0 if there is no man, or negative with the reason why there is none.
    """
    kinds = len(words) - 2
    occupied, by_kind = np.uint64(0), np.int64(0)
    for kind in range(kinds):
        occupied |= words[kind]
        by_kind += count_bits(words[kind])
    count = count_bits(occupied)
    if count > MAX_MEN:
        return np.int64(TOO_MANY_MEN)
    if by_kind != count:  # two men are on one square
        return np.int64(ILLEGAL)
    number, place = np.int64(0), np.int64(0)
    own, code = occupied & words[kinds], np.int64(1)
    for _ in range(2):
        for kind in range(kinds):
            men = words[kind] & own
            while men:
                squares[place] = lowest_bit(men)
                number |= (code + kind) << MAN_BITS * place
                place += 1
                men &= men - ONE
        own, code = occupied & ~words[kinds], np.int64(1 + BLACK_MAN)
    return number


@inlined_kernel
def _locate(catalog: Any, number: Any, squares: Any, side: Any) -> Any:
    """Return the location of a row, `squares` uint8 [men at least]."""
    game = game_at(catalog[Start.GAME])
    reason = _obstacle(game, number, squares, side)
    if reason:
        return reason
    if number >> MAN_BITS * game.most_men:
        return np.int64(TOO_MANY_MEN)
    if number == TWO_KINGS and game.bare_draws:
        return np.int64(BARE_KINGS)
    entry = np.int64(find_entry(catalog, number))
    if entry == Missing.UNKNOWN:
        return UNKNOWN_TABLE - number
    if entry == Missing.SKIPPED:
        return np.int64(MISSING_TABLE)
    table = table_at(entry)
    own = 1 - (side & WHITE_TO_MOVE)
    is_swapped = table.is_swapped | table.is_symmetric & own
    men, images = table.row_men[is_swapped], game.images[is_swapped]
    led = work_space(MAX_MEN_OF_INDEX, np.uint8)[: len(men)]
    for i in range(len(men)):
        led[i] = images[squares[men[i]]]
    index = encode_position(table.numbering, led)
    if index < 0:
        return np.int64(ILLEGAL)
    if game.counting:
        index += layer_of(table.layers, side, is_swapped) * table.numbering.layer_size
    return (table.pages[own ^ is_swapped] << PAGE_BITS) + slot_numbered(table, index)


@inlined_kernel
def _obstacle(game: Any, number: Any, squares: Any, side: Any) -> Any:
    """Return the reason why a position is in no table, whatever tables there are, or 0."""
    occupied = np.uint64(np.int64(game.outside))
    white_king = black_king = np.int64(-1)
    left, place, code = number, np.int64(0), np.int64(0)
    while left:
        code, square = left & 63, np.int64(squares[place])
        color, kind = code >> 5, code & 31
        bit = ONE << np.uint64(square)
        if square > 63 or occupied & bit:
            return np.int64(ILLEGAL)
        if kind == _PAWN and not game.pawn_squares[color] & bit:
            return np.int64(ILLEGAL)
        if kind == _KING and game.royal:
            if (black_king if color else white_king) >= 0:
                return np.int64(ILLEGAL)
            if color:
                black_king = square
            else:
                white_king = square
        occupied |= bit
        left >>= MAN_BITS
        place += 1
    if not game.royal:
        return np.int64(0 if number & 63 < BLACK_MAN <= code else ILLEGAL)
    if white_king < 0 or black_king < 0:
        return np.int64(ILLEGAL)
    return kings_stand(game, number, squares, occupied, side, (white_king, black_king))


@inlined_kernel
def kings_stand(game: Any, number: Any, squares: Any, occupied: Any, side: Any, kings: Any) -> Any:
    """Return ILLEGAL or `OVER` minus a sign if two royal kings make a position so, or 0.

    `kings` are the squares of White's and Black's, which are those in `squares` of the row.
    """
    color = 1 - (side & WHITE_TO_MOVE)
    own, other = (kings[1], kings[0]) if color else kings
    if not game.shields[other] >> np.uint64(own) & ONE:
        if _is_attacked(game, number, squares, occupied, color, other):
            return np.int64(ILLEGAL)
        if not game.checking and _is_attacked(game, number, squares, occupied, 1 - color, own):
            return np.int64(ILLEGAL)
    return end_of(game, side, own, other)


@inlined_kernel
def end_of(game: Any, side: Any, own: Any, other: Any) -> Any:
    """Return `OVER` minus a sign if a game is over before a move, ILLEGAL if it ended, or 0.

    The sign is that of the outcome; `own` is the square of the king that is to move.
    """
    goal = np.uint64(np.int64(game.goal))
    if goal >> np.uint64(own) & ONE:
        if not (game.answered and side & WHITE_TO_MOVE):
            return np.int64(ILLEGAL)
        return np.int64(OVER if goal >> np.uint64(other) & ONE else OVER - _WON)
    if game.counting:
        white, black = side >> 1 & 3, side >> 3 & 3
        mine, others = (white, black) if side & WHITE_TO_MOVE else (black, white)
        if mine == 0:
            return np.int64(ILLEGAL)
        if others == 0:
            return np.int64(OVER - _LOST)
    return np.int64(0)


@inlined_kernel
def _is_attacked(
    game: Any, number: Any, squares: Any, occupied: Any, color: Any, target: Any
) -> Any:
    """Return whether a man of a side attacks a square."""
    place = np.int64(0)
    found = False
    while number and not found:
        code, square = number & 63, np.int64(squares[place])
        if code >> 5 == color:
            found = _attacks(game, color, code & 31, square, occupied, target)
        number >>= MAN_BITS
        place += 1
    return found


@inlined_kernel
def _attacks(game: Any, color: Any, kind: Any, square: Any, occupied: Any, target: Any) -> Any:
    """Return whether a man on a square attacks another one."""
    if not game.attacks[color, kind, square] >> np.uint64(target) & ONE:
        return False
    return not game.between[color, kind, square, target] & occupied


@inlined_kernel
def layer_of(layers: Any, side: Any, is_swapped: Any) -> Any:
    """Return the number of the layer of a table, whose `layers` int64 [2] are a material's."""
    white, black = (side >> 1 & 3) - 1, (side >> 3 & 3) - 1
    if is_swapped:
        white, black = black, white
    if layers[0] == 1:
        white = np.int64(0)
    return white * layers[1] + (black if layers[1] > 1 else np.int64(0))


@inlined_kernel
def slot_numbered(table: Any, index: Any) -> Any:
    """Return the slot of a file that holds the value of an index."""
    pairs, ranks = np.int64(len(table.first)), table.numbering.ranks
    row = index // pairs
    slice_ = np.int64(0) if row < ranks else row // ranks  # most tables have one slice
    return slot_at(table, slice_, row - slice_ * ranks, index - row * pairs)


@inlined_kernel
def slot_at(table: Any, slice_: Any, rank: Any, pair: Any) -> Any:
    """Return the slot of a slice, the rank of its pieces and a pair of kings: `storage.order`."""
    first = table.first[pair]
    base = (slice_ * len(table.first) + first) * table.numbering.ranks
    return base + rank * table.number[pair] + pair - first


# Many positions.
@hot_entry
def locate_rows(catalog, numbers, squares, columns, sides, locations):
    """Write the locations of rows, or the negative reasons why there is none.

    `numbers` int64 [n], or one for all, negative for a reason; `squares` uint8 [n, men], of which
    the first in a row's order is in column ``columns[0]``; `sides` uint8 [n], `locations` int64.
    """
    row = work_space(MAX_MEN, np.uint8)
    for i in range(len(sides)):
        number = numbers[i if len(numbers) > 1 else 0]
        if number > 0:
            for j in range(len(columns)):
                row[j] = squares[i, columns[j]]
            number = _locate(catalog, number, row, np.int64(sides[i]))
        elif number == 0:
            number = np.int64(ILLEGAL)
        locations[i] = number


@hot_entry
def read_locations(pages, locations, outcomes, states, wanted, unknown):
    """Write the outcomes at locations to `outcomes` int16 [n], 0 where there is none.

    `pages` are `addresses` and `meanings` of a `PageCache`. `states` int8 [n] becomes 0, or the
    negative reason why there is no outcome. `wanted` bool [pages] marks pages without an address,
    `unknown` int64 [any] gets numbers that the catalog lacks, after how many there are.
    """
    addresses, meanings = pages
    # In a loop of its own, in which several reads wait for memory at the same time.
    for i in range(len(locations)):
        location = locations[i]
        states[i] = max(min(location, 0), UNKNOWN_TABLE)
        outcomes[i] = 0
        if location <= UNKNOWN_TABLE:
            _note(unknown, UNKNOWN_TABLE - location)
        elif location >= 0:
            value = stored_at(addresses, location)
            if value >= 0:
                outcomes[i] = meanings[value] if len(meanings) else value
            else:
                states[i] = NOT_LOADED
                wanted[location >> PAGE_BITS] = True
        elif location <= OVER - _LOST:
            outcomes[i] = ARRIVED_OUTCOME if location < OVER else OVER - location


@hot_kernel
def _note(unknown, number):
    """Note a number that the catalog lacks, if there is room and it is not noted yet."""
    count = unknown[0]
    is_new = count + 1 < len(unknown)
    for i in range(1, count + 1):
        is_new &= unknown[i] != number
    if is_new:
        unknown[0] = count + 1
        unknown[count + 1] = number


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
def rows_of_words(words, numbers, squares, sides):
    """Write the rows of `words` uint64 [n, kinds + 2]; numbers are negative where there is none.

    `numbers` int64 [n], `squares` uint8 [n, MAX_MEN], `sides` uint8 [n].
    """
    for i in range(len(words)):
        numbers[i] = _row_of_words(words[i], squares[i])
        sides[i] = np.uint8(words[i, words.shape[1] - 1])


@hot_entry
def kings_can_move(catalog, words, can):
    """Write to `can` bool [n] whether the side to move has a king with a safe square to go to.

    `words` uint64 [n, kinds + 2] of a game in which nothing else but mate wins; of several kings
    the first counts.
    """
    game = game_at(catalog[Start.GAME])
    kinds = words.shape[1] - 2
    for i in range(len(words)):
        occupied = np.uint64(0)
        for kind in range(kinds):
            occupied |= words[i, kind]
        white = occupied & words[i, kinds]
        color = np.int64(0 if words[i, kinds + 1] & ONE else 1)
        own = occupied & ~white if color else white
        kings = words[i, _KING - 1] & own
        targets = np.uint64(0)
        if kings:
            king = lowest_bit(kings)
            targets = game.attacks[color, _KING, king] & ~own
            # The king does not shield what is behind it from an attack.
            occupied &= ~(ONE << np.uint64(king))
        can[i] = False
        while targets and not can[i]:
            target = lowest_bit(targets)
            can[i] = not _some_attack(game, words[i], occupied, occupied & ~own, 1 - color, target)
            targets &= targets - ONE


@hot_kernel
def _some_attack(game, words, occupied, others, color, target):
    """Return whether one of the men `others`, of a colour, attacks a square from another one."""
    for kind in range(1, len(words) - 1):
        men = words[kind - 1] & others
        while men:
            square = lowest_bit(men)
            men &= men - ONE
            if _attacks(game, color, kind, square, occupied, target):
                return True
    return False
