"""Legal moves on bitboards, and the states after them: python-chess's."""

import random

import chess
import numpy as np
import pytest
from support.winnable import read_winnable

from tablebase.arbiter.bitboards import MOST_MOVES, WORDS, children
from tablebase.arbiter.helpmate_search import board_in, state_of


def check_moves(board):
    rows, moves = np.zeros((MOST_MOVES, WORDS), np.uint64), np.zeros(MOST_MOVES, np.int64)
    count = children(state_of(board), rows, moves)
    found = {
        (code & 63, code >> 6 & 63, (code >> 12) + 1 if code >> 12 else None): row
        for code, row in zip(moves[:count].tolist(), rows[:count], strict=True)
    }
    assert len(found) == count
    for move in board.legal_moves:
        row = found.pop((move.from_square, move.to_square, move.promotion))
        board.push(move)
        np.testing.assert_array_equal(row, state_of(board))
        assert board_in(row).board_fen() == board.board_fen()
        board.pop()
    assert not found


@pytest.mark.parametrize(
    "fen",
    [
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w - - 0 1",
        "8/2p5/3p4/KP5r/1R2Pp1k/8/6P1/8 b - e3 0 1",  # en passant would uncover a check
        "8/8/8/K2pP2q/8/8/8/7k w - d6 0 1",
        "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",  # promotions and captures
        "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",  # the most moves there are
    ],
)
def test_moves_of_a_position(fen):
    check_moves(chess.Board(fen))


def test_moves_along_random_games():
    chance = random.Random(89)
    for fen, _ in read_winnable()[::100]:
        board = chess.Board(fen)
        board.castling_rights = chess.BB_EMPTY
        for _ in range(40):
            check_moves(board)
            moves = list(board.legal_moves)
            if not moves:
                break
            board.push(chance.choice(moves))
