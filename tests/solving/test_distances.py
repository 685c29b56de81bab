"""Distances against those of complete tables: to mate, and to the next conversion."""

import random

import chess
import numpy as np
import pytest
from support.random_positions import random_board

import tablebase
from tablebase.board import SOLVED_PIECES, Material
from tablebase.solving import closure as closure_module
from tablebase.solving import solve_position
from tablebase.solving.budget import Budget
from tablebase.solving.closure import Closure, DoesNotFit
from tablebase.solving.exits import (
    DRAW,
    ILLEGAL,
    MATE,
    POSITIONS,
    STALEMATE,
    choose_passing,
    make_distances,
    plies_of,
)
from tablebase.solving.leaves import Leaves
from tablebase.solving.measuring import find_distances
from tablebase.solving.places import place_of
from tablebase.solving.region import BOTH, Region
from tablebase.solving.solver import Solver

BUDGET = "10h,4GB"
PASSED = [  # with a right to capture en passant, and where it may arise
    "8/8/8/2kpP3/8/4K3/8/8 w - d6 0 2",
    "8/5k2/8/8/4Pp2/8/3K4/8 b - e3 0 2",
    "8/5k2/8/8/5p2/8/3KP3/8 w - - 0 1",
    "8/2p5/8/1P1k4/8/8/8/3K4 b - - 0 1",
]


def closure_of(board, leaves=None, room=4 * 10**9, **options):
    closure = Closure(board, leaves, room, closure_module.time.monotonic() + 36_000, **options)
    closure.measure()
    return closure


def check_distances(oracle, board, tables=None):
    """Check the distances to mate of a position and its moves, and the line, by a table."""
    solution = solve_position(board, BUDGET, distance=True, tables=tables)
    assert solution.distance_to == "mate", board.fen()
    assert solution.distance == oracle.probe_dtm(board), board.fen()
    expected = {one.move.uci(): one.dtm for one in oracle.rank_moves(board, rule50=False)}
    assert {move.uci: move.distance for move in solution.moves} == expected, board.fen()
    after = board.copy()
    for uci in solution.plan:
        after.push(chess.Move.from_uci(uci))
    assert len(solution.plan) == abs(solution.distance)
    assert after.is_checkmate() or not solution.distance


@pytest.mark.parametrize(("name", "count"), [
    ("KPK", 8), ("KRKP", 1),
    *(pytest.param(name, 10, marks=pytest.mark.slow) for name in ("KPKP", "KPPK", "KNKP")),
])  # fmt: skip
def test_random_positions_without_tables(tables_dir, name, count):
    rng = random.Random(name)
    with tablebase.open_tablebase(tables_dir) as tables:
        for _ in range(count):
            check_distances(tables, random_board(rng, Material.from_name(name)))


@pytest.mark.parametrize("fen", PASSED)
def test_tables_as_leaves(tables_dir, fen):
    with tablebase.open_tablebase(tables_dir) as tables:
        check_distances(tables, chess.Board(fen), tables=tables)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["KRPKP", "KPPKP"])
def test_five_men_with_tables_as_leaves(five_men, name):
    rng = random.Random(name)
    with tablebase.open_tablebase(five_men) as tables:
        for _ in range(50):
            check_distances(tables, random_board(rng, Material.from_name(name)), tables=tables)


@pytest.mark.slow
def test_a_capture_en_passant_lifts_a_stalemate(five_men):
    board = chess.Board("k7/8/1Q6/8/3p4/3K4/4P3/8 w - - 0 1")
    after = board.copy()
    after.push_uci("e2e4")
    assert [move.uci() for move in after.legal_moves] == ["d4e3"]
    with tablebase.open_tablebase(five_men) as tables:
        check_distances(tables, board, tables=tables)


def test_values_are_given_up_for_memory():
    board = chess.Board("8/8/1P6/3k4/8/8/8/K6R w - - 0 1")
    whole = closure_of(board)
    tight = Closure(board, None, 4 * 10**9, closure_module.time.monotonic() + 36_000)
    tight._is_whole = False
    tight._plan()
    assert tight.bytes < whole.bytes
    tight = Closure(board, None, tight.bytes, closure_module.time.monotonic() + 36_000)
    tight.measure()
    for move in board.legal_moves:
        assert tight.move_value(board, move) == whole.move_value(board, move)
    assert whole.mainline()
    assert not tight.mainline()
    with pytest.raises(DoesNotFit, match="need"):
        closure_of(board, room=tight.bytes - 1)


def test_threads_change_nothing():
    board = chess.Board("8/1K3k2/8/8/8/8/3P4/8 w - - 0 1")
    one, two = (closure_of(board, threads=threads) for threads in (1, 2))
    for move in board.legal_moves:
        assert one.move_value(board, move) == two.move_value(board, move)


