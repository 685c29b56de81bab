"""Three-check: every value of three men by a slow solver, of four by their moves."""

import random
from collections import Counter

import chess
import numpy as np
import pytest
from support.checks import CHECKS, MEN, best_of, random_boards, solve_checks, with_en_passant
from support.few import few, slow

from tablebase.core.checking.verify import check_table
from tablebase.core.engine.driver import solve
from tablebase.core.outcomes.metrics import DTM, DTZ
from tablebase.core.positions.any_position import as_position
from tablebase.core.rules.material import Material, generation_order

METRICS = [DTM, DTZ]
SIX = ["KQKR", "KRKP", "KPKP", "KBKN", "KNNK", "KRKR"]
WALKED = ["KPK", "KQKR", "KPKP", "KRKR", "KBNK", "KRKP"]


@pytest.fixture(scope="module")
def solved():
    """Return what solves an ending by name and metric, sub-tables once; all so far."""
    tables = {}

    def solve_name(name, metric):
        known = tables.setdefault(metric, {})
        for one in generation_order([Material.from_name(name, CHECKS)]):
            if one not in known:
                needed = {other: known[other] for other in one.dependencies()}
                known[one] = solve(one, needed, metric=metric, threads=1)
        return known

    return solve_name


@pytest.fixture(scope="module")
def slowly():
    """Return what solves king and man against king slowly, once."""
    found = {}

    def solve_man(man):
        if man not in found:
            promoted = {one: solve_man(one) for one in MEN[:-1]} if man == chess.PAWN else None
            found[man] = solve_checks(man, promoted)
        return found[man]

    return solve_man


@pytest.mark.thorough
@pytest.mark.parametrize("man", few(MEN, chess.ROOK))
def test_every_value_is_that_of_a_slow_solver(solved, slowly, man):
    """Which solves all layers as one graph, although tables do so one after the other."""
    material = Material.from_name(f"K{chess.piece_symbol(man)}K", CHECKS)
    for metric, expected in zip(METRICS, slowly(man), strict=True):
        table = solved(material.name, metric)[material]
        squares = np.array([position[:-1] for position, _ in expected], dtype=np.uint8)
        slots = table.index.encode_many(squares)
        outcomes = []
        for (position, left), slot in zip(expected, slots.tolist(), strict=True):
            place = slot + material.layer_of((left, 3)) * table.index.layer_size
            turn = 0 if position[-1] else 1
            outcomes.append(int(table.outcomes[turn][table.codes[turn][place]]))
        assert outcomes == [*expected.values()]
        assert all(count > 0 for count in Counter(map(np.sign, outcomes)).values())


@pytest.mark.parametrize("metric", METRICS, ids=str)
@pytest.mark.parametrize(
    "name", [pytest.param("KRK", marks=pytest.mark.thorough), *(slow(one) for one in WALKED)]
)
def test_the_walk_finds_the_same_values(solved, name, metric):
    tables = solved(name, metric)
    material = Material.from_name(name, CHECKS)
    report = check_table(tables[material], {one: tables[one] for one in material.dependencies()})
    assert report.passed, report.differences


def outcome_in(tables, board, metric):
    """Return the outcome of a board by the stored ones."""
    setup = as_position(board)
    if setup.material.normalized() != setup.material:
        setup = setup.exchanged()
    table = tables[setup.material]
    slot = table.index.encode(np.array(setup.squares, dtype=np.uint8))
    code = table.codes[setup.color][table.index.layer_start(setup.checks) + slot]
    stored = int(table.outcomes[setup.color][code])

    def outcome_of(after):
        return outcome_in(tables, after, metric)

    return with_en_passant(board, stored, outcome_of, by_zeroing=metric.counts_zeroing)


def symbols_of(name):
    """Return the letters of a FEN for the men of an ending."""
    white, black = name[1:].split("K")
    return f"Kk{white}{black.lower()}"


@pytest.mark.parametrize("metric", METRICS, ids=str)
@pytest.mark.parametrize(
    ("name", "count"),
    [
        pytest.param("KRK", 300, marks=pytest.mark.thorough),
        *(slow(name, 100_000) for name in SIX),
    ],
)
def test_values_follow_from_the_moves_of_python_chess(solved, name, count, metric):
    tables = solved(name, metric)
    for board in random_boards(count, random.Random(3), symbols_of(name)):
        found = best_of(
            board,
            lambda after: outcome_in(tables, after, metric),
            by_zeroing=metric.counts_zeroing,
        )
        assert outcome_in(tables, board, metric) == found, board.fen()


@pytest.mark.parametrize(
    ("name", "count"),
    [pytest.param("KRK", 300, marks=pytest.mark.thorough), *(slow(name, 5000) for name in SIX)],
)
def test_with_one_check_left_every_check_wins(solved, name, count):
    tables, won = solved(name, DTM), 0
    for board in random_boards(count, random.Random(4), symbols_of(name)):
        board.remaining_checks = [1, 1]
        has_check = any(map(board.gives_check, board.legal_moves))
        assert (outcome_in(tables, board, DTM) == 1) == has_check, board.fen()
        won += has_check
    assert 0 < won < count
