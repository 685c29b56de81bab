"""In place of chess.syzygy: the test cases of its readers hold for ours.

Their distances are rounded, ours are not: see `support.zeroing.agrees_with_syzygy`.
"""

import pytest
from support.lookup import solve_with_subtables
from support.oracle import cases_of
from support.zeroing import agrees_with_syzygy, result_of

from tablebase.core.answers.opening import open_tablebase
from tablebase.core.storage.table_names import table_path
from tablebase.core.storage.writing import write_table

CASES = cases_of("syzygy_suite", lambda row: (row["wdl"], row["dtz"]))
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
    for board, (wdl, dtz) in CASES[material]:
        assert tablebase.probe_wdl50(board) == int(wdl), board.fen()
        outcome = outcome_from(tablebase.probe_dtz(board), board)
        assert result_of(outcome) == int(wdl), board.fen()
        assert not dtz or agrees_with_syzygy(outcome, int(dtz)), (board.fen(), outcome)


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
