"""Planes against sets of pairs of squares, and against python-chess."""

import chess
import numpy as np
import pytest
from support.king_planes import (
    Given,
    kings_near,
    legal_boards,
    men_board,
    pairs_of,
    some_plane,
    with_kings_anywhere,
    words_of,
)

from tablebase.core.jit.kernels import hot_kernel
from tablebase.core.jit.vectors import store_line
from tablebase.solve.kernels import king_planes
from tablebase.solve.kernels.fields import make_men
from tablebase.solve.kernels.keys import read_pieces
from tablebase.solve.places import place_of

MEN = ["Qd4 Pc2 pc7", "Rb2 nf3 Pe4 pe5", "Bc1 ba3 Nh5", "qd1 ra8 Pa2", "Pa7 pb2 Qh1 Qh2"]


@pytest.fixture
def rng():
    return np.random.default_rng(5)


def men_of(men):
    """Return a record of the pieces that stand there, the board, and the placement."""
    board, record, given = men_board(men), make_men(), Given()
    number, plane = given.structure(men)
    read_pieces(given.record, number, record)
    stand = king_planes.read_squares(record, plane)
    return record, board, plane, stand


@hot_kernel
def king_images(source, side, complement, target):
    for line in range(0, 64, 8):
        if complement:
            words = king_planes.king_line_complement(source, 0, line, side)
        else:
            words = king_planes.king_line(source, 0, line, side)
        store_line(target, line, words)


@pytest.mark.parametrize("side", range(2))
def test_steps_of_kings(rng, side):
    source, target = some_plane(rng) & some_plane(rng) & some_plane(rng), np.zeros(64, np.uint64)
    king_images(source, side, 0, target)
    assert pairs_of(target) == kings_near(pairs_of(source), side)
    king_images(~source, side, 1, target)
    assert pairs_of(target) == kings_near(pairs_of(source), side)


def test_moves_over_squares_without_kings(rng):
    source, before = some_plane(rng), some_plane(rng) & some_plane(rng)
    mask = chess.SquareSet([chess.B2, chess.C3, chess.H8])
    for add, chosen in (
        (king_planes.add_moved, source),
        (king_planes.add_moved_complement, ~source),
    ):
        target = before.copy()
        add(target, 0, source, 0, np.uint64(int(mask)))
        kept = {pair for pair in pairs_of(chosen) if not mask & chess.SquareSet(pair_word(pair))}
        assert pairs_of(target) == pairs_of(before) | kept


def pair_word(pair):
    return chess.BB_SQUARES[pair[0]] | chess.BB_SQUARES[pair[1]]


def test_emptiness(rng):
    rows = np.concatenate([some_plane(rng), np.zeros(64, np.uint64)])
    assert not king_planes.is_empty(rows, 0)
    assert king_planes.is_empty(rows, 64)
    king_planes.clear(rows, 0)
    assert not rows.any()


def test_placements():
    record, _, plane, stand = men_of("Qd4 rh1")
    assert record.fields.codes[:2].tolist() == [0, 5]
    assert stand == chess.BB_D4 | chess.BB_H1
    assert king_planes.stand_apart(record, stand, np.uint64(chess.BB_A2))
    assert not king_planes.stand_apart(record, stand, np.uint64(chess.BB_D4))
    both_on_d4 = chess.D4 | chess.D4 << 6
    assert not king_planes.stand_apart(
        record, king_planes.read_squares(record, both_on_d4), np.uint64(0)
    )
    assert plane == chess.D4 | chess.H1 << 6


@pytest.mark.parametrize("men", MEN)
@pytest.mark.parametrize("side", range(2))
@pytest.mark.parametrize("queens_count", [True, False])
def test_ways_of_pieces(men, side, queens_count):
    record, board, plane, _ = men_of(men)
    ways = np.zeros((2, king_planes.MOST_WAYS), dtype=np.uint64)
    expected = set()
    left_out = 0 if queens_count else board.queens
    for square in chess.SquareSet(board.occupied_co[side == 0] & ~board.pawns & ~left_out):
        number = next(i for i in range(8) if plane >> 6 * i & 63 == square)
        for target in board.attacks(square) - chess.SquareSet(board.occupied):
            moved = plane + ((target - square) << 6 * number)
            mask = int(chess.SquareSet.between(square, target)) | chess.BB_SQUARES[target]
            expected.add((64 * moved, mask))
    who = side if queens_count else side + 2
    count = king_planes.list_targets(record, plane, np.uint64(board.occupied), who, ways)
    assert {tuple(map(int, way)) for way in ways[:, :count].T} == expected
    assert count == len(expected)


@pytest.mark.thorough
@pytest.mark.parametrize("men", MEN[:3])
@pytest.mark.parametrize("turn", range(2))
def test_legal_placements_of_kings(men, turn):
    record, board, _, _ = men_of(men)
    rows = np.zeros(64, dtype=np.uint64)
    white, black = (np.uint64(board.pawns & board.occupied_co[color]) for color in (True, False))
    king_planes.write_legal(record, white, black, turn, rows, 0)
    expected = set(legal_boards(board, turn))
    assert pairs_of(rows) == expected
    assert (words_of(expected) == rows).all()


def test_place_of_a_board_has_ascending_codes():
    board = with_kings_anywhere(men_board("qd1 Rb2 Qc3"))
    assert place_of(board).plane == chess.C3 | chess.B2 << 6 | chess.D1 << 12
