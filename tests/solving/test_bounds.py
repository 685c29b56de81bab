"""Bounds on a few structures against those of a slow solver by python-chess alone."""

import chess
import numpy as np
import pytest
from support.forward_bounds import bounds_of, pawn_positions

from tablebase.solving.budget import Budget
from tablebase.solving.kernels import BOTH
from tablebase.solving.solver import Solver

BLACK_ALONE = 2
SMALL = Budget(100, 1_000_000_000)
# Structures that are solved, each after those to which its moves lead, by white and black pawns.
REGIONS = {
    "blocked": [("e4", "e5")],
    "two blocked, one free": [("a4 c4", "a5"), ("a4 c5", "a5")],
    "en passant": [("e4", "d4"), ("e2", "d4"), ("", "e3"), ("e3", "d4")],
    "en passant, outside": [("e4", "d4"), ("e2", "d4")],
    "two captures en passant": [("c7 e7", ""), ("b5 d5", "c5"), ("b5 d5", "c7"), ("c6 d5", "")],
    "promotion": [("", ""), ("a7", "")],
    "a move and a promotion": [("", ""), ("a7", ""), ("a6", "")],
    "promotion with capture": [("", ""), ("h7", "g2"), ("", "g2"), ("h7", "")],
}


def pawns(names):
    return sum(1 << chess.parse_square(name) for name in names.split())


@pytest.mark.parametrize("name", [
    pytest.param(name, marks=() if name == "en passant, outside" else pytest.mark.slow)
    for name in REGIONS
])  # fmt: skip
def test_bounds_of_structures_of_pawns(name):
    structures = [tuple(map(pawns, pair)) for pair in REGIONS[name]]
    solver = Solver(chess.Board("8/8/8/8/8/k7/8/K7 w - - 0 1"), SMALL, threads=1)
    numbers = np.array([solver.region.number_of(*pair, 0) for pair in structures])
    solver.region.fields.todo[numbers] = BOTH
    solver._solve()
    expected = bounds_of(structures)
    compared = 0
    for pair in structures:
        for board in pawn_positions(*pair):
            key = board.board_fen(), board.turn
            lower, upper = expected[key]
            found = solver.bounds(board)
            if "promotion" in name and found != (lower, upper):
                # Captures of the new piece are seen, which lead back to what is solved.
                assert lower <= found[0] <= found[1] <= upper, board
            else:
                assert found == (lower, upper), board
            compared += 1
    assert compared > 2000


@pytest.mark.slow
def test_structures_may_be_solved_for_one_attacker():
    structures = [tuple(map(pawns, pair)) for pair in REGIONS["en passant, outside"]]
    solver = Solver(chess.Board("8/8/8/8/8/k7/8/K7 w - - 0 1"), SMALL, threads=1)
    first, second = (solver.region.number_of(*pair, 0) for pair in structures)
    solver.region.fields.todo[[first, second]] = BLACK_ALONE, BOTH
    solver._solve()
    regions = {chess.WHITE: structures[1:], chess.BLACK: structures}
    expected = {attacker: bounds_of(solved) for attacker, solved in regions.items()}
    for board in pawn_positions(*structures[1]):
        key = board.board_fen(), board.turn
        (win, may_win), (loss, may_lose) = (
            _wins(expected[attacker][key], attacker == board.turn)
            for attacker in (board.turn, not board.turn)
        )
        least = 1 if win else -1 if may_lose else 0
        assert solver.bounds(board) == (least, -1 if loss else 1 if may_win else 0), board
    for board in pawn_positions(*structures[0]):
        key = board.board_fen(), board.turn
        loss, may_lose = _wins(expected[chess.BLACK][key], attacks=False)
        if board.turn == chess.WHITE:
            assert solver.bounds(board) == (-1 if may_lose else 0, -1 if loss else 1), board


def _wins(bounds, attacks):
    """Return whether an attacker, who may be to move, is sure to win, and whether he may win."""
    lower, upper = bounds
    return (lower == 1, upper == 1) if attacks else (upper == -1, lower == -1)
