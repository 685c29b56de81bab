"""What proofs contain: moves by the bounds of a region, and when there is none."""

from contextlib import suppress

import chess
import numpy as np
import pytest

import tablebase
from tablebase.core.positions.chess_board import board_of
from tablebase.core.rules.material import Material
from tablebase.solve import proofs
from tablebase.solve.answers import NoProofError, solve_position
from tablebase.solve.budget import Budget, OutOfBudget
from tablebase.solve.packed import (
    board_of_packed,
    cannot_lose,
    packed_after,
    packed_of,
)
from tablebase.solve.places import place_of, place_of_packed
from tablebase.solve.proofs import proof_of
from tablebase.solve.solver import Solver
from tablebase.solve.strategies import NoStrategyError

BUDGET = "10h,2GB"
FAHRNI = "2k5/8/p1P5/P2K4/8/8/8/8 w - - 0 1"
DATA = "data"


def random_boards(count):
    """Return boards after random moves, with en passant captures among them, without castling."""
    rng = np.random.default_rng(11)
    board = chess.Board("4k3/pppp2pp/8/4Pp2/1n6/8/PPP3PP/2B1K3 w - f6 0 1")
    for _ in range(count):
        yield board.copy(stack=False)
        moves = list(board.legal_moves)
        if moves and board.occupied.bit_count() > 4:
            board.push(moves[rng.integers(len(moves))])
        else:
            board = chess.Board("4k3/p1pp2pp/8/8/1pP5/8/PP4PP/R3K1n1 b - c3 0 1")


def test_packed_positions_are_those_of_python_chess():
    passing = 0
    for board in random_boards(300):
        packed = packed_of(board)
        again = board_of_packed(packed, board.turn)
        assert again.is_valid() == board.is_valid()
        assert list(map(str, again.legal_moves)) == list(map(str, board.legal_moves))
        passing += packed[7] > 0
        for move in board.legal_moves:
            after = board.copy(stack=False)
            after.push(move)
            assert packed_after(board, packed, move) == packed_of(after)
    assert passing


def test_places_of_packed_positions():
    rng = np.random.default_rng(3)
    for name in ("KQvKRB", "KPPvKN", "KRNvKR", "KvK"):
        material = Material.from_name(name)
        for _ in range(20):
            squares = rng.choice(np.arange(8, 56), len(material.men), replace=False)
            board = board_of(material, squares.tolist(), turn=bool(rng.integers(2)))
            assert place_of_packed(packed_of(board), board.turn) == place_of(board)


@pytest.mark.parametrize(
    ("fen", "white", "black"),
    [
        ("8/8/8/8/8/k7/8/K7", True, True),
        ("8/8/8/8/8/k7/8/KN6", True, True),
        ("8/8/8/8/8/k7/8/KR6", True, False),
        ("8/8/8/8/8/kp6/8/KN6", False, False),
        ("8/8/8/8/8/kp6/8/K7", False, True),
    ],
)
def test_who_cannot_be_mated(fen, white, black):
    packed = packed_of(chess.Board(f"{fen} w - - 0 1"))
    assert (cannot_lose(packed, chess.WHITE), cannot_lose(packed, chess.BLACK)) == (white, black)
    # python-chess knows more such positions, but none of these that it does not know
    board = chess.Board(f"{fen} w - - 0 1")
    for side, never in ((chess.WHITE, white), (chess.BLACK, black)):
        assert board.has_insufficient_material(not side) or not never


def solved(fen, progress=None, tables=None):
    solver = Solver(
        chess.Board(fen), Budget(36_000, 2 * 10**9), threads=1, tables=tables, progress=progress
    )
    try:
        solver.run()
    except OutOfBudget:
        assert progress is not None
    return solver


@pytest.mark.thorough
def test_promotions_that_the_region_left_out_are_answered():
    """Black promotes to a rook or bishop, too; the region has his queens and knights alone."""
    (part,) = proof_of(solved("8/8/8/8/8/2K5/Q4p2/3k4 b - - 0 1"), None).parts
    bishops, rooks, white = part.positions[:, 2], part.positions[:, 3], part.positions[:, 6]
    assert (bishops & ~white).any()
    assert (rooks & ~white).any()


