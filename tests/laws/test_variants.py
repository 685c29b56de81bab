"""What holds in chess and its variants of python-chess: compared with all values of the engine."""

import random

import chess
import numpy as np
import pytest
from support.few import slow, thorough
from support.variants import (
    ANTICHESS,
    ATOMIC,
    CHECKS,
    GIVEAWAY,
    NEAR,
    RACING,
    SUICIDE,
    UPPER,
    Values,
    board_of,
    boards_of,
    is_in_tables,
    is_legal,
    key_of,
    random_boards,
    solve_slowly,
    stored_value,
    symbols_of,
)

from tablebase.core.board.geometry import Color
from tablebase.core.checking.verify import check_table
from tablebase.core.engine.driver import solve
from tablebase.core.engine.out import children
from tablebase.core.index.legality import is_legal as is_marked_legal
from tablebase.core.index.legality import mark_slots
from tablebase.core.index.numbering import table_index
from tablebase.core.jit.records import KernelRecord
from tablebase.core.outcomes.metrics import DTM, DTZ
from tablebase.core.positions.setup import Setup
from tablebase.core.rules.material import Material, all_materials
from tablebase.core.rules.rules import CHESS
from tablebase.core.tables.table import Table

METRICS = [DTM, DTZ]
THREE_LEFT = [(left, 3) for left in (1, 2, 3)]


def case_name(one):
    return getattr(one, "name", str(one))


def names(rules, men, *, pawns=False):
    """Return the endings of a game of some men."""
    return [one.name for one in all_materials(men, rules) if pawns or not one.has_pawns]


def metrics_of(rules):
    """Return the metrics of a game: the first who has no men has won suicide, mate or not."""
    return [DTZ] if rules == SUICIDE else METRICS


@pytest.mark.parametrize(
    ("rules", "name"),
    [
        (RACING, "KK"),
        *(slow(RACING, name) for name in names(RACING, 3)),
        thorough(ANTICHESS, "KvN"),
        thorough(SUICIDE, "KvN"),
        *(slow(rules, name) for rules in GIVEAWAY for name in names(rules, 3)),
        thorough(CHECKS, "KRK"),
        *(slow(CHECKS, name) for name in ("KNK", "KBK", "KQK", "KPK")),
        *(slow(ATOMIC, name) for name in ("KQK", "KRK", "KBK", "KNK", "KPK")),
        *(slow(CHESS, name) for name in ("KQK", "KRK", "KPK")),
    ],
    ids=case_name,
)
def test_every_value_is_that_of_a_slow_solver(solve_with_parts, rules, name):
    """Which solves the layers of three-check as one, although tables come one after the other."""
    boards = list(boards_of(rules, name, THREE_LEFT if rules == CHECKS else [(3, 3)]))
    found = solve_slowly(boards)
    for metric in metrics_of(rules):
        tables, expected = solve_with_parts(name, rules, metric), found[metric.counts_zeroing]
        for board in boards:
            assert stored_value(tables, board) == expected[key_of(board)], board.fen()
    assert len(boards) > 1000


