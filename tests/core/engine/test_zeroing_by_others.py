"""Distances to zeroing in the official Syzygy tables and their statistics."""

import json

import chess
import chess.syzygy
import numpy as np
import pytest
from support.lookup import outcome_of, solve_with_subtables, stored_outcome
from support.oracle import DATA, NO_SYZYGY, SYZYGY, random_boards
from support.syzygy_counts import count_as_syzygy
from support.zeroing import agrees_with_syzygy, before, plies_of, result_of

from tablebase.core.index.numbering import table_index
from tablebase.core.positions.chess_board import board_of
from tablebase.core.rules.material import Material, all_materials

STATISTICS = json.loads((DATA / "dtz_hist.json").read_text(encoding="utf-8"))["materials"]
THREE_MEN = [material.name for material in all_materials(3)]
FOUR_MEN = [material.name for material in all_materials(4) if material.piece_count == 4]
OF_FIVE = [name for name in STATISTICS if len(name) == 5]


def assert_as_in_statistics(tables, name):
    table = tables[Material.from_name(name)]
    for side, counts in count_as_syzygy(table).items():
        assert counts == STATISTICS[name][side], side


def test_statistics_are_of_all_materials():
    assert {name for name in STATISTICS if len(name) < 5} == {*THREE_MEN, *FOUR_MEN} - {"KK"}
    assert OF_FIVE == ["KBBKN", "KNNKP", "KPPPK", "KRRKR"]


@pytest.mark.parametrize("name", [name for name in STATISTICS if name not in OF_FIVE])
def test_distances_are_as_many_as_in_official_statistics(zeroing, name):
    assert_as_in_statistics(zeroing, name)


def test_the_longest_distances_of_official_statistics(zeroing):
    seen = 0
    for name in STATISTICS.keys() - set(OF_FIVE):
        for side in ("longest_white", "longest_black"):
            if longest := STATISTICS[name][side]:
                plies, fen = longest
                assert plies_of(stored_outcome(zeroing, chess.Board(fen))) == plies, fen
                seen += 1
    assert seen > 40


@pytest.mark.slow
@pytest.mark.parametrize("name", OF_FIVE)
def test_distances_of_five_men_are_as_many_as_in_official_statistics(zeroing, name):
    """KBBKN and KNNKP have wins that the 50-move rule spoils; no table of four men has."""
    tables = solve_with_subtables(name, zeroing)
    assert_as_in_statistics(tables, name)
    for side in ("longest_white", "longest_black"):
        if longest := STATISTICS[name][side]:
            assert plies_of(stored_outcome(tables, chess.Board(longest[1]))) == longest[0]


# From the tests of shakmaty-syzygy and lila-tablebase: only a knight lasts longer than 50 moves.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("fen", "best", "result"),
    [
        ("8/6B1/8/8/B7/8/K1pk4/8 b - - 0 1", "c2c1n", -1),
        ("8/6B1/6B1/8/2K5/3nk3/8/8 b - - 0 1", "d3f4", -2),
    ],
)
def test_the_knight_holds_out_longest(knight_against_bishops, fen, best, result):
    board = chess.Board(fen)
    outcome = outcome_of(knight_against_bishops, board)
    assert result_of(outcome) == result
    zeroing = board.is_zeroing(chess.Move.from_uci(best))
    board.push_uci(best)
    assert before(outcome_of(knight_against_bishops, board), zeroing=zeroing) == outcome


@pytest.fixture(scope="module")
def knight_against_bishops(zeroing):
    return solve_with_subtables("KBBKP", zeroing)


def assert_as_in_syzygy(tables, syzygy, board):
    outcome = outcome_of(tables, board)
    assert syzygy.probe_wdl(board) == result_of(outcome), board.fen()
    assert agrees_with_syzygy(outcome, syzygy.probe_dtz(board)), board.fen()


def assert_sample_is_as_in_syzygy(tables, folder, name, count):
    with chess.syzygy.open_tablebase(str(folder)) as syzygy:
        for board in random_boards(Material.from_name(name), count, seed=34):
            assert_as_in_syzygy(tables, syzygy, board)
            assert_as_in_syzygy(tables, syzygy, board.mirror())


@pytest.mark.parametrize("name", THREE_MEN)
def test_syzygy_agrees(zeroing, name):
    assert_sample_is_as_in_syzygy(zeroing, DATA / "syzygy", name, 100)


@pytest.mark.skipif(not SYZYGY, reason=NO_SYZYGY)
@pytest.mark.parametrize("name", FOUR_MEN)
def test_syzygy_agrees_on_four_men(zeroing, name):
    assert_sample_is_as_in_syzygy(zeroing, SYZYGY, name, 50)


@pytest.mark.slow
@pytest.mark.skipif(not SYZYGY, reason=NO_SYZYGY)
@pytest.mark.parametrize("name", FOUR_MEN)
def test_syzygy_agrees_on_many_positions_of_four_men(zeroing, name):
    assert_sample_is_as_in_syzygy(zeroing, SYZYGY, name, 5000)


@pytest.mark.slow
def test_syzygy_agrees_on_many_positions_with_a_pawn(zeroing):
    assert_sample_is_as_in_syzygy(zeroing, DATA / "syzygy", "KPK", 10_000)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in THREE_MEN if name != "KPK"])
def test_syzygy_agrees_on_every_position_of_three_men(zeroing, name):
    material = Material.from_name(name)
    index = table_index(material)
    squares, valid = index.decode_many(np.arange(index.size))
    with chess.syzygy.open_tablebase(str(DATA / "syzygy")) as syzygy:
        for row in squares[valid].tolist():
            for turn in chess.COLORS:
                board = board_of(material, row, turn)
                if board.is_valid():
                    assert_as_in_syzygy(zeroing, syzygy, board)
