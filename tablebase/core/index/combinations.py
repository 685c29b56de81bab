"""Squares of pieces as numbers, and back: groups of identical men are combinations.

The squares of a group, counted from 0 among those left free, are a set; ``a < b < c`` has the
number ``binomial(a, 1) + binomial(b, 2) + binomial(c, 3)`` (the combinatorial number system). The
*rank* of all pieces has these numbers as digits, the last group's counting ones.
"""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.typing import NDArray

from tablebase.core.jit.instructions import count_bits, lowest_bit
from tablebase.core.jit.kernels import hot_kernel, inlined_kernel, kernel

MAX_PIECES = 8  # besides the kings, of both sides: what kernels have room for

BINOMIALS: NDArray[np.int64] = np.array(
    [[comb(n, k) for k in range(MAX_PIECES + 1)] for n in range(65)], dtype=np.int64
)
BINOMIALS.setflags(write=False)


@hot_kernel
def rank_pieces(group_sizes, squares, taken):
    """Return the rank of pieces.

    `group_sizes` int64 [groups], `squares` uint8 [pieces] group by group, `taken` a word.
    """
    rank = np.int64(0)
    free = 64 - count_bits(taken)
    start = 0
    for size in group_sizes:
        group = word_of_squares(squares[start : start + size])
        rank = rank * BINOMIALS[free, size] + combination_number(group, taken)
        taken |= group
        free -= size
        start += size
    return rank


@hot_kernel
def word_of_squares(squares):
    """Return `squares` uint8 [n] as a word."""
    word = np.uint64(0)
    for square in squares:
        word |= np.uint64(1) << np.uint64(square)
    return word


@inlined_kernel
def combination_number(squares, taken):
    """Return the number of a set of squares among the sets of squares not taken; both are words."""
    number = np.int64(0)
    place = np.int64(0)
    while squares:
        square = lowest_bit(squares)
        taken_below = taken & ((np.uint64(1) << np.uint64(square)) - np.uint64(1))
        place += 1
        number += BINOMIALS[square - count_bits(taken_below), place]
        squares &= squares - np.uint64(1)
    return number


@kernel
def unrank_pieces(group_sizes, rank, taken, squares):
    """Write the squares of a rank to `squares`, group by group; see `rank_pieces`."""
    weight = np.int64(1)  # of a digit of the rank
    free = 64 - count_bits(taken)
    for size in group_sizes:
        weight *= BINOMIALS[free, size]
        free -= size
    start = 0
    for size in group_sizes:
        weight //= BINOMIALS[64 - count_bits(taken), size]
        group = squares[start : start + size]
        _write_combination(rank // weight, taken, group)
        rank %= weight
        taken |= word_of_squares(group)
        start += size


@kernel
def _write_combination(number, taken, squares):
    """Write the squares of a `combination_number`, ascending, to `squares` of the right length."""
    count = 64 - count_bits(taken)
    for place in range(len(squares), 0, -1):
        count -= 1
        while BINOMIALS[count, place] > number:
            count -= 1
        number -= BINOMIALS[count, place]
        squares[place - 1] = _nth_free(taken, count)


@kernel
def _nth_free(taken, n):
    """Return the square that has `n` free squares below it and is free itself."""
    square = n
    while taken and lowest_bit(taken) <= square:
        square += 1
        taken &= taken - np.uint64(1)
    return square
