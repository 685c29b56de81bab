"""Structures filled from complete tables against solved ones, bit by bit."""

import chess
import numpy as np
import pytest

import tablebase
from tablebase.core.ground.errors import MissingTableError
from tablebase.solve import solver as solver_module
from tablebase.solve.answers import solve_position
from tablebase.solve.budget import Budget
from tablebase.solve.kernels.fields import BOTH_ATTACKERS, State
from tablebase.solve.kernels.preparing import expand
from tablebase.solve.leaves import Leaves
from tablebase.solve.solver import Solver


@pytest.mark.parametrize(("white", "black", "pieces"), [
    ("a6", "", 0), ("", "h3", 0), ("a4", "a5", 0), ("", "", 1 << 20),
    pytest.param("", "", 1 << 4 | 1 << 28, marks=pytest.mark.slow),
    pytest.param("b6", "", 1 << 20, marks=pytest.mark.slow),
])  # fmt: skip
def test_leaves_equal_what_is_solved(tables_dir, monkeypatch, white, black, pieces):
    monkeypatch.setattr(solver_module, "FEW_PROMOTIONS", (False,))
    board = chess.Board("8/8/8/8/8/k7/8/K7 w - - 0 1")
    solver = Solver(board, Budget(36_000, 2 * 10**9), threads=1)
    pawns = [sum(1 << chess.parse_square(name) for name in names.split())
             for names in (white, black)]  # fmt: skip
    solver._begin(few=False)
    solver.region.number_of(*pawns, pieces)
    done = 0
    while done < solver.region.count:
        solver.region.make_room()
        known = np.arange(done, solver.region.count)
        done += expand(solver.region.record, solver._works.any, known, 0, len(known))
    solver.region.fields.todo[: solver.region.count] = BOTH_ATTACKERS
    solver._solve()
    other = Solver(board, Budget(36_000, 2 * 10**9), threads=1)
    other._begin(few=False)
    other.region.fields.numbers[3] = len(other.region.fields.arena)
    filled = 0
    with tablebase.open_tablebase(tables_dir) as tables:
        leaves = Leaves(tables)
        for number in range(solver.region.count):
            assert (solver.region.fields.state[number] == State.EXACT).all()
            same = other.region.number_of(*map(int, solver.region.fields.keys[number]))
            if leaves.fill(other.region, same):
                for attacker in range(2):
                    one, two = (solver.region, number), (other.region, same)
                    np.testing.assert_array_equal(_lower(*one, attacker), _lower(*two, attacker))
                filled += 1
    assert filled >= solver.region.count - 1  # one may have just passed a pawn


def _lower(region, number, attacker):
    start = int(region.fields.lower[number, attacker])
    return region.fields.arena[start : start + region.words_of(number)]


def test_solving_rests_on_tables(tables_dir):
    board = chess.Board("8/8/8/8/1k1p4/8/2P5/3K4 w - - 0 1")
    alone = solve_position(board, "10h,2GB", moves=True)
    with tablebase.open_tablebase(tables_dir) as tables:
        solution = solve_position(board, "10h,2GB", moves=True, tables=tables)
    assert solution.moves == alone.moves
    assert "KPK" in solution.tables
    assert alone.tables == ()


def test_tables_without_distances_to_mate_are_not_used(folders_by_metric):
    board = chess.Board("8/8/8/8/1k1p4/8/2P5/3K4 w - - 0 1")
    with tablebase.open_tablebase(folders_by_metric["dtz"]) as tables:
        with pytest.raises(MissingTableError):
            tables.probe_wdl(chess.Board("8/8/8/8/1k6/8/2P5/3K4 w - - 0 1"))
        assert set(solve_position(board, "10h,2GB", tables=tables).tables) <= {"KK"}


def test_tables_go_on_with_a_winning_line(tables_dir):
    board = chess.Board("8/8/8/3pK3/2kP4/8/8/8 w - - 0 1")
    with tablebase.open_tablebase(tables_dir) as tables:
        solution = solve_position(board, "10h,2GB", tables=tables)
    assert solution.result == "loss"
    assert solution.tables
    for uci in solution.plan:
        board.push_uci(uci)
    assert board.is_checkmate()
