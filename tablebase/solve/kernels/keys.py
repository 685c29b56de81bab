"""Structures by key, and the memory of their bounds."""

from __future__ import annotations

import numpy as np

from tablebase.core.jit.instructions import count_bits
from tablebase.core.jit.kernels import entry, kernel
from tablebase.solve.kernels.fields import NONE, TURNS, Number
from tablebase.solve.kernels.king_planes import WORDS, ZERO


@kernel
def take(region, pieces):
    """Take memory for the sets of a structure by side to move; return its first word, or NONE."""
    base = region.numbers[Number.FREE + pieces]
    if base >= 0:
        region.numbers[Number.FREE + pieces] = np.int64(region.arena[base])
        return base
    base = region.numbers[Number.TOP]
    words = TURNS * WORDS << (6 * pieces)
    if base + words > region.numbers[Number.LIMIT]:
        region.numbers[Number.SHORT] = 1
        return np.int64(NONE)
    region.numbers[Number.TOP] = base + words
    return base


@kernel
def give(region, pieces, base):
    """Give memory back."""
    region.arena[base] = np.uint64(region.numbers[Number.FREE + pieces])
    region.numbers[Number.FREE + pieces] = base


@kernel
def find_structure(region, white_pawns, black_pawns, pieces):
    """Return the number of a structure, NONE if it is not known."""
    return np.int64(region.buckets[_bucket(region, white_pawns, black_pawns, pieces)])


@kernel
def _bucket(region, white_pawns, black_pawns, pieces):
    word = (white_pawns * np.uint64(0x9E3779B97F4A7C15)) ^ (
        black_pawns * np.uint64(0xC2B2AE3D27D4EB4F)
    )
    word ^= pieces * np.uint64(0x165667B19E3779F9)
    word ^= word >> np.uint64(29)
    word *= np.uint64(0xBF58476D1CE4E5B9)
    word ^= word >> np.uint64(32)
    last = len(region.buckets) - 1
    bucket = np.int64(word & np.uint64(last))
    while True:
        number = np.int64(region.buckets[bucket])
        if number < 0 or (
            region.keys[number, 0] == white_pawns
            and region.keys[number, 1] == black_pawns
            and region.keys[number, 2] == pieces
        ):
            return bucket
        bucket = (bucket + 1) & last


@kernel
def read_pieces(region, structure, men):
    """Write the codes of a structure's pieces in ascending order, and their number."""
    count = 0
    for code in range(8):
        for _ in range(
            np.int64((region.keys[structure, 2] >> np.uint64(4 * code)) & np.uint64(15))
        ):
            men.codes[count] = code
            count += 1
    men.size[0] = count


@entry
def enter(region, white_pawns, black_pawns, pieces):
    """Return the number of a structure, for Python."""
    return find_or_add(region, white_pawns, black_pawns, pieces)


@kernel
def find_or_add(region, white_pawns, black_pawns, pieces):
    """Return the number of a structure; one that is not known is added, as closed."""
    bucket = _bucket(region, white_pawns, black_pawns, pieces)
    number = np.int64(region.buckets[bucket])
    if number < 0:
        number = region.numbers[Number.COUNT]
        region.numbers[Number.COUNT] = number + 1
        region.buckets[bucket] = number
        region.keys[number, 0] = white_pawns
        region.keys[number, 1] = black_pawns
        region.keys[number, 2] = pieces
        region.level[number] = _level(white_pawns, black_pawns, pieces)
        region.pieces[number] = piece_count(pieces)
    return number


@kernel
def _level(white_pawns, black_pawns, pieces):
    """Return a number that every move out makes less: men first, then what pawns have left."""
    men = count_bits(white_pawns) + count_bits(black_pawns) + piece_count(pieces)
    steps = 0
    for rank in range(1, 7):
        row = np.uint64(255) << np.uint64(8 * rank)
        steps += (7 - rank) * count_bits(white_pawns & row) + rank * count_bits(black_pawns & row)
    return 128 * men + steps


@kernel
def piece_count(pieces):
    """Return the number of pieces in a word of counts."""
    count = np.int64(0)
    for code in range(8):
        count += np.int64((pieces >> np.uint64(4 * code)) & np.uint64(15))
    return count


@entry
def place_all(region, count):
    """Enter the first structures into new buckets."""
    for number in range(count):
        key = region.keys
        bucket = _bucket(region, key[number, 0], key[number, 1], key[number, 2])
        region.buckets[bucket] = number


@entry
def has_ep_pawn(white, black):
    """Return whether a double push may just have been made: stalemates would have to be known."""
    return has_en_passant(white, black)


@kernel
def has_en_passant(white_pawns, black_pawns):
    """Return whether a double push may just have been made beside an enemy pawn."""
    pawns = white_pawns | black_pawns
    fourth = np.uint64(255) << np.uint64(24)
    fifth = np.uint64(255) << np.uint64(32)
    left, right = np.uint64(0xFEFEFEFEFEFEFEFE), np.uint64(0x7F7F7F7F7F7F7F7F)
    behind = white_pawns & fourth & ~(pawns << np.uint64(8)) & ~(pawns << np.uint64(16))
    beside = ((black_pawns << np.uint64(1)) & left) | ((black_pawns >> np.uint64(1)) & right)
    if behind & beside != ZERO:
        return True
    behind = black_pawns & fifth & ~(pawns >> np.uint64(8)) & ~(pawns >> np.uint64(16))
    beside = ((white_pawns << np.uint64(1)) & left) | ((white_pawns >> np.uint64(1)) & right)
    return behind & beside != ZERO