def test_mates_that_take_longer_than_a_byte_can_say(tables_dir):
    """With 300 plies more for each mate that tables give, results stay and all mates are later."""

    class LateLeaves(Leaves):
        def write_values(self, region, structure, values):
            super().write_values(region, structure, values)
            late = np.where(values > 1, values - 300, np.where(values < 0, values + 300, values))
            values[:] = np.where(values == ILLEGAL, values, late)

    board = chess.Board("8/8/8/4k3/8/3K4/4P3/8 w - - 0 1")
    with tablebase.open_tablebase(tables_dir) as tables:
        found = closure_of(board, LateLeaves(tables))
        ranked = tables.rank_moves(board, rule50=False)
        assert ranked[0].dtm == 41
        for one in ranked:
            late = one.dtm + 300 if one.dtm > 0 else one.dtm - 300 if one.dtm else 0
            assert plies_of(found.move_value(board, one.move)) == late


def whole_region(board):
    """Return a solver that has solved all that can be reached."""
    solver = Solver(board, Budget(36_000, 4 * 10**9), threads=1)
    solver._begin(few=False, most_pieces=SOLVED_PIECES)
    solver.number(place_of(board))
    done = 0
    while done < solver.region.count:
        known = np.arange(done, solver.region.count)
        solver._expand(known)
        done += len(known)
    solver.region.fields.todo[: solver.region.count] = BOTH
    solver._solve()
    solver._learn()
    return solver


@pytest.mark.parametrize(("name", "count"), [("KPK", 12), ("KRKP", 2)])
def test_distances_to_conversions_of_whole_regions(zeroing_dir, monkeypatch, name, count):
    """They are distances to zeroing."""
    monkeypatch.setattr(closure_module, "PLANES_A_SECOND", 0)
    rng = random.Random(name)
    with tablebase.open_tablebase(zeroing_dir) as tables:
        for _ in range(count):
            board = random_board(rng, Material.from_name(name))
            found = find_distances(whole_region(board))
            assert found.to == "conversion"
            ranked = tables.rank_moves(board)
            assert all(abs(one.dtz) <= 100 for one in ranked)
            assert found.of_moves == {one.move: one.dtz for one in ranked}, board.fen()
            if not board.is_checkmate():  # which is -1 plies from zeroing
                assert found.of_root == tables.probe_dtz(board), board.fen()


@pytest.mark.parametrize(("name", "count"), [("KPK", 10), ("KRKP", 2), ("KPKP", 3)])
def test_distances_to_conversions(zeroing_dir, monkeypatch, name, count):
    """What is not proven may make a win shorter."""
    monkeypatch.setattr(closure_module, "PLANES_A_SECOND", 0)
    rng = random.Random(name)
    with tablebase.open_tablebase(zeroing_dir) as tables:
        known = 0
        for _ in range(count):
            board = random_board(rng, Material.from_name(name))
            solution = solve_position(board, BUDGET, moves=True, distance=True)
            assert solution.distance_to == "conversion"
            assert solution.distance_limit
            ranked = {one.move.uci(): one.dtz for one in tables.rank_moves(board)}
            for move in solution.moves:
                if move.distance is not None:
                    known += 1
                    dtz = ranked[move.uci]
                    assert np.sign(move.distance) == np.sign(dtz), board.fen()
                    assert abs(move.distance) >= abs(dtz), board.fen()
        assert known > 3 * count


def test_not_asked_for():
    solution = solve_position(chess.Board("8/8/8/3pK3/2kP4/8/8/8 w - - 0 1"), BUDGET)
    assert (solution.distance, solution.distance_to) == (None, None)
    assert all(move.distance is None for move in solution.moves)


def test_the_choice_to_capture_en_passant():
    """By hand: what a double push is worth to the enemy, who may capture, is at least as good."""
    region = Region(np.zeros(0, dtype=np.uint64))
    taken = region.number_of(0, 0, 0)
    values = np.full(2 * POSITIONS, ILLEGAL, dtype=np.int16)
    distances = make_distances(values, np.zeros(8, dtype=np.int64), 1)
    after = distances.fields.after
    rows = [  # after the push, after the capture, the choice
        (DRAW, -MATE + 10, MATE - 11),
        (MATE - 5, -MATE + 10, MATE - 5),
        (-MATE, MATE - 7, -MATE + 8),  # mate, but for the capture
        (STALEMATE, MATE - 7, -MATE + 8),  # forced
        (STALEMATE, DRAW, DRAW),
        (STALEMATE, ILLEGAL, STALEMATE),  # the pawn may not leave its line
        (ILLEGAL, DRAW, ILLEGAL),
    ]
    for i, (pushed, captured, _) in enumerate(rows):
        after[i], values[POSITIONS + i] = pushed, captured
    choose_passing(region.record, distances, taken, 0, 1)
    assert after[: len(rows)].tolist() == [expected for *_, expected in rows]
