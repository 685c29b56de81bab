"""Pairs of kings: which are numbered, and in which order."""

import itertools

import numpy as np
import pytest

from tablebase.core.board.symmetry import D4, GROUPS, PAWN_SYMMETRIES
from tablebase.core.index.kings import (
    FILES_UP_AND_DOWN,
    MOST_KING_PAIRS,
    NO_SYMMETRY,
    king_tables,
    pairs_by_black,
)


@pytest.mark.parametrize(
    ("has_pawns", "symmetries", "count"),
    [
        (True, PAWN_SYMMETRIES, 3612),
        *((False, *one) for one in zip(GROUPS, (462, 903, 1827, 1806, 3612), strict=True)),
    ],
)
def test_pairs_are_turned_into_those_that_are_numbered(has_pawns, symmetries, count):
    number, symmetry, second, squares = king_tables(has_pawns=has_pawns, symmetries=symmetries)
    assert len(squares) == count
    kept = {0} if has_pawns else {*symmetries}
    assert {*symmetry.tolist(), *second.tolist()} <= kept | {NO_SYMMETRY}
    white, black = np.divmod(np.arange(64 * 64), 64)
    apart = np.maximum(abs(white % 8 - black % 8), abs(white // 8 - black // 8)) > 1
    assert ((number >= 0) == apart).all()
    for t in (symmetry, second):
        used = apart & (t != NO_SYMMETRY)
        images = D4[t[used], white[used]], D4[t[used], black[used]]
        assert (images == squares[number[used]].T).all()


@pytest.mark.parametrize("has_pawns", [False, True])
@pytest.mark.parametrize("symmetries", GROUPS)
def test_pairs_that_may_touch(has_pawns, symmetries):
    found = king_tables(has_pawns=has_pawns, symmetries=symmetries, touching=True)
    assert len(found.squares) <= MOST_KING_PAIRS
    if has_pawns:
        assert len(found.squares) == 4032
    elif len(symmetries) == 8:
        assert len(found.squares) == 518
    white, black = np.divmod(np.arange(64 * 64), 64)
    assert ((found.number >= 0) == (white != black)).all()
    for t in (found.symmetry, found.second):
        used = (white != black) & (t != NO_SYMMETRY)
        images = D4[t[used], white[used]], D4[t[used], black[used]]
        assert (images == found.squares[found.number[used]].T).all()


def test_steps_go_to_a_neighbour():
    for one, next_ in itertools.pairwise(FILES_UP_AND_DOWN):
        assert abs(one % 8 - next_ % 8) + abs(one // 8 - next_ // 8) == 1


def test_groups_share_the_square_of_the_black_king():
    squares = king_tables(has_pawns=True)[3]
    groups = pairs_by_black(squares)
    assert len(groups) == 64 + 1
    for first, last in itertools.pairwise(groups):
        assert len(set(squares[first:last, 1])) == 1
