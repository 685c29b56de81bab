"""Geometry: python-chess as judge, and the counts of the butterfly boards."""

import chess
import numpy as np
import pytest

from tablebase.board.geometry import (
    ATTACKS,
    BETWEEN,
    KING_ATTACKS,
    PAWN_ATTACKS,
    PAWN_SQUARES,
    RAYS,
    Color,
    PieceType,
    attack_table,
    from_to_pairs,
    is_attacked_by,
    square,
    square_file,
    square_name,
    square_rank,
)

PIECES = tuple(PieceType)[1:]  # all but the pawn


def squares_of(word: np.uint64) -> set[int]:
    return set(chess.SquareSet(int(word)))


def test_squares_are_numbered_as_in_python_chess():
    for s in chess.SQUARES:
        assert square(chess.square_file(s), chess.square_rank(s)) == s
        assert (square_file(s), square_rank(s)) == (chess.square_file(s), chess.square_rank(s))
        assert square_name(s) == chess.square_name(s)


def test_men_are_numbered_and_lettered_as_in_python_chess():
    for piece_type in PieceType:
        assert chess.PIECE_NAMES[piece_type] == piece_type.name.lower()
        assert chess.piece_symbol(piece_type).upper() == piece_type.letter


def test_opponent_is_the_other_side():
    assert Color.WHITE.opponent is Color.BLACK
    assert Color.BLACK.opponent is Color.WHITE


@pytest.mark.parametrize("piece_type", PIECES)
def test_attacks_on_an_empty_board(piece_type):
    for s in chess.SQUARES:
        board = chess.BaseBoard.empty()
        board.set_piece_at(s, chess.Piece(piece_type, chess.WHITE))
        assert int(ATTACKS[piece_type, s]) == board.attacks_mask(s)


@pytest.mark.parametrize("color", Color)
def test_pawn_attacks(color):
    for s in chess.SQUARES:
        expected = chess.BB_PAWN_ATTACKS[color is Color.WHITE][s]
        assert int(PAWN_ATTACKS[color, s]) == expected
        assert int(attack_table(color, PieceType.PAWN)[s]) == expected


def test_squares_are_attacked_as_in_python_chess():
    men = [(color, kind) for color in Color for kind in (PieceType.KING, *PieceType)]
    rng = np.random.default_rng(6)
    squares = np.array([rng.permutation(48)[: len(men)] + 8 for _ in range(200)], dtype=np.uint8)
    target = rng.integers(64, size=len(squares)).astype(np.uint8)
    occupied = np.bitwise_or.reduce(np.uint64(1) << squares.astype(np.uint64), axis=1)
    for color in Color:
        found = is_attacked_by(men, squares.T, color, target, occupied)
        at_first = is_attacked_by(men, squares.T, color, int(target[0]), occupied)
        for i, row in enumerate(squares.tolist()):
            board = chess.BaseBoard(None)
            for (owner, kind), origin in zip(men, row, strict=True):
                board.set_piece_at(origin, chess.Piece(int(kind), owner is Color.WHITE))
            assert found[i] == board.is_attacked_by(color is Color.WHITE, int(target[i]))
            assert at_first[i] == board.is_attacked_by(color is Color.WHITE, int(target[0]))


def test_attack_table_of_pieces_is_the_same_for_both_sides():
    for piece_type in PIECES:
        for color in Color:
            assert np.array_equal(attack_table(color, piece_type), ATTACKS[piece_type])


def test_between():
    for a in chess.SQUARES:
        for b in chess.SQUARES:
            assert int(BETWEEN[a, b]) == chess.between(a, b)


@pytest.mark.parametrize("piece_type", PIECES)
def test_rays_cover_the_attacks_once(piece_type):
    for s in chess.SQUARES:
        targets = RAYS[piece_type, s][RAYS[piece_type, s] >= 0].tolist()
        assert len(targets) == len(set(targets))
        assert set(targets) == squares_of(ATTACKS[piece_type, s])


@pytest.mark.parametrize("piece_type", [PieceType.BISHOP, PieceType.ROOK, PieceType.QUEEN])
def test_each_step_of_a_ray_passes_the_earlier_ones(piece_type):
    for s in chess.SQUARES:
        for ray in RAYS[piece_type, s]:
            targets = ray[ray >= 0].tolist()
            for distance, target in enumerate(targets):
                assert squares_of(BETWEEN[s, target]) == set(targets[:distance])


def test_rays_and_their_steps_are_contiguous():
    exists = RAYS >= 0
    assert (np.diff(exists.astype(int), axis=3) <= 0).all()
    assert (np.diff(exists.any(axis=3).astype(int), axis=2) <= 0).all()


def test_pawns_have_no_rays():
    assert (RAYS[PieceType.PAWN] == -1).all()
    assert (RAYS[0] == -1).all()
    assert not ATTACKS[PieceType.PAWN].any()


@pytest.mark.parametrize("table", [RAYS, ATTACKS, KING_ATTACKS, PAWN_ATTACKS, BETWEEN])
def test_tables_are_read_only(table):
    with pytest.raises(ValueError, match="read-only"):
        table[0] = 0


def test_butterfly_counts():
    counts = {
        piece_type: int(from_to_pairs((piece_type,)).sum())
        for piece_type in (PieceType.ROOK, PieceType.BISHOP, PieceType.KNIGHT)
    }
    assert counts == {PieceType.ROOK: 896, PieceType.BISHOP: 560, PieceType.KNIGHT: 336}
    assert int(from_to_pairs().sum()) == sum(counts.values()) == 1792


def test_from_to_pairs_hold_every_move_of_every_man():
    pairs = from_to_pairs()
    assert np.array_equal(pairs, pairs.T)
    assert not (from_to_pairs((PieceType.KING,)) & ~pairs).any()
    for words in PAWN_ATTACKS:
        for s, word in enumerate(words):
            assert all(pairs[s, target] for target in squares_of(word))


def test_pawns_stand_on_ranks_two_to_seven():
    assert len(PAWN_SQUARES) == 48
    assert {square_rank(s) for s in PAWN_SQUARES} == set(range(1, 7))
