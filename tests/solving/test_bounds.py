"""Bounds on a few structures against those of a slow solver by python-chess alone."""

import chess
import numpy as np
import pytest
from support.forward_bounds import bounds_of, pawn_positions

from tablebase.solving.budget import Budget
from tablebase.solving.solver import Solver

SMALL = Budget(100, 1_000_000_000)
# Structures that are solved, each after those to which its moves lead, by white and black pawns.
REGIONS = {
    "blocked": [("e4", "e5")],
    "two blocked, one free": [("a4 c4", "a5"), ("a4 c5", "a5")],
    "en passant": [("e4", "d4"), ("e2", "d4"), ("", "e3"), ("e3", "d4")],
    "en passant, outside": [("e4", "d4"), ("e2", "d4")],
    "two captures en passant": [("c7 e7", ""), ("b5 d5", "c5"), ("b5 d5", "c7"), ("c6 d5", "")],
    "promotion": [("", ""), ("a7", ""), ("a6", "")],
    "promotion with capture": [("", ""), ("h7", "g2"), ("", "g2"), ("h7", "")],
}


def pawns(names):
    return sum(1 << chess.parse_square(name) for name in names.split())


@pytest.mark.parametrize("name", [
    "blocked", "en passant, outside", "promotion",
    *(pytest.param(name, marks=pytest.mark.slow) for name in REGIONS),
])  # fmt: skip
def test_bounds_of_structures_of_pawns(name):
    structures = [tuple(map(pawns, pair)) for pair in REGIONS[name]]
    solver = Solver(chess.Board("8/8/8/8/8/k7/8/K7 w - - 0 1"), SMALL, threads=1)
    numbers = np.array([solver.region.number_of(*pair, 0) for pair in structures])
    solver._solve(numbers)
    expected = bounds_of(structures)
    compared = 0
    for pair in structures:
        for board in pawn_positions(*pair):
            key = board.board_fen(), board.turn
            lower, upper = expected[key]
            found = solver.bounds(board)
            if name.startswith("promotion") and found != (lower, upper):
                # Captures of the new piece are seen, which lead back to what is solved.
                assert lower <= found[0] <= found[1] <= upper, board
            else:
                assert found == (lower, upper), board
            compared += 1
    assert compared > 2000
