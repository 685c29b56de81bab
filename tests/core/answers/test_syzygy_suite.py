"""In place of chess.syzygy: the test cases of its readers hold for ours.

Their distances are rounded, ours are not: see `support.zeroing.agrees_with_syzygy`.
"""

import csv

import chess
import pytest
from support.lookup import solve_with_subtables
from support.oracle import DATA
from support.zeroing import agrees_with_syzygy, result_of

from tablebase.core.answers.opening import open_tablebase
from tablebase.core.positions.chess_board import material_of
from tablebase.core.storage.table_names import table_path
from tablebase.core.storage.writing import write_table


def read_cases():
    """Return the cases by material: boards, results and distances."""
    with (DATA / "syzygy_suite.csv").open() as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    cases = {}
    for row in rows:
        board = chess.Board(row["fen"])
        case = (board, int(row["wdl"]), int(row["dtz"]) if row["dtz"] else None)
        cases.setdefault(material_of(board).normalized(), []).append(case)
    return cases


CASES = read_cases()
OF_FOUR = [material for material in CASES if material.piece_count <= 4]
OF_FIVE = [material for material in CASES if material.piece_count == 5]


@pytest.fixture(scope="module")
def tablebase(zeroing_dir):
    with open_tablebase(zeroing_dir) as opened:
        yield opened


def outcome_from(signed, board):
    """Return the outcome that a probe means."""
    if signed < 0:
        return ~0 if board.is_checkmate() else ~-signed
    return signed


def check(tablebase, material):
    for board, wdl, dtz in CASES[material]:
        assert tablebase.probe_wdl50(board) == wdl, board.fen()
        outcome = outcome_from(tablebase.probe_dtz(board), board)
        assert result_of(outcome) == wdl, board.fen()
        assert dtz is None or agrees_with_syzygy(outcome, dtz), (board.fen(), outcome)


def test_no_case_is_lost():
    assert sum(map(len, CASES.values())) == 226
    assert sum(len(CASES[material]) for material in OF_FOUR) == 212


@pytest.mark.parametrize("material", OF_FOUR, ids=str)
def test_cases_of_up_to_four_men(tablebase, material):
    check(tablebase, material)


@pytest.fixture
def with_five_men(request, zeroing, zeroing_dir, tmp_path):
    """Return a tablebase of up to four men and one table of five."""
    tables = solve_with_subtables(request.param.name, zeroing)
    write_table(tables[request.param], table_path(tmp_path, request.param))
    with open_tablebase(zeroing_dir) as tablebase:
        tablebase.add_directory(tmp_path)
        yield tablebase


@pytest.mark.slow
@pytest.mark.parametrize(
    ("with_five_men", "material"),
    [(material, material) for material in OF_FIVE],
    indirect=["with_five_men"],
    ids=str,
)
def test_cases_of_five_men(with_five_men, material):
    check(with_five_men, material)
