"""Bounds packed in memory, and read plane by plane.

A set changes little from one square of the white king to the next, so a packed plane has only the
bytes that change along the ranks, in turn to the right and to the left. Most planes take a tenth of
their words. A *block* of sets by side to move is a word with its length in words and its number of
planes, 32 bits for each plane (bytes from the block's beginning, 0 for an empty plane), and planes.

A plane has a byte with a bit for each rank with a change; each such rank a byte for its squares;
each such square a byte for its bytes, and these, xored with those before. If there are none, the
words are empty from here to the next change, or, where they are empty already, again what they were
before.

*Turned* planes are packed as complements: an attacker's bounds contain illegal positions. Of upper
bounds, the differences from lower ones are packed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tablebase.core.jit.instructions import lowest_bit
from tablebase.core.jit.kernels import entry, hot_entry, hot_kernel, kernel
from tablebase.core.jit.vectors import empty_line, load_line, splat, store_line
from tablebase.solve.kernels.fields import NONE, TURNS, UPPER, Number, planes_of
from tablebase.solve.kernels.king_planes import NEAR, WORDS, ZERO, copy

FAR = ~NEAR  # [white king] squares for a black king
ALL = ~ZERO
# In a plane's 32 bits: all bytes of its words are there.
AS_IT_IS = 1 << 31
# Bytes that a plane takes at most while it is packed.
MOST_BYTES = 1 + 8 + 64 + 8 * WORDS


class _Block(NamedTuple):
    """Columns of a list of sets by side to move, see `squeeze`."""

    START: int = 0  # where they begin, as in columns of the region
    PLANES: int = 1
    TURNED: int = 2  # the side to move whose planes are turned, or NONE
    LOWER: int = 3  # row of the lower bound from which an upper bound is packed, or NONE


Block = _Block()


@kernel
def packed_attackers(region, structure):
    """Return the attackers with packed bounds of a structure, as bits."""
    found = 0
    for attacker in range(2):
        lower, upper = region.lower[structure, attacker], region.upper[structure, attacker]
        if is_packed(lower) or is_packed(upper):
            found |= 1 << attacker
    return found


@kernel
def is_packed(start):
    """Return whether sets are packed, by what a column of the region says of them."""
    return start < NONE


@hot_kernel
def read_bound(region, work, structure, bound, attacker, turn, plane):
    """Return an array with a plane of a bound, LOWER or UPPER, and its first word there.

    What was read of a lower bound before stays where it is.
    """
    lower, upper = region.lower[structure, attacker], region.upper[structure, attacker]
    row = turn * planes_of(region, structure) + plane
    if bound == UPPER and upper != lower and not is_packed(upper):
        return region.arena, upper + row * WORDS
    rows, first = read_plane(region, work, lower, row, _turned_word(turn, attacker))
    if bound == UPPER and upper != lower and _number_of(region, swap_packed(upper), row) != 0:
        unpack_plane(region, swap_packed(upper), row, ZERO, work.pages, WORDS)
        _add_difference(rows, first, work.pages, WORDS)
        return work.pages, np.int64(WORDS)
    return rows, first


@hot_kernel
def read_plane(region, work, start, row, flip):
    """Return an array with plane `row` of sets by side to move, and the plane's first word there.

    `start` is what a column of the region says of the sets, `flip` all ones if the plane is turned.
    """
    if not is_packed(start):
        return region.arena, start + row * WORDS
    unpack_plane(region, swap_packed(start), row, flip, work.pages, 0)
    return work.pages, np.int64(0)


@hot_kernel
def unpack_plane(region, block, row, flip, target, at):
    """Write a plane of a block to `target` from word `at` on.

    `block` is the block's first word, `row` its plane; `flip` is all ones if the plane is turned.
    """
    octets, flipped = region.octets, splat(flip)
    number = _number_of(region, block, row)
    if number == 0:
        for line in range(0, WORDS, 8):
            store_line(target, at + line, flipped)
        return
    place = 8 * block + (number & ~AS_IT_IS)
    if number & AS_IT_IS:
        _copy_bytes(octets, place, target, at)
        return
    ranks, word, shown = np.int64(octets[place]), ZERO, ALL
    place += 1
    for rank in range(8):
        if (ranks >> rank) & 1 == 0:
            words = (splat(word & shown) & load_line(FAR, 8 * rank)) ^ flipped
            store_line(target, at + 8 * rank, words)
            continue
        squares = np.int64(octets[place])
        place += 1
        for i in range(8):
            k = 8 * rank + (7 - i if rank & 1 else i)
            if (squares >> i) & 1:
                changed = np.uint64(octets[place])
                place += 1
                shown = ~shown if changed == ZERO else ALL
                while changed != ZERO:
                    word ^= np.uint64(octets[place]) << np.uint64(8 * lowest_bit(changed))
                    changed &= changed - np.uint64(1)
                    place += 1
            target[at + k] = (word & shown & FAR[k]) ^ flip


@hot_kernel
def _number_of(region, block, row):
    """Return the 32 bits of a plane of a block."""
    both = region.arena[block + 1 + row // 2]
    return np.int64((both >> np.uint64(32 * (row & 1))) & np.uint64(0xFFFFFFFF))


# Reading
@hot_kernel
def _copy_bytes(octets, place, target, at):
    """Write a plane of which all bytes are there."""
    for k in range(WORDS):
        word = ZERO
        for i in range(8):
            word |= np.uint64(octets[place + 8 * k + i]) << np.uint64(8 * i)
        target[at + k] = word


@kernel
def swap_packed(start):
    """Return the first word of packed sets, given what a column says, and the other way round."""
    return NONE - 1 - start


@kernel
def _turned_word(turn, turned):
    return ALL if turn == turned else ZERO


@hot_kernel
def _add_difference(rows, first, target, at):
    """Write the exclusive or of two planes over the second plane."""
    for line in range(0, WORDS, 8):
        words = load_line(target, at + line) ^ load_line(rows, first + line)
        store_line(target, at + line, words)


@hot_kernel
def read_gap(region, work, structure, attacker, turn, plane):
    """Return an array with the positions that are open for an attacker, and a plane's first word.

    They are in the upper bound, but not in the lower one.
    """
    lower, upper = region.lower[structure, attacker], region.upper[structure, attacker]
    row = turn * planes_of(region, structure) + plane
    if upper != lower and is_packed(upper):
        unpack_plane(region, swap_packed(upper), row, ZERO, work.pages, WORDS)
        return work.pages, np.int64(WORDS)
    rows, first = read_plane(region, work, lower, row, _turned_word(turn, attacker))
    for line in range(0, WORDS, 8):
        words = empty_line()
        if upper != lower:
            words = load_line(region.arena, upper + row * WORDS + line)
            words = words & ~load_line(rows, first + line)
        store_line(work.pages, WORDS + line, words)
    return work.pages, np.int64(WORDS)


@entry
def unpack_planes(region, start, turned, rows, sets):
    """Write a range of planes, `rows`, from packed sets by side to move to `sets` [planes * WORDS].

    `start` is what a column of the region says of the sets, `turned` the side with turned planes.
    """
    block = swap_packed(start)
    planes = np.int64(region.arena[block] >> np.uint64(32))
    for row in range(rows[0], rows[1]):
        flip = _turned_word(row // planes, turned)
        unpack_plane(region, block, row, flip, sets, (row - rows[0]) * WORDS)


def block_words(planes: int) -> int:
    """Return the words that the longest block takes."""
    return _whole_lines(1 + planes + (TURNS * planes * MOST_BYTES + 7) // 8)


def _whole_lines(words: int) -> int:
    return (words + 7) // 8 * 8


@hot_entry
def squeeze(region, blocks, words, octets, page):
    """Pack sets, and move all to the beginning of the memory; sets that are not listed are lost.

    `blocks` int64 [n, Block] are in the order of their first words, and get the new ones as START;
    `words` and `octets` are one memory, with room for the longest block.
    """
    arena, top = region.arena, np.int64(0)
    for i in range(len(blocks)):
        start, planes = blocks[i, Block.START], blocks[i, Block.PLANES]
        raw = TURNS * planes * WORDS
        if is_packed(start):
            start = swap_packed(start)
            length = np.int64(arena[start] & np.uint64(0xFFFFFFFF))
            _move(arena, start, arena, top, length)
            blocks[i, Block.START] = swap_packed(top)
        else:
            length = _pack(region, blocks, i, words, octets, page)
            if length < raw:
                _move(words, 0, arena, top, length)
                blocks[i, Block.START] = swap_packed(top)
            else:
                length = raw
                _move(arena, start, arena, top, length)
                blocks[i, Block.START] = top
        top += (length + 7) // 8 * 8  # a line begins at every eighth word
    region.numbers[Number.TOP] = top
    region.numbers[Number.FREE :] = NONE


@hot_kernel
def _move(source, first, target, at, count):
    """Copy words line by line; a later place in the same array may be the source."""
    for line in range(0, count, 8):
        store_line(target, at + line, load_line(source, first + line))


@hot_kernel
def _pack(region, blocks, i, words, octets, page):
    """Write sets by side to move as a block; return its length in words."""
    start, planes, other = blocks[i, Block.START], blocks[i, Block.PLANES], blocks[i, Block.LOWER]
    place = 8 * (1 + planes)
    for row in range(TURNS * planes):
        flip = _turned_word(row // planes, blocks[i, Block.TURNED])
        if other == NONE:
            end = pack_plane(region.arena, start + row * WORDS, flip, octets, place)
        else:
            _write_difference(region, start, blocks[other, Block.START], row, flip, page)
            end = pack_plane(page, 0, ZERO, octets, place)
        number = 0 if end == place else place
        if end < 0:
            end = ~end
            number |= AS_IT_IS
        half = np.uint64(number) << np.uint64(32 * (row & 1))
        words[1 + row // 2] = half if row & 1 == 0 else words[1 + row // 2] | half
        place = end
    length = (place + 7) // 8
    words[0] = np.uint64(length) | (np.uint64(planes) << np.uint64(32))
    return length


@hot_kernel
def pack_plane(source, at, flip, octets, place):
    """Write a plane to `octets` from `place` on, with room for `MOST_BYTES`; return the end.

    The end is `place` if the plane is empty, and its complement (``~``) if all bytes were written.
    """
    first, word, shown, ranks = place, ZERO, ALL, 0
    place += 1
    strange = ZERO
    for rank in range(8):
        head, squares = place, 0
        place += 1
        for i in range(8):
            k = 8 * rank + (7 - i if rank & 1 else i)
            here = source[at + k] ^ flip
            strange |= here & NEAR[k]
            if here != word & shown & FAR[k]:
                squares |= 1 << i
                changed = (here ^ word) & FAR[k] if here != ZERO else ZERO
                if changed == ZERO:
                    shown = ~shown
                    octets[place] = 0
                    place += 1
                else:
                    shown, word = ALL, word ^ changed
                    place = _put_word(changed, octets, place)
        if squares:
            octets[head] = squares
            ranks |= 1 << rank
        else:
            place = head
    octets[first] = ranks
    if strange == ZERO and place - first <= 8 * WORDS:
        return place if ranks else first
    for k in range(WORDS):
        for i in range(8):
            one = (source[at + k] >> np.uint64(8 * i)) & np.uint64(255)
            octets[first + 8 * k + i] = np.uint8(one)
    return ~(first + 8 * WORDS)


# Packing
@hot_kernel
def _put_word(changed, octets, place):
    """Write the bytes of a word that changed, after a byte with their bits; return their end."""
    head = place
    place += 1
    some = 0
    for i in range(8):
        one = (changed >> np.uint64(8 * i)) & np.uint64(255)
        if one != ZERO:
            octets[place] = np.uint8(one)
            place += 1
            some |= 1 << i
    octets[head] = some
    return place


@hot_kernel
def _write_difference(region, start, lower, row, flip, page):
    """Write the difference of an upper bound's plane from the lower bound's."""
    if is_packed(lower):
        unpack_plane(region, swap_packed(lower), row, flip, page, 0)
    else:
        copy(page, 0, region.arena, lower + row * WORDS)
    _add_difference(region.arena, start + row * WORDS, page, 0)