@pytest.mark.parametrize(
    ("rules", "name", "count"),
    [
        (RACING, "KKB", 150),
        thorough(RACING, "KNKB", 500),
        *(slow(RACING, name, 1000) for name in names(RACING, 4)),
        *(slow(RACING, name, 100_000) for name in ("KQKR", "KRKQ", "KQRK", "KKRB", "KBKN")),
        thorough(CHECKS, "KRK", 300),
        *(slow(CHECKS, name, 100_000) for name in ("KQKR", "KRKP", "KPKP", "KBKN", "KNNK")),
        (ANTICHESS, "PvP", 200),
        thorough(ANTICHESS, "RRvK", 400),
        *(thorough(SUICIDE, name, 400) for name in ("PvP", "RRvK")),
        *(
            slow(rules, name, 400)
            for rules in GIVEAWAY
            for men in (2, 3)
            for name in names(rules, men, pawns=True)
        ),
        *(slow(rules, name, 400) for rules in GIVEAWAY for name in ("KPvPP", "QBvKP", "PPvPP")),
        *(
            slow(rules, name, 10_000)
            for rules in GIVEAWAY
            for name in (
                *("KKvKK", "RRvRR", "KBvQQ", "BBvNN", "RRvBB", "KQvRB", "KRvQN", "KNvBB", "QRvBN"),
                *("KNvRN", "KKKvR", "QQQvR", "NNNvR", "BBBvN", "RRRvQ", "KQRvN", "QBNvK", "KKBvR"),
                *("RNNvB", "KRBvQ"),
            )
        ),
        *(slow(ATOMIC, name, 10_000) for name in ("KPKP", "KQKP")),
    ],
    ids=case_name,
)
def test_values_follow_from_the_moves(solve_with_parts, rules, name, count):
    near, symbols = UPPER if rules == RACING else NEAR, symbols_of(name)
    for metric in metrics_of(rules):
        tables, rng = solve_with_parts(name, rules, metric), random.Random(3)
        values = Values(tables, metric)
        compared = 0
        for squares in (near, chess.SQUARES):
            for board in random_boards(rules, symbols, count // 2, rng, squares=squares):
                board.ep_square = None
                if not is_in_tables(board):
                    continue
                compared += 1
                assert stored_value(tables, board) == values.by_moves(board), board.fen()
        assert compared > count // 2
        assert values.passed or not {*"Pp"} <= {*symbols}


@pytest.mark.parametrize(
    ("rules", "name"),
    [
        (RACING, "KKB"),
        thorough(CHECKS, "KRK"),
        *(slow(CHECKS, name) for name in ("KPK", "KQKR", "KPKP", "KRKR", "KBNK", "KRKP")),
        *((rules, name) for rules in GIVEAWAY for name in ("KvN", "PvP")),
        *(slow(rules, name) for rules in GIVEAWAY for name in ("KvP", "RRvK", "KPvP")),
        (ATOMIC, "KQK"),
    ],
    ids=case_name,
)
def test_a_check_passes_and_finds_a_wrong_value(solve_with_parts, rules, name):
    """The walk finds the values that the engine has, and each that is planted."""
    for metric in metrics_of(rules):
        tables = solve_with_parts(name, rules, metric)
        table = tables[Material.from_name(name, rules)]
        report = check_table(table, tables, threads=1)
        assert report.checked > 0
        assert report.passed, report.differences
        legal = np.flatnonzero(is_marked_legal(mark_slots(table.index), Color.WHITE))
        for slot in np.random.default_rng(2).choice(legal, 3).tolist():
            codes = table.codes[0].copy()
            codes[slot] = next(code for code in np.unique(codes) if code != codes[slot])
            wrong = Table(table.material, codes, table.codes[1], table.metric, table.outcomes)
            assert check_table(wrong, tables, threads=1).different > 0


@pytest.mark.parametrize(
    ("rules", "name", "mutant"),
    [
        (RACING, "KK", {"flag_move": False}),
        (RACING, "KKB", {"flag_move": False}),
        (RACING, "KKB", {"checking": True}),
    ],
    ids=["kings have no answer", "Black has no answer", "checks are legal"],
)
def test_wrong_rules_are_found(solve_with_parts, rules, name, mutant, monkeypatch):
    right, law_of = solve_with_parts(name, rules, DTM), children.make_law

    def wrong_law(one):
        return KernelRecord(law_of(one).fields._replace(**mutant))

    monkeypatch.setattr(children, "make_law", wrong_law)
    material = Material.from_name(name, rules)
    needed = {one: right[one] for one in material.dependencies()}
    report = check_table(solve(material, needed, metric=DTM, threads=1), needed)
    assert not report.passed
    assert report.differences


@pytest.mark.parametrize(
    ("rules", "name"),
    [*((RACING, name) for name in ("KK", "KKR", "KQKB")), (ATOMIC, "KQKR"), (CHECKS, "KPKP")],
    ids=case_name,
)
def test_legal_positions_are_those_of_python_chess_and_of_setups(rules, name):
    index = table_index(Material.from_name(name, rules))
    marks = mark_slots(index)
    slots = np.unique(np.random.default_rng(4).integers(0, index.layer_size, 1000))
    squares, valid = index.decode_many(slots)
    found = 0
    for row, mark in zip(squares[valid].tolist(), marks[slots][valid], strict=True):
        for color in Color:
            board = board_of(rules, symbols_of(name), row, color is Color.WHITE)
            expected = is_legal(board)
            setup = Setup(index.material, tuple(row), color)
            assert setup.is_legal() is expected
            marked = is_marked_legal(np.array([mark]), color)[0]
            assert marked == (expected and is_in_tables(board))
            found += expected
    assert found > 200
