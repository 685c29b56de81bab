"""Positions of atomic chess: kings that are gone, or stand side by side."""

import random

import chess
import chess.variant
import pytest
from support.variants import ATOMIC

from tablebase.core.ground.errors import UnsupportedPositionError
from tablebase.core.positions.any_position import as_position
from tablebase.core.positions.chess_variants import is_without_winner
from tablebase.core.positions.setup_fens import read_setup

LIGHT = chess.SquareSet(chess.BB_LIGHT_SQUARES)


def test_a_position_without_a_king_is_over():
    setup = read_setup("8/8/8/8/8/2k5/1R6/8 w", ATOMIC)
    assert (setup.end, setup.final_outcome(), [*setup.moves()]) == ("explosion", ~0, [])
    with pytest.raises(UnsupportedPositionError, match="black has 0 kings"):
        read_setup("8/8/8/8/8/2K5/1R6/8 w", ATOMIC)
    with pytest.raises(UnsupportedPositionError, match="0 kings"):
        read_setup("8/8/8/8/8/8/1R6/8 w", ATOMIC)
    with pytest.raises(UnsupportedPositionError, match="castling"):
        as_position(chess.variant.AtomicBoard("4k3/8/8/8/8/8/8/4K2R w K - 0 1"))


def test_kings_side_by_side_are_not_in_check():
    assert not read_setup("8/8/8/8/8/3Kk3/4R3/8 b", ATOMIC).is_check()
    assert read_setup("8/8/8/8/4k3/8/3KR3/8 b", ATOMIC).is_check()


def test_no_rule_of_thumb_speaks_against_a_mate():
    """That of python-chess does where bishops block a king; it is right where nobody mates."""
    rng, seen = random.Random(5), {True: 0, False: 0}
    corner = [at for at in chess.SQUARES if chess.square_distance(at, chess.A8) <= 2]
    light, dark = ([at for at in corner if at in one] for one in (LIGHT, ~LIGHT))
    while min(seen.values()) < 5:
        white, *blacks = rng.choice(light), *rng.sample(dark, 2)
        kings = rng.sample([at for at in corner if at not in {white, *blacks}], 2)
        board = chess.variant.AtomicBoard(None)
        for at, symbol in zip([white, *blacks, *kings], "BbbKk", strict=True):
            board.set_piece_at(at, chess.Piece.from_symbol(symbol))
        board.turn = rng.random() < 0.8
        if not board.is_valid():
            continue
        assert board.is_insufficient_material()
        mates = board.is_checkmate()
        for move in board.legal_moves:
            board.push(move)
            mates |= board.is_checkmate() or board.is_variant_loss()
            board.pop()
        assert is_without_winner(board) is not mates
        seen[mates] += 1
