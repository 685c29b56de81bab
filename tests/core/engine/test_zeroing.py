"""Distances to zeroing: by the moves, on tables that no chess made, and against mates."""

import chess
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.few import few, slow
from support.lookup import noise_table, outcome_of, stored_outcome
from support.oracle import random_boards
from support.zeroing import minimax_outcome

from tablebase.core.checking.verify import check_table
from tablebase.core.engine.driver import solve
from tablebase.core.index.legality import MAY_MOVE, NO_POSITION, mark_slots
from tablebase.core.outcomes.metrics import DTZ
from tablebase.core.positions.chess_board import board_of
from tablebase.core.rules.material import Material, all_materials, generation_order

UP_TO_FOUR_MEN = generation_order(all_materials(4))
# On both sides of the 50-move rule, more draws than others: much is left to moves in the slice.
NOISE = [~0, ~1, ~30, ~99, ~100, ~101, ~102, ~140, 1, 2, 31, 99, 100, 101, 102, 141] + 12 * [0]
CURSED = {101, 102, ~101}


def noise_below(material, noise=NOISE):
    """Return sub-tables of noise for a material."""
    return {m: noise_table(m, n, noise) for n, m in enumerate(material.dependencies())}


def outcomes_found(table):
    """Return the outcomes of all legal positions, by side to move."""
    marks = mark_slots(table.index)
    for side in (0, 1):
        legal = (marks != NO_POSITION) & (marks & MAY_MOVE[side] != 0)
        yield table.outcomes[side][table.codes[side][legal]]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "count"),
    [("KPKP", 500), ("KRKP", 300), ("KQKP", 300), ("KPPK", 300)]
    + [slow(name, 80) for name in ("KBPK", "KNKP", "KQKR", "KBNK", "KRKN", "KNNK", "KQQK", "KRKR")],
)
def test_values_follow_from_those_after_every_move(zeroing, name, count):
    for board in random_boards(Material.from_name(name), count, seed=31):
        expected = minimax_outcome(board, lambda b: outcome_of(zeroing, b))
        assert outcome_of(zeroing, board) == expected, board.fen()


@pytest.mark.thorough
@pytest.mark.parametrize(
    "name", few(["KPK", "KRKN", "KPKP", "KBPK", "KNNK", "KQKR", "KPPK"], "KPKP")
)
def test_whatever_the_subtables_say_counts(name):
    material = Material.from_name(name)
    tables = noise_below(material)
    tables[material] = solve(material, tables, metric=DTZ)
    found = np.concatenate(list(outcomes_found(tables[material])))
    assert set(found.tolist()) >= CURSED
    report = check_table(tables[material], tables)  # by the walk, which sees every position
    assert report.passed, report.differences
    for board in random_boards(material, 250, seed=32):
        expected = minimax_outcome(board, lambda b: outcome_of(tables, b))
        assert outcome_of(tables, board) == expected, board.fen()


def before_a_double_push(rng):
    """Yield positions in which a pawn may pass another one, for White and for Black."""
    material = Material.from_name("KPKP")
    while True:
        file = int(rng.integers(8))
        other = file + int(rng.choice([-1, 1]))
        kings = rng.choice(64, 2, replace=False).tolist()
        squares = [*kings, chess.square(file, 1), 24 + other]
        if other not in range(8) or len(set(squares)) < 4:
            continue
        board = board_of(material, squares, chess.WHITE)
        push = chess.Move(chess.square(file, 1), chess.square(file, 3))
        if board.is_valid() and board.is_legal(push):
            yield board.mirror(), chess.Move(push.from_square ^ 56, push.to_square ^ 56)
            yield board, push


@pytest.mark.thorough
@pytest.mark.parametrize("noise", [False, True], ids=["chess", "noise"])
def test_double_pushes_beside_an_enemy_pawn(zeroing, noise):
    material = Material.from_name("KPKP")
    tables = zeroing
    if noise:
        tables = noise_below(material)
        tables[material] = solve(material, tables, metric=DTZ)
    passed = before_a_double_push(np.random.default_rng(33))
    captures = 0
    for _ in range(120):
        board, push = next(passed)
        expected = minimax_outcome(board, lambda b: outcome_of(tables, b))
        assert outcome_of(tables, board) == expected, board.fen()
        board.push(push)
        if board.has_legal_en_passant():
            captures += outcome_of(tables, board) != stored_outcome(tables, board)
            expected = minimax_outcome(board, lambda b: outcome_of(tables, b))
            assert outcome_of(tables, board) == expected, board.fen()
    assert captures > 5


@pytest.mark.parametrize("noise", [False, True], ids=["chess", "noise"])
@pytest.mark.parametrize("name", few(["KPK", "KQKR", "KPKP", "KRKP", "KNNK"], "KPKP"))
def test_threads_make_no_difference(zeroing, name, noise):
    material = Material.from_name(name)
    below = noise_below(material) if noise else zeroing
    alone, team = (solve(material, below, metric=DTZ, threads=threads) for threads in (1, 4))
    for side in (0, 1):
        assert np.array_equal(alone.codes[side], team.codes[side])
        assert np.array_equal(alone.outcomes[side], team.outcomes[side])


@pytest.mark.parametrize("material", few(UP_TO_FOUR_MEN, *UP_TO_FOUR_MEN[::4]), ids=str)
def test_no_distance_to_zeroing_exceeds_that_to_mate(solved, zeroing, material):
    for to_mate, to_zeroing in zip(
        outcomes_found(solved[material]), outcomes_found(zeroing[material]), strict=True
    ):
        assert np.array_equal(np.sign(to_mate), np.sign(to_zeroing))
        mate, zero = (np.where(n < 0, ~n, n) for n in (to_mate, to_zeroing))
        assert (zero <= mate).all()
        assert np.array_equal(to_mate == ~0, to_zeroing == ~0)


FLIPS = [chess.flip_vertical, chess.flip_diagonal]  # with these, all eight symmetries


@given(
    material=st.sampled_from(UP_TO_FOUR_MEN),
    squares=st.lists(st.sampled_from(chess.SQUARES), min_size=4, max_size=4, unique=True),
    turn=st.booleans(),
)
def test_images_of_a_position_are_as_far_from_zeroing(zeroing, material, squares, turn):
    board = board_of(material, squares[: material.piece_count], turn)
    assume(board.is_valid())
    outcome = outcome_of(zeroing, board)
    flips = [chess.flip_horizontal, *([] if material.has_pawns else FLIPS)]
    for flip in flips:
        assert outcome_of(zeroing, board.transform(flip)) == outcome
    assert outcome_of(zeroing, board.mirror()) == outcome
