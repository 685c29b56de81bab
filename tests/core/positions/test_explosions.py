"""Positions of atomic chess: moves, checks and ends as python-chess has them."""

import random

import chess
import chess.variant
import pytest
from support.explosions import ATOMIC

from tablebase.core.ground.errors import UnsupportedPositionError
from tablebase.core.positions.any_position import as_position
from tablebase.core.positions.chess_variants import is_without_winner
from tablebase.core.positions.setup_fens import read_setup

LIGHT = chess.SquareSet(chess.BB_LIGHT_SQUARES)
NEAR = [at for at in chess.SQUARES if chess.square_distance(at, chess.E5) <= 2]


def random_boards(count, rng):
    """Yield boards of three to six men, half of them close together, some with a passed square."""
    for number in range(count):
        board = chess.variant.AtomicBoard(None)
        squares = rng.sample(NEAR if number % 2 else chess.SQUARES, rng.randint(3, 6))
        kings = [chess.Piece(chess.KING, color) for color in chess.COLORS]
        others = [chess.Piece(rng.randint(1, 5), rng.random() < 0.5) for _ in squares[2:]]
        men = dict(zip(squares, kings + others, strict=True))
        if any(men[at].piece_type == chess.PAWN for at in men if at // 8 in (0, 7)):
            continue
        board.set_piece_map(men)
        board.turn = rng.random() < 0.5
        rank, back = (4, 8) if board.turn else (3, -8)
        pawn = chess.Piece(chess.PAWN, not board.turn)
        for at in [one for one in men if men[one] == pawn and one // 8 == rank]:
            if not {at + back, at + 2 * back} & {*men}:
                board.ep_square = at + back
        yield board
        if not {chess.D5, chess.D6, chess.D7, chess.E5} & {*men}:
            board = board.copy()
            board.set_piece_at(chess.D5, chess.Piece(chess.PAWN, chess.BLACK))
            board.set_piece_at(chess.E5, chess.Piece(chess.PAWN, chess.WHITE))
            board.turn, board.ep_square = chess.WHITE, chess.D6
            yield board


def test_moves_and_ends_are_those_of_python_chess():
    ends, passing = dict.fromkeys(("checkmate", "stalemate", "explosion", None), 0), 0
    for board in random_boards(200, random.Random(2)):
        setup = as_position(board)
        assert setup.rules == ATOMIC
        assert setup.is_legal() == (not board.was_into_check())
        if not setup.is_legal():
            continue
        moves = {move.uci(): move.after for move in setup.moves()}
        assert {*moves} == {move.uci() for move in board.legal_moves}
        passing += len([*setup.passing()])
        for uci, after in moves.items():
            board.push_uci(uci)
            assert after.men == as_position(board).men
            end = after.end
            ends[end] += 1
            assert (end == "explosion") == board.is_variant_loss()
            assert (end == "checkmate") == (board.is_checkmate() and not board.is_variant_loss())
            assert (end == "stalemate") == board.is_stalemate()
            assert after.final_outcome() == {"stalemate": 0, None: None}.get(end, ~0)
            board.pop()
    assert ends["explosion"]
    assert passing


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
