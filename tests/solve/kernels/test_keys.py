"""Structures by key, and memory, against python-chess and plain Python."""

import random

import chess
import numpy as np
import pytest
from support.king_planes import Given
from support.random_positions import random_board

from tablebase.core.rules.material import Material
from tablebase.solve.kernels.fields import NONE, Number, make_men
from tablebase.solve.kernels.keys import find_structure, give, has_ep_pawn, read_pieces, take
from tablebase.solve.places import structure_of as key_of


def some_keys(count):
    rng = random.Random(7)
    return [(rng.getrandbits(64), rng.getrandbits(64), rng.getrandbits(3) << 12)
            for _ in range(count)]  # fmt: skip


def test_structures_keep_their_numbers():
    given, keys = Given(words=0), some_keys(6000)  # more than there is room for in the beginning
    numbers = [given.region.number_of(*key) for key in keys]
    assert numbers == list(range(6000)) == [given.region.number_of(*key) for key in keys]
    words = [tuple(map(np.uint64, key)) for key in keys]
    assert [find_structure(given.record, *key) for key in words[::50]] == numbers[::50]
    assert find_structure(given.record, np.uint64(1), np.uint64(2), np.uint64(0)) == NONE


def test_codes_of_pieces():
    given, men = Given(words=0), make_men()
    number = given.region.number_of(0, 0, 1 << 4 | 2 << 12 | 1 << 28)
    read_pieces(given.record, number, men)
    assert men.fields.size[0] == given.fields.pieces[number] == 4
    assert men.fields.codes[:4].tolist() == [1, 3, 3, 7]


def test_moves_out_have_lower_ranks():
    rng, given = random.Random(3), Given(words=0)
    material = Material.from_name("KQPPKRPP")
    for _ in range(100):
        board = random_board(rng, material)
        number = given.region.number_of(*key_of(board))
        for move in board.legal_moves:
            if board.is_zeroing(move):
                board.push(move)
                child = given.region.number_of(*key_of(board))
                assert given.fields.level[child] < given.fields.level[number]
                board.pop()


def test_freed_memory_is_taken_again():
    given = Given(words=128 * 66)
    assert [take(given.record, 0), take(given.record, 1)] == [0, 128]
    assert take(given.record, 0) == 128 * 65
    give(given.record, 0, 0)
    give(given.record, 0, 128 * 65)
    assert given.fields.numbers[Number.SHORT] == 0
    assert take(given.record, 1) == NONE
    assert given.fields.numbers[Number.SHORT] == 1
    assert {take(given.record, 0), take(given.record, 0)} == {0, 128 * 65}
    assert take(given.record, 0) == NONE


@pytest.mark.parametrize("seed", range(2))
def test_pawns_that_may_have_just_passed(seed):
    rng, found = random.Random(seed), set()
    for _ in range(300):
        board = chess.Board(None)
        for square in rng.sample(range(8, 56), 6):
            board.set_piece_at(square, chess.Piece(chess.PAWN, rng.random() < 0.5))
        expected = any(passes(board, square) for square in chess.SquareSet(board.pawns))
        white, black = (np.uint64(board.pawns & board.occupied_co[c]) for c in (True, False))
        assert has_ep_pawn(white, black) == expected, board
        found.add(expected)
    assert found == {False, True}


def passes(board, square):
    """Return whether a pawn may have just made a double push beside an enemy's."""
    color = board.color_at(square)
    step = 8 if color else -8
    if chess.square_rank(square) != (3 if color else 4):
        return False
    if any(board.piece_at(square - n * step) for n in (1, 2)):
        return False
    return any(
        chess.square_distance(square, other) == 1
        and board.piece_at(other) == chess.Piece(chess.PAWN, not color)
        for other in (square - 1, square + 1)
    )
