"""Squares of pieces as numbers, and back: groups of identical men are combinations.

Each group is numbered in the combinatorial number system over the squares left by those before.
"""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING

import numpy as np

from tablebase.core.jit import count_bits, kernel, work_space

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_PIECES = 8  # besides the kings, of both sides: what kernels have room for

BINOMIALS: NDArray[np.int64] = np.array(
    [[comb(n, k) for k in range(MAX_PIECES + 1)] for n in range(65)], dtype=np.int64
)
BINOMIALS.setflags(write=False)


@kernel
def rank_pieces(group_sizes, squares, taken):
    """Return the combination number of pieces.

    `squares` [pieces] by group is sorted in place, `taken` is a word.
    """
    rank = np.int64(0)
    free = 64 - count_bits(taken)
    start = 0
    for size in group_sizes:
        for i in range(start + 1, start + size):  # insertion sort: groups are tiny
            square = squares[i]
            j = i
            while j > start and squares[j - 1] > square:
                squares[j] = squares[j - 1]
                j -= 1
            squares[j] = square
        inside = np.int64(0)
        now_taken = taken
        for i in range(start, start + size):
            bit = np.uint64(1) << np.uint64(squares[i])
            label = np.int64(squares[i]) - count_bits(taken & (bit - np.uint64(1)))
            inside += BINOMIALS[label, i - start + 1]
            now_taken |= bit
        rank = rank * BINOMIALS[free, size] + inside
        taken = now_taken
        free -= size
        start += size
    return rank


@kernel
def unrank_pieces(group_sizes, rank, taken, squares):
    """Write the squares of a combination number to `squares` [pieces]; `taken` is a word."""
    free = 64 - count_bits(taken)
    counts = work_space(MAX_PIECES, np.int64)
    for g in range(len(group_sizes)):
        counts[g] = BINOMIALS[free, group_sizes[g]]
        free -= group_sizes[g]
    digits = work_space(MAX_PIECES, np.int64)
    for g in range(len(group_sizes) - 1, -1, -1):
        digits[g] = rank % counts[g]
        rank //= counts[g]
    start = 0
    for g in range(len(group_sizes)):
        inside = digits[g]
        label = np.int64(64)
        now_taken = taken
        for i in range(group_sizes[g], 0, -1):
            label -= 1
            while BINOMIALS[label, i] > inside:
                label -= 1
            inside -= BINOMIALS[label, i]
            square = _nth_free(taken, label)
            squares[start + i - 1] = square
            now_taken |= np.uint64(1) << np.uint64(square)
        taken = now_taken
        start += group_sizes[g]


@kernel
def _nth_free(taken, n):
    """Return the square that has `n` free squares below it and is free itself."""
    for square in range(64):
        if not (taken >> np.uint64(square)) & np.uint64(1):
            if n == 0:
                return square
            n -= 1
    return -1
