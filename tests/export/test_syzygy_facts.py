"""What Syzygy files may leave open, found once more with python-chess's moves."""

import chess
import pytest
from support.few import few
from support.lookup import locate, noise_table, outcome_of, stored_outcome
from support.oracle import random_boards
from support.zeroing import before, result_of

from tablebase.core.board.geometry import Color
from tablebase.core.checking.reach import load_successors
from tablebase.core.index.legality import mark_slots
from tablebase.core.moves.successors import make_successors
from tablebase.core.outcomes.metrics import DTZ, make_outcomes
from tablebase.core.rules.material import Material
from tablebase.export.syzygy_facts import (
    ANY,
    NO_DISTANCE,
    SYZYGY_DRAW,
    SYZYGY_RESULTS,
    UP_TO,
    WHATEVER,
    _with_results,
    find_facts,
)

# Of all five results; that code 255 is a draw goes without saying.
SOME_OUTCOMES = [1, 3, 57, 100, 101, 120, ~0, ~1, ~2, ~56, ~100, ~101, ~121]


def facts_of(tables, material):
    table = tables[material]
    successors = load_successors(
        table,
        lambda needed, color, _: tables[needed].codes[color],
        lambda needed: tables[needed].outcomes,
    )
    return [find_facts(table, successors, color, threads=2) for color in Color]


def expected_fact(tables, board):
    """Return the fact by the rules of those who probe: captures first, then moves of pawns."""
    value = result_of(stored_outcome(tables, board))
    captures, pushes = [], []
    for move in list(board.legal_moves):
        if board.is_en_passant(move) or not board.is_zeroing(move):
            continue
        found = captures if board.is_capture(move) else pushes
        board.push(move)
        found.append(result_of(before(outcome_of(tables, board), zeroing=True)))
        board.pop()
    fact = value + SYZYGY_DRAW
    if value > -2 and captures and max(captures) == value:
        fact += UP_TO
    wins = value > 0 and any(moves and max(moves) == value for moves in (captures, pushes))
    return fact + NO_DISTANCE * (value == 0 or wins)


def assert_facts(tables, material, count):
    facts = facts_of(tables, material)
    seen = set()
    for board in random_boards(material, count, seed=5):
        board.ep_square = None
        _, side, slot = locate(tables, board)
        fact = facts[side][slot]
        assert fact == expected_fact(tables, board), board.fen()
        seen.add(int(fact))
    return seen


@pytest.mark.parametrize("name", few(["KPKP", "KRKP", "KQKR", "KPPK", "KNNK"], "KPKP"))
def test_facts_of_solved_tables(zeroing, name):
    assert len(assert_facts(zeroing, Material.from_name(name), 500)) >= 2


@pytest.mark.parametrize("name", few(["KRKN", "KPKP", "KQPK"], "KRKN"))
def test_facts_of_made_up_tables_with_all_results(name):
    material = Material.from_name(name)
    tables = {
        one: noise_table(one, seed, SOME_OUTCOMES)
        for seed, one in enumerate([Material(), *material.dependencies(), material])
    }
    for one in material.dependencies():
        for seed, other in enumerate(one.dependencies()):
            tables.setdefault(other, noise_table(other, 50 + seed, SOME_OUTCOMES))
    seen = assert_facts(tables, material, 700)
    assert {fact % NO_DISTANCE for fact in seen} >= set(range(SYZYGY_RESULTS)) - {SYZYGY_DRAW}
    assert max(fact % NO_DISTANCE for fact in seen) == ANY


def test_whatever_stands_where_no_position_is(zeroing):
    material = Material.from_name("KRKN")
    marks = mark_slots(zeroing[material].index)
    for color, facts in zip(Color, facts_of(zeroing, material), strict=True):
        illegal = facts == WHATEVER
        # Of wins by a capture anything may be said, too.
        assert illegal[(marks & (1 << color)) == 0].all() or illegal.any()
        assert not illegal.all()


def test_results_take_the_place_of_preferences():
    after = [99, 100, 101, ~0, ~99, ~100, ~101]
    outcomes = make_outcomes(after)
    successors = make_successors(Material.from_name("KRK"), DTZ, lambda _: (outcomes, outcomes))
    before = _with_results(successors, 0).fields.preferences.fields.before[:, 0, : len(after) + 1]
    assert before[0].tolist() == [-2, -1, -1, 2, 2, 1, 1, 0]  # a quiet move
    assert before[1].tolist() == [-2, -2, -1, 2, 2, 2, 1, 0]


def test_a_capture_that_draws_leaves_the_result_open(zeroing):
    board = chess.Board("8/8/8/4k3/8/8/1r6/K7 w - - 0 1")  # the king takes
    facts = facts_of(zeroing, Material.from_name("KRK"))
    _, side, slot = locate(zeroing, board)
    assert facts[side][slot] == (0 if board.is_check() else SYZYGY_DRAW + UP_TO + NO_DISTANCE)