def test_half_a_result_is_proven_when_the_budget_ends():
    def stop(solver):
        if solver.root_bounds() == (0, 1):
            raise OutOfBudget("enough")

    proof = proof_of(solved(FAHRNI, stop), None)
    assert proof.claim == "at_least_draw"
    assert [part.name for part in proof.parts] == ["white_holds"]
    assert proof.parts[0].ranks is None


def test_a_part_may_be_too_large(monkeypatch):
    monkeypatch.setattr(proofs, "FIRST_POSITIONS", 50)
    monkeypatch.setattr(proofs, "MOST_POSITIONS", 300)
    with pytest.raises(NoStrategyError, match="more than 300 positions"):
        proof_of(solved(FAHRNI), None)


@pytest.mark.thorough
def test_attempts_with_more_positions_give_the_same(monkeypatch):
    solver = solved(FAHRNI)
    one = proof_of(solver, None)
    monkeypatch.setattr(proofs, "FIRST_POSITIONS", 500)
    other = proof_of(solver, None)
    np.testing.assert_array_equal(one.parts[0].positions, other.parts[0].positions)
    np.testing.assert_array_equal(one.parts[0].moves, other.parts[0].moves)


def test_a_proof_keeps_to_the_time():
    solver = solved(FAHRNI)
    solver.deadline = solver.started
    with pytest.raises(NoStrategyError, match=r"the time is used up after \d+ position"):
        proof_of(solver, None)


def test_a_proof_keeps_to_the_memory(monkeypatch):
    solver = solved(FAHRNI)
    monkeypatch.setattr(proofs, "BYTES_A_POSITION", solver.memory // 500)
    with pytest.raises(NoStrategyError, match=r"the memory is used up after \d\d\d positions"):
        proof_of(solver, None)


@pytest.mark.thorough
def test_bounds_are_packed_for_a_proof(monkeypatch):
    """The proof does not depend on when."""
    one = proof_of(solved(FAHRNI), None)
    check, packed = Solver.check, []

    def pack(solver, *given):
        solver.memory = solver.bytes
        with suppress(OutOfBudget):
            check(solver, *given)
        packed.append(solver.region.bytes)

    monkeypatch.setattr(Solver, "check", pack)
    solver = solved(FAHRNI)
    solver.keeps_all, before = True, solver.region.bytes
    other = proof_of(solver, None)
    assert len(packed) > 10
    assert max(packed) < before
    np.testing.assert_array_equal(one.parts[0].positions, other.parts[0].positions)
    np.testing.assert_array_equal(one.parts[0].moves, other.parts[0].moves)


def test_the_table_of_the_position_itself_is_not_used(tmp_path):
    board = chess.Board("8/k7/8/1PK5/8/8/8/8 b - - 0 1")
    with tablebase.open_tablebase(DATA) as tables:
        solution = solve_position(board, BUDGET, tables=tables, proof=tmp_path / "a.proof")
    assert "KPK" not in (*solution.proof.tables, *solution.tables)
    assert solution.proof.positions


@pytest.mark.thorough
def test_a_region_made_with_tables_needs_them_again(tmp_path):
    save, proof = tmp_path / "a.region", tmp_path / "a.proof"
    with tablebase.open_tablebase(DATA) as tables:
        solution = solve_position(chess.Board(FAHRNI), BUDGET, tables=tables, save=save)
    assert "KPK" in solution.tables
    with pytest.raises(NoProofError, match="needs tables for this position") as caught:
        solve_position(chess.Board(FAHRNI), BUDGET, save=save, proof=proof)
    assert caught.value.solution.result == solution.result
    assert not proof.exists()


def test_an_older_proof_stays_if_there_is_no_new_one(tmp_path):
    proof = tmp_path / "a.proof"
    proof.write_bytes(b"old")
    fen = "8/1p3kpp/8/8/8/1P6/P4KPP/8 w - - 0 1"
    with pytest.raises(NoProofError, match="nothing is proven"):
        solve_position(chess.Board(fen), "0.001s,1GB", proof=proof)
    assert proof.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [proof]
