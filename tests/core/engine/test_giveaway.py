"""Antichess and suicide: values by a slow solver with python-chess, and by its moves."""

import random

import chess
import numpy as np
import pytest
from support.few import few
from support.giveaway import (
    ANTICHESS,
    BOARDS,
    SUICIDE,
    best_of,
    boards_of,
    key_of,
    solve_by_moves,
)

from tablebase.core.board.geometry import Color
from tablebase.core.engine.driver import solve
from tablebase.core.outcomes.metrics import DTM, DTZ
from tablebase.core.positions.any_position import as_position
from tablebase.core.rules.material import Material, all_materials, generation_order

TWO = [one.name for one in all_materials(2, ANTICHESS) if not one.has_pawns]
THREE = [one.name for one in all_materials(3, ANTICHESS) if not one.has_pawns]
WITH_PAWNS = [
    *(one.name for men in (2, 3) for one in all_materials(men, ANTICHESS) if one.has_pawns),
    *("RRvK", "QRvK", "KKvKK", "RRvBB", "KNvPP", "PPvPP", "KPvPP", "QBvKP", "KQRvN", "NNNvR"),
]
PAWNS = [at for at in range(8, 56) if at % 8 < 4]
GAMES = [(ANTICHESS, DTM), (ANTICHESS, DTZ), (SUICIDE, DTZ)]
IDS = ["antichess-dtm", "antichess-dtz", "suicide-dtz"]


@pytest.fixture(scope="module")
def solved():
    """Return what solves an ending by name, rules and metric, sub-tables once; all so far."""
    tables = {}

    def solve_name(name, rules, metric):
        known = tables.setdefault((metric, rules), {})
        for one in generation_order([Material.from_name(name, rules)]):
            if one not in known:
                needed = {other: known[other] for other in one.dependencies()}
                known[one] = solve(one, needed, metric=metric, threads=1)
        return known

    return solve_name


def value_in(tables, board):
    """Return result and plies of a board, without en passant, as tables have them."""
    setup = as_position(board)
    material = setup.material.normalized()
    if setup.material != material or (material.is_symmetric and setup.color is Color.BLACK):
        setup = setup.exchanged()
    table = tables[material]
    code = table.codes[setup.color][table.index.encode(np.array(setup.squares, dtype=np.uint8))]
    outcome = int(table.outcomes[setup.color][code])
    return (1, outcome - 1) if outcome > 0 else (-1, ~outcome - 1) if outcome else (0, 0)


def slow_values(name, rules, *, by_zeroing):
    """Return the values of an ending, found slowly like all below it, for both colours."""
    known = {}
    for one in generation_order([Material.from_name(name, rules)]):
        values = solve_by_moves(one.name, rules, known, by_zeroing=by_zeroing)
        boards = boards_of(one.name, rules)
        known |= values | {key_of(boards[key].mirror()): values[key] for key in values}
    return values


@pytest.mark.parametrize(("rules", "metric"), GAMES, ids=IDS)
@pytest.mark.parametrize("name", [*few(TWO, "KvN"), *few(THREE)])
def test_every_value_is_that_of_a_slow_solver(solved, name, rules, metric):
    values = slow_values(name, rules, by_zeroing=metric.counts_zeroing)
    tables, boards = solved(name, rules, metric), boards_of(name, rules)
    assert values
    assert [value_in(tables, boards[key]) for key in values] == [*values.values()]


def value_after(tables, board, *, by_zeroing):
    """Return result and plies of a board by tables, or by its moves if a pawn can be passed."""
    if board.has_legal_en_passant():
        return by_moves(tables, board, by_zeroing=by_zeroing)
    return value_in(tables, board)


def by_moves(tables, board, *, by_zeroing):
    """Return result and plies of a board by tables one move ahead."""
    return best_of(
        board,
        lambda after: value_after(tables, after, by_zeroing=by_zeroing),
        by_zeroing=by_zeroing,
    )


@pytest.mark.parametrize(("rules", "metric"), GAMES, ids=IDS)
@pytest.mark.parametrize("name", [*few(WITH_PAWNS, "PvP", "KPvP")])
def test_values_with_pawns_follow_from_the_moves(solved, name, rules, metric):
    tables = solved(name, rules, metric)
    rng, passing = random.Random(3), 0
    for _ in range(600):
        board = random_board(name, rules, rng)
        passing += any(after.has_legal_en_passant() for after in boards_after(board))
        found = by_moves(tables, board, by_zeroing=metric.counts_zeroing)
        assert value_in(tables, board) == found, board.fen()
    assert passing or not all("P" in side for side in name.split("v"))


def random_board(name, rules, rng):
    """Return a random position of an ending, its pawns close together."""
    white, black = name.split("v")
    symbols = white + black.lower()
    while True:
        placed = [rng.choice(PAWNS if one in "Pp" else chess.SQUARES) for one in symbols]
        if len({*placed}) == len(placed):
            break
    board = BOARDS[rules](None)
    for at, symbol in zip(placed, symbols, strict=True):
        board.set_piece_at(at, chess.Piece.from_symbol(symbol))
    board.turn = rng.random() < 0.5
    return board


def boards_after(board):
    """Yield the boards after all moves."""
    for move in [*board.legal_moves]:
        after = board.copy(stack=False)
        after.push(move)
        yield after
