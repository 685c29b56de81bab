"""Antichess and suicide: values by a slow solver with python-chess, and by its moves."""

import csv
import json
import random
from collections import Counter
from math import factorial
from pathlib import Path

import chess
import numpy as np
import pytest
from support.few import few, slow
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
from tablebase.core.checking.verify import check_table
from tablebase.core.engine.driver import solve
from tablebase.core.ground.errors import UnsupportedPositionError
from tablebase.core.outcomes.metrics import DTM, DTZ, wdl50
from tablebase.core.positions.any_position import as_position
from tablebase.core.rules.material import Material, all_materials, generation_order
from tablebase.core.tables.census import take_census
from tablebase.core.tables.table import Table

DATA = Path(__file__).parents[3] / "data"
PUBLISHED = json.loads((DATA / "giveaway_dtz.json").read_text(encoding="utf-8"))

TWO = [one.name for one in all_materials(2, ANTICHESS) if not one.has_pawns]
THREE = [one.name for one in all_materials(3, ANTICHESS) if not one.has_pawns]
WITH_PAWNS = [
    *(one.name for men in (2, 3) for one in all_materials(men, ANTICHESS) if one.has_pawns),
    *("KNvPP", "PPvPP", "KPvPP", "QBvKP"),
]
OF_FOUR_MEN = [
    *("KKvKK", "RRvRR", "KBvQQ", "BBvNN", "RRvBB", "KQvRB", "KRvQN", "KNvBB", "QRvBN", "KNvRN"),
    *("KKKvK", "QQQvR", "NNNvR", "BBBvN", "RRRvQ", "KQRvN", "QBNvK", "KKBvR", "RNNvB", "KRBvQ"),
]
PAWNS = [at for at in range(8, 56) if at % 8 < 4]
GAMES = [(ANTICHESS, DTM), (ANTICHESS, DTZ), (SUICIDE, DTZ)]
IDS = ["antichess-dtm", "antichess-dtz", "suicide-dtz"]


def value_in(tables, board):
    """Return result and plies of a board, without en passant, as tables have them."""
    outcome = outcome_in(tables, board)
    return (1, outcome - 1) if outcome > 0 else (-1, ~outcome - 1) if outcome else (0, 0)


def outcome_in(tables, board):
    """Return the stored outcome of a board."""
    setup = as_position(board)
    material = setup.material.normalized()
    if setup.material != material or (material.is_symmetric and setup.color is Color.BLACK):
        setup = setup.exchanged()
    table = tables[material]
    code = table.codes[setup.color][table.index.encode(np.array(setup.squares, dtype=np.uint8))]
    return int(table.outcomes[setup.color][code])


def slow_values(name, rules, *, by_zeroing):
    """Return the values of an ending, found slowly like all below it, for both colours."""
    known = {}
    for one in generation_order([Material.from_name(name, rules)]):
        values = solve_by_moves(one.name, rules, known, by_zeroing=by_zeroing)
        boards = boards_of(one.name, rules)
        known |= values | {key_of(boards[key].mirror()): values[key] for key in values}
    return values


@pytest.mark.thorough
@pytest.mark.parametrize(("rules", "metric"), GAMES, ids=IDS)
@pytest.mark.parametrize("name", [*few(TWO, "KvN"), *few(THREE)])
def test_every_value_is_that_of_a_slow_solver(solve_with_parts, name, rules, metric):
    values = slow_values(name, rules, by_zeroing=metric.counts_zeroing)
    tables, boards = solve_with_parts(name, rules, metric), boards_of(name, rules)
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
@pytest.mark.parametrize(
    ("name", "count"),
    [
        *[("PvP", 400), ("RRvK", 400)],
        *(slow(name, 400) for name in WITH_PAWNS if name != "PvP"),
        *(slow(name, 10_000) for name in OF_FOUR_MEN),
    ],
)
def test_values_follow_from_the_moves(solve_with_parts, name, count, rules, metric):
    tables = solve_with_parts(name, rules, metric)
    rng, passing = random.Random(3), 0
    for _ in range(count):
        board = random_board(name, rules, rng)
        passing += bool(board.pawns) and any(
            after.has_legal_en_passant() for after in boards_after(board)
        )
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


