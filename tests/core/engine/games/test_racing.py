"""Racing kings: every value of three men by a slow solver, of four by their moves."""

import random
from collections import Counter

import chess
import numpy as np
import pytest
from support.few import few, slow
from support.racing import KINGS, RACING, best_of, racing_board, solve_race

from tablebase.core.board.geometry import Color
from tablebase.core.checking.verify import check_table
from tablebase.core.engine.driver import solve
from tablebase.core.engine.out import children
from tablebase.core.index.legality import is_legal, mark_slots
from tablebase.core.index.numbering import table_index
from tablebase.core.jit.records import KernelRecord
from tablebase.core.outcomes.metrics import DTM, DTZ
from tablebase.core.positions.any_position import as_position
from tablebase.core.positions.setup import Setup
from tablebase.core.rules.material import Material, all_materials

THREE = [one.name for one in all_materials(3, RACING)]
FOUR = [one.name for one in all_materials(4, RACING)]
SIX = ["KQKR", "KRKQ", "KQRK", "KKRB", "KBKN", "KNNK"]
METRICS = [DTM, DTZ]


def outcome_in(tables, board):
    """Return the stored outcome of a board."""
    setup = as_position(board)
    table = tables[setup.material]
    code = table.codes[setup.color][table.index.encode(np.array(setup.squares, dtype=np.uint8))]
    return int(table.outcomes[setup.color][code])


@pytest.fixture(scope="module")
def bare():
    return solve_race("KK", ({}, {}))


@pytest.mark.parametrize("name", ["KK", *few(THREE)])
def test_every_value_is_that_of_a_slow_solver(solve_with_parts, bare, name):
    found = bare if name == "KK" else solve_race(name, bare)
    for metric, expected in zip(METRICS, found, strict=True):
        tables = solve_with_parts(name, RACING, metric)
        table = tables[Material.from_name(name, RACING)]
        slots = table.index.encode_many(np.array([key[:-1] for key in expected], dtype=np.uint8))
        turns = [0 if key[-1] else 1 for key in expected]
        outcomes = [
            int(table.outcomes[turn][table.codes[turn][slot]])
            for turn, slot in zip(turns, slots, strict=True)
        ]
        assert outcomes == [*expected.values()]
        assert all(count > 0 for count in Counter(map(np.sign, outcomes)).values())


@pytest.mark.parametrize("metric", METRICS, ids=str)
@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("KKB", 150),
        pytest.param("KNKB", 500, marks=pytest.mark.thorough),
        *(slow(name, 1000) for name in FOUR),
        *(slow(name, 100_000) for name in SIX),
    ],
)
def test_values_follow_from_the_moves(solve_with_parts, name, count, metric):
    tables, rng = solve_with_parts(name, RACING, metric), random.Random(3)
    for board in random_boards(name, count, rng):
        found = best_of(
            board, lambda after: outcome_in(tables, after), by_zeroing=metric.counts_zeroing
        )
        assert outcome_in(tables, board) == found, board.fen()


def random_boards(name, count, rng):
    """Yield random positions of an ending, half of them on the upper half of the board."""
    white, black = name[1:].split("K")
    men = [KINGS[chess.WHITE], KINGS[chess.BLACK]]
    men += [chess.Piece.from_symbol(one) for one in white + black.lower()]
    found = 0
    while found < count:
        placed = rng.sample(range(32 * (found % 2), 64), len(men))
        board = racing_board(dict(zip(placed, men, strict=True)), rng.random() < 0.5)
        in_check = board.is_check() or board.was_into_check()
        if not in_check and board.king(board.turn) < chess.A8:
            found += 1
            yield board


@pytest.mark.parametrize("metric", METRICS, ids=str)
@pytest.mark.parametrize("name", ["KKB"])
def test_the_walk_finds_the_same_values(solve_with_parts, name, metric):
    tables = solve_with_parts(name, RACING, metric)
    material = Material.from_name(name, RACING)
    report = check_table(tables[material], {one: tables[one] for one in material.dependencies()})
    assert report.passed, report.differences


@pytest.mark.parametrize(
    ("name", "mutant"),
    [("KK", {"flag_move": False}), ("KKB", {"flag_move": False}), ("KKB", {"checking": True})],
    ids=["kings have no answer", "Black has no answer", "checks are legal"],
)
def test_wrong_rules_are_found(solve_with_parts, name, mutant, monkeypatch):
    right, law_of = solve_with_parts(name, RACING, DTM), children.make_law
    material = Material.from_name(name, RACING)
    needed = {one: right[one] for one in material.dependencies()}

    def wrong_law(one):
        return KernelRecord(law_of(one).fields._replace(**mutant))

    monkeypatch.setattr(children, "make_law", wrong_law)
    report = check_table(solve(material, needed, metric=DTM, threads=1), needed)
    assert not report.passed
    assert report.differences


@pytest.mark.parametrize("name", ["KK", "KKR", "KQKB"])
def test_legal_positions_are_those_of_setups(name):
    index = table_index(Material.from_name(name, RACING))
    marks = mark_slots(index)
    slots = np.unique(np.random.default_rng(4).integers(0, index.size, 1000))
    squares, valid = index.decode_many(slots)
    found = 0
    for row, mark in zip(squares[valid].tolist(), marks[slots][valid], strict=True):
        for color in Color:
            setup = Setup(index.material, tuple(row), color)
            expected = setup.is_legal() and row[color] < chess.A8
            assert is_legal(np.array([mark]), color)[0] == expected
            found += expected
    assert found > 200
