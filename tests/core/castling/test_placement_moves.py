"""Moves of placements: those of python-chess, castling and promotions among them."""

from collections import Counter

import chess
import numpy as np
import pytest
from support.few import few

from tablebase.core.castling.placement_moves import moves_of
from tablebase.core.castling.placements import Exit, castling_set_of, castling_sets
from tablebase.core.rules.material import Material

TURNS = (chess.WHITE, chess.BLACK)
STANDARD = ["KRK", "KRRK", "KRKR", "KQRK", "KRKN", "KRKB"]
WITH_PAWNS = ["KRKP", "KRPK", "KRPKP", "KRPKR"]
# Kings and rooks anywhere on their rank, as in Chess960.
ANYWHERE = ["1k1r4/8/8/8/8/8/8/RK6 w Qk -", "5kr1/8/8/8/8/8/8/1R3K1R w Qk -",
            "rk6/8/8/8/8/8/8/6KR w Kq -", "6kr/8/8/8/8/8/8/2RK4 w Qk -",
            "3k4/8/8/8/8/8/8/R1KR4 w KQ -"]  # fmt: skip


def after_moves(placed, number):
    """Return the positions after all moves of a node by the kernel, None of an illegal one."""
    moves = moves_of(placed, number, number + 1)
    if not moves.is_legal[0]:
        return None
    white_to_move = number < placed.size
    found = []
    for target in moves.targets.tolist():
        assert (target >= placed.size) == white_to_move
        found.append(placed.board(placed.squares(target % placed.size), not white_to_move))
    for packed, squares in zip(moves.exits.tolist(), moves.squares, strict=True):
        after, men = Exit.unpacked(packed).after(placed)
        found.append(after.board(squares[men].tolist(), not white_to_move))
    return Counter((board.board_fen(), board.castling_rights) for board in found)


def after_moves_of_chess(board):
    found = Counter()
    for move in board.legal_moves:
        board.push(move)
        found[board.board_fen(), board.castling_rights] += 1
        board.pop()
    return found


def check(placed, rng, count):
    legal = castlings = 0
    for _ in range(count):
        number = int(rng.integers(2 * placed.size))
        squares = placed.squares(number % placed.size)
        assert placed.slots(np.array([squares], np.uint8))[0] == number % placed.size
        board = placed.board(squares, number < placed.size)
        found = after_moves(placed, number)
        is_placed = len(set(squares)) == len(squares)
        assert (found is not None) == (is_placed and not board.was_into_check()
                                       and chess.square_distance(*squares[:2]) > 1)  # fmt: skip
        if found is not None:
            legal += 1
            castlings += any(map(board.is_castling, board.legal_moves))
            assert found == after_moves_of_chess(board), board.fen()
    return legal, castlings


@pytest.mark.thorough
@pytest.mark.parametrize("name", few(STANDARD + WITH_PAWNS, "KRK", "KRKR", "KQRK", "KRPK", "KRKP"))
def test_moves_of_placements_are_those_of_python_chess(name):
    rng = np.random.default_rng(62)
    sets = list(castling_sets(Material.from_name(name)))
    counts = Counter()
    for number in rng.permutation(len(sets))[:30].tolist():
        legal, castlings = check(sets[number], rng, 40)
        counts["legal"] += legal
        counts["castlings"] += castlings
    assert counts["legal"] > 50
    assert counts["castlings"] > 0


@pytest.mark.thorough
@pytest.mark.parametrize("fen", ANYWHERE)
def test_kings_and_rooks_may_stand_as_in_chess960(fen):
    board = chess.Board(fen, chess960=True)
    placed = castling_set_of(board, board.clean_castling_rights())
    legal, castlings = check(placed, np.random.default_rng(960), 300)
    assert (legal > 100, castlings > 10) == (True, True)