def rows_of(name):
    """Return the rows of a file of positions with values, by name of the ending and rules."""
    with (DATA / name).open(encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def material_of(board):
    return as_position(board).material.normalized()


def men_in(row):
    return sum(sign.isalpha() for sign in row["fen"].split()[0])


@pytest.mark.parametrize("men", [2, slow(3), slow(4)])
def test_positions_of_suicide_have_known_values(solve_with_parts, men):
    rows = [row for row in rows_of("suicide.tsv") if men_in(row) == men]
    assert rows
    for row in rows:
        board = BOARDS[SUICIDE](row["fen"])
        outcome = outcome_in(solve_with_parts(material_of(board).name, SUICIDE, DTZ), board)
        assert (outcome > 0) * (outcome - 1) + (outcome < 0) * (outcome + 2) == int(row["dtz"])
        assert wdl50(outcome, offset=1) == int(row["wdl"])


@pytest.mark.parametrize("row", rows_of("antichess_dtw.tsv"), ids=lambda row: row["fen"].split()[0])
@pytest.mark.slow
def test_distances_to_the_win_are_the_known_ones(solve_with_parts, row):
    board = BOARDS[ANTICHESS](row["fen"])
    tables = solve_with_parts(material_of(board).name, ANTICHESS, DTM)
    result, plies = value_after(tables, board, by_zeroing=False)
    assert result * plies == int(row["dtw"])


@pytest.mark.parametrize("name", few(PUBLISHED, "BvP", "PvP"))
def test_every_count_is_the_published_one(solve_with_parts, name):
    material = Material.from_name(name, ANTICHESS)
    census = take_census(solve_with_parts(name, ANTICHESS, DTZ)[material.normalized()])
    sides = [census.white_to_move.whole_board, census.black_to_move.whole_board]
    if not material.is_normalized:
        sides.reverse()
    # Like men are told apart there, and half of the board is counted.
    alike = [factorial(n) for side in (material.white, material.black)
             for n in Counter(side).values()]  # fmt: skip
    times = int(np.prod(alike))
    found = [
        [
            {str(plies): n * times // 2 for plies, n in side.wins.items()},
            {str(plies): n * times // 2 for plies, n in side.losses.items()},
            side.draw * times // 2,
        ]
        for side in sides
    ]
    assert found == PUBLISHED[name]


@pytest.mark.parametrize(("rules", "metric"), GAMES, ids=IDS)
@pytest.mark.parametrize("name", few(["KvN", "KvP", "PvP", "RRvK", "KPvP"], "KvN", "PvP"))
def test_a_check_passes_and_finds_every_wrong_value(solve_with_parts, name, rules, metric):
    tables = solve_with_parts(name, rules, metric)
    table = tables[Material.from_name(name, rules)]
    report = check_table(table, tables, threads=1)
    assert report.checked > 0
    assert report.different == 0
    rng = np.random.default_rng(2)
    squares, valid = table.index.decode_many(rng.integers(table.index.size, size=50))
    slots = table.index.encode_many(squares[valid])
    for slot in slots[:5].tolist():
        sides = [codes.copy() for codes in table.codes]
        others = [code for code in np.unique(sides[0]) if code != sides[0][slot]]
        sides[0][slot] = others[0]
        wrong = Table(table.material, sides[0], sides[1], table.metric, table.outcomes)
        assert check_table(wrong, tables, threads=1).different > 0


def test_suicide_has_no_distances_to_the_win():
    with pytest.raises(UnsupportedPositionError, match="use --metric dtz"):
        solve(Material.from_name("KvN", SUICIDE), {}, metric=DTM)
