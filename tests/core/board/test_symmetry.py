"""Symmetry: the group laws, the paper's table, and the flips of python-chess."""

from itertools import product

import chess
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablebase.core.board.geometry import PieceType, square_file, square_rank
from tablebase.core.board.movement import make_movement
from tablebase.core.board.symmetry import (
    ALL_SYMMETRIES,
    ANTIDIAGONAL,
    COMPOSE,
    D4,
    DIAGONAL,
    FLIP,
    GROUPS,
    HALF_TURN,
    IDENTITY,
    INVERSE,
    MIRROR,
    QUARTER_TURN,
    QUARTER_TURN_BACK,
    SYMMETRY_NAMES,
    TRIANGLE_SQUARES,
    first_of_orbits,
    sigma,
    tau,
    transform_vector,
)

words = st.integers(0, 2**64 - 1)

# The eight compositions of sigma and tau as the paper's table has them: a number of quarter
# turns, then tau or not, and where (x, y) goes.
COMPOSITIONS = {
    (0, False): lambda x, y: (x, y),
    (1, False): lambda x, y: (7 - y, x),
    (2, False): lambda x, y: (7 - x, 7 - y),
    (3, False): lambda x, y: (y, 7 - x),
    (0, True): lambda x, y: (7 - x, y),
    (1, True): lambda x, y: (y, x),
    (2, True): lambda x, y: (x, 7 - y),
    (3, True): lambda x, y: (7 - y, 7 - x),
}


def image(symmetry, x, y):
    """Return where a symmetry sends paper coordinates, y from the top."""
    s = int(D4[symmetry, (7 - y) * 8 + x])
    return square_file(s), 7 - square_rank(s)


@pytest.mark.parametrize(("word", "formula"), COMPOSITIONS.items())
def test_the_papers_table_of_compositions(word, formula):
    turns, mirrored = word
    symmetry = IDENTITY
    for _ in range(turns):
        symmetry = COMPOSE[QUARTER_TURN, symmetry]
    if mirrored:
        symmetry = COMPOSE[MIRROR, symmetry]
    for x, y in product(range(8), repeat=2):
        point = x, y
        for _ in range(turns):
            point = sigma(*point)
        if mirrored:
            point = tau(*point)
        assert point == formula(x, y) == image(symmetry, x, y)


def test_the_eight_compositions_are_the_eight_symmetries():
    tables = {tuple(image(t, x, y) for x in range(8) for y in range(8)) for t in ALL_SYMMETRIES}
    formulas = {
        tuple(formula(x, y) for x in range(8) for y in range(8))
        for formula in COMPOSITIONS.values()
    }
    assert tables == formulas
    assert len(formulas) == 8


def test_symmetries_are_permutations():
    assert np.array_equal(np.sort(D4, axis=1), np.tile(np.arange(64), (8, 1)))
    assert np.array_equal(D4[IDENTITY], np.arange(64))


def test_named_symmetries_do_what_their_names_say():
    assert len(SYMMETRY_NAMES) == len(ALL_SYMMETRIES)
    for s in chess.SQUARES:
        file, rank = chess.square_file(s), chess.square_rank(s)
        expected = {
            IDENTITY: (file, rank),
            MIRROR: (7 - file, rank),
            FLIP: (file, 7 - rank),
            HALF_TURN: (7 - file, 7 - rank),
            DIAGONAL: (rank, file),
            QUARTER_TURN: (rank, 7 - file),
            QUARTER_TURN_BACK: (7 - rank, file),
            ANTIDIAGONAL: (7 - rank, 7 - file),
        }
        for symmetry, (to_file, to_rank) in expected.items():
            assert int(D4[symmetry, s]) == chess.square(to_file, to_rank)


def test_bits_of_a_symmetry_can_be_read():
    for symmetry in ALL_SYMMETRIES:
        reflected = COMPOSE[FLIP if symmetry & FLIP else IDENTITY, symmetry & DIAGONAL]
        assert COMPOSE[MIRROR if symmetry & MIRROR else IDENTITY, reflected] == symmetry


def test_composition_does_the_second_first():
    for a, b in product(ALL_SYMMETRIES, repeat=2):
        assert np.array_equal(D4[COMPOSE[a, b]], D4[a][D4[b]])


def test_the_symmetries_are_a_group():
    for a, b, c in product(ALL_SYMMETRIES, repeat=3):
        assert COMPOSE[a, COMPOSE[b, c]] == COMPOSE[COMPOSE[a, b], c]
    for a in ALL_SYMMETRIES:
        assert COMPOSE[a, IDENTITY] == COMPOSE[IDENTITY, a] == a
        assert COMPOSE[a, INVERSE[a]] == COMPOSE[INVERSE[a], a] == IDENTITY


def test_the_group_is_not_commutative():
    assert COMPOSE[QUARTER_TURN, MIRROR] != COMPOSE[MIRROR, QUARTER_TURN]


def test_triangle_holds_one_square_of_each_orbit():
    assert [chess.square_name(s) for s in TRIANGLE_SQUARES] == [
        "a1",
        "b1",
        "c1",
        "d1",
        "b2",
        "c2",
        "d2",
        "c3",
        "d3",
        "d4",
    ]
    orbits = {frozenset(D4[:, s].tolist()) for s in chess.SQUARES}
    assert {frozenset(D4[:, s].tolist()) for s in TRIANGLE_SQUARES} == orbits
    assert len(orbits) == len(TRIANGLE_SQUARES)


@pytest.mark.parametrize("symmetry", ALL_SYMMETRIES)
@pytest.mark.parametrize("piece_type", tuple(PieceType)[1:])
def test_pieces_attack_alike_in_every_image(symmetry, piece_type):
    attacks = make_movement().attacks[0, piece_type]
    images = [image_of(symmetry, int(word)) for word in attacks]
    assert images == attacks[D4[symmetry]].tolist()


def image_of(symmetry, word):
    """Return the image of a set of squares."""
    return sum(1 << int(D4[symmetry, square]) for square in chess.scan_forward(word))


@given(words)
def test_transforms_agree_with_python_chess(word):
    assert image_of(FLIP, word) == chess.flip_vertical(word)
    assert image_of(MIRROR, word) == chess.flip_horizontal(word)
    assert image_of(DIAGONAL, word) == chess.flip_diagonal(word)
    assert image_of(ANTIDIAGONAL, word) == chess.flip_anti_diagonal(word)


@pytest.mark.parametrize("table", [D4, COMPOSE, INVERSE])
def test_tables_are_read_only(table):
    with pytest.raises(ValueError, match="read-only"):
        table[0] = 0


def test_groups_are_groups_larger_ones_first():
    for group in GROUPS:
        assert {int(COMPOSE[a, b]) for a in group for b in group} == {*group}
        orbits = {frozenset(D4[list(group), s].tolist()) for s in range(64)}
        assert sorted(map(min, orbits)) == [*first_of_orbits(group)]
    assert [len(group) for group in GROUPS] == [8, 4, 2, 2, 1]


def test_vectors_turn_as_squares_do():
    for symmetry in ALL_SYMMETRIES:
        origin, target = (int(D4[symmetry, s]) for s in (28, 28 + 2 + 8))
        moved = target % 8 - origin % 8, target // 8 - origin // 8
        assert transform_vector(symmetry, (2, 1)) == moved
