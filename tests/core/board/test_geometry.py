"""Squares, colours and kinds of men: python-chess as judge."""

import chess

from tablebase.core.board.geometry import (
    PAWN_SQUARES,
    Color,
    PieceType,
    kings_touch,
    square,
    square_file,
    square_name,
    square_rank,
)


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


def test_pawns_stand_on_ranks_two_to_seven():
    assert len(PAWN_SQUARES) == 48
    assert {square_rank(s) for s in PAWN_SQUARES} == set(range(1, 7))


def test_kings_touch_where_one_could_take_the_other():
    for white in chess.SQUARES:
        near = {white, *chess.SquareSet(chess.BB_KING_ATTACKS[white])}
        assert {black for black in chess.SQUARES if kings_touch(white, black)} == near
