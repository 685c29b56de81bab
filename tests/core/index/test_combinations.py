"""Squares of pieces as numbers: every number once, and back."""

from math import comb

import numpy as np
import pytest

from tablebase.core.index.combinations import BINOMIALS, rank_pieces, unrank_pieces


def test_binomials():
    assert all(BINOMIALS[n, k] == comb(n, k) for n in range(65) for k in range(9))


@pytest.mark.parametrize("sizes", [[1], [2], [3], [1, 1], [2, 1], [1, 2]])
def test_ranks_count_all_placements(sizes):
    groups, pieces = np.array(sizes, dtype=np.int64), sum(sizes)
    taken = np.uint64((1 << 10) | (1 << 50))
    total, free = 1, 62
    for size in sizes:
        total *= comb(free, size)
        free -= size
    seen = set()
    for rank in {*range(0, total, 1 + total // 500), total - 1}:
        squares = np.empty(pieces, dtype=np.uint8)
        unrank_pieces(groups, np.int64(rank), taken, squares)
        assert not {10, 50} & set(squares.tolist())
        assert len(set(squares.tolist())) == pieces
        seen.add(tuple(squares.tolist()))
        start = 0
        for size in sizes:  # the order of identical men does not matter
            squares[start : start + size] = squares[start : start + size][::-1].copy()
            start += size
        assert rank_pieces(groups, squares, taken) == rank
    assert len(seen) == len({*range(0, total, 1 + total // 500), total - 1})
