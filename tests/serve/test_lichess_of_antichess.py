"""Antichess and suicide in the words of lichess's server."""

import random

import pytest
from support.described import check_answer
from support.variants import ANTICHESS, BOARDS, NEAR, SUICIDE, any_men, random_boards

import tablebase
from tablebase.core.positions.any_position import as_position
from tablebase.serve.lichess import describe_mainline, describe_standard, read_legal

# Its distance is 45 plies in the tables behind lichess's server as well, see `tests/data`.
LOST = "8/8/8/8/8/P7/8/7k b - - 0 1"
BLOCKED = "8/8/8/p7/P7/8/8/8 w - - 0 1"


@pytest.fixture(scope="module")
def tables(antichess_dir):
    with tablebase.open_tablebase(antichess_dir, rules="antichess") as tables:
        yield tables


@pytest.fixture(scope="module")
def tables_of_suicide(suicide_dir):
    with tablebase.open_tablebase(suicide_dir, rules="suicide") as tables:
        yield tables


@pytest.mark.thorough
def test_distances_are_plies_to_the_end(tables):
    board = read_legal(LOST, ANTICHESS)
    answer = describe_standard(tables, board, difficulty=True)
    check_answer(answer, "/{rules}")
    assert [answer[one] for one in ("category", "dtw", "dtm", "dtz")] == ["loss", -45, None, -2]
    first = answer["moves"][0]
    assert [first[one] for one in ("uci", "san", "category", "dtw")] == ["h1g1", "Kg1", "win", 44]
    line = describe_mainline(tables, board)
    check_answer(line, "/{rules}/mainline")
    assert (line["winner"], line["dtw"], len(line["mainline"])) == ("w", -45, 45)
    assert [line["mainline"][-1][one] for one in ("uci", "dtz", "dtw")] == ["a7b6", 1, 0]


@pytest.mark.parametrize("fen", [BLOCKED, "8/8/8/8/8/8/8/R7 b - - 0 1"])
def test_who_has_won_is_to_move(tables, fen):
    answer = describe_standard(tables, read_legal(fen, ANTICHESS))
    assert (answer["variant_win"], answer["variant_loss"], answer["moves"]) == (True, False, [])
    assert [answer[one] for one in ("category", "dtw", "dtz")] == ["win", 0, 1]
    assert answer["stalemate"] is (fen == BLOCKED)
    line = describe_mainline(tables, read_legal(fen, ANTICHESS))
    assert (line["mainline"], line["winner"]) == ([], fen.split()[1])


def test_suicide_has_results_without_distances_to_the_end(tables_of_suicide):
    board = read_legal(LOST, SUICIDE)
    answer = describe_standard(tables_of_suicide, board)
    assert [answer[one] for one in ("category", "dtw", "dtm", "dtz")] == ["loss", None, None, -2]
    line = describe_mainline(tables_of_suicide, board)
    assert (line["winner"], line["dtw"]) == ("w", None)
    draw = describe_standard(tables_of_suicide, read_legal(BLOCKED, SUICIDE))
    assert [draw[one] for one in ("category", "stalemate", "variant_win", "dtz")] == [
        *("draw", True, False, 0)
    ]
    lost = describe_standard(tables_of_suicide, read_legal("8/8/8/p7/P7/P7/8/8 w", SUICIDE))
    assert [lost[one] for one in ("category", "variant_loss", "dtz")] == ["loss", True, -1]


@pytest.mark.parametrize("rules", [ANTICHESS, SUICIDE], ids=["antichess", "suicide"])
def test_positions_without_a_table_have_the_values_of_their_moves(rules, tables, tables_of_suicide):
    """Three men, of which a capture must take one: every move leads to a table."""
    opened, seen = (tables if rules == ANTICHESS else tables_of_suicide), set()
    rng = random.Random(5)
    men = any_men(rng, "KQRBNP", most=1, kings="Rr")
    for board in random_boards(rules, men, 400, rng, squares=NEAR):
        if not any(map(board.is_capture, board.legal_moves)):
            continue
        position = as_position(board)
        answer = describe_standard(opened, position.board)
        names = {move["uci"] for move in answer["moves"]}
        assert names == {move.uci() for move in board.legal_moves}
        results = []
        for move in list(board.legal_moves):
            board.push(move)
            has_won, has_lost = board.is_variant_win(), board.is_variant_loss()
            over = has_won or has_lost or board.is_variant_draw()
            wdl = has_won - has_lost if over else opened.probe_wdl(as_position(board).board)
            results.append(-wdl)
            board.pop()
        expected = {1: "win", 0: "draw", -1: "loss"}[max(results)]
        assert answer["category"] == expected
        assert answer["dtz"] == max(results)
        seen.add(expected)
    assert seen >= {"win", "loss"}


def test_insufficient_men_are_those_of_python_chess(tables):
    found = set()
    for fen in ("8/8/8/3b4/8/2B5/8/8 w - - 0 1", "8/8/8/4b3/8/2B5/8/8 w - - 0 1", LOST):
        told = describe_standard(tables, read_legal(fen, ANTICHESS))
        assert told["insufficient_material"] is BOARDS[ANTICHESS](fen).is_insufficient_material()
        found.add((told["insufficient_material"], told["category"]))
    assert (True, "draw") in found
    assert len(found) > 1
