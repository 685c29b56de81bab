"""Three-check in the words of lichess's server, which has no tables of it."""

import json
import random
import urllib.request

import pytest
from support.described import check_answer
from support.in_process import serving_tables
from support.variants import CHECKS, any_men, random_boards

from tablebase import open_tablebase
from tablebase.core.ground.errors import UnsupportedPositionError
from tablebase.core.positions.any_position import as_position
from tablebase.serve.lichess import describe_mainline, describe_standard, read_legal

ROOK = "8/8/8/3k4/8/2K5/1R6/8 w - -"
ENDED = ("category", "checkmate", "variant_win", "variant_loss", "dtz", "dtm", "moves")


@pytest.fixture(scope="module")
def tables(checks_dir):
    with open_tablebase(checks_dir, rules=CHECKS) as tables:
        yield tables


@pytest.mark.parametrize("fen", [f"{ROOK} 3+3 0 1", f"{ROOK} 0 1 +0+0", ROOK])
def test_a_line_leads_to_the_third_check(fen, tables):
    position = read_legal(fen, CHECKS)
    answer = describe_standard(tables, position, difficulty=True)
    check_answer(answer, "/{rules}")
    assert [answer[one] for one in ("category", "dtm", "dtw", "dtz")] == ["win", 7, None, 7]
    line = describe_mainline(tables, position)
    check_answer(line, "/{rules}/mainline")
    assert (line["winner"], len(line["mainline"])) == ("w", 7)
    assert [line["mainline"][-1][one] for one in ("san", "dtm", "dtz")] == ["Rd5#", None, -1]


def test_the_last_check_loses_the_game_of_who_is_in_it(tables):
    best = describe_standard(tables, read_legal(f"{ROOK} 1+3", CHECKS))["moves"][0]
    assert (best["san"], best["variant_loss"], best["checkmate"]) == ("Rb5#", True, False)
    over = describe_standard(tables, read_legal("8/8/8/3k4/8/2K5/3R4/8 b - - 0+3", CHECKS))
    assert [over[one] for one in ENDED] == ["loss", False, False, True, -1, None, []]
    mate = describe_standard(tables, read_legal("7k/7Q/6K1/8/8/8/8/8 b - - 2+3", CHECKS))
    assert [mate[one] for one in ENDED] == ["loss", True, False, False, -1, None, []]
    with pytest.raises(UnsupportedPositionError, match="has given its last check"):
        read_legal("8/8/8/3k4/8/2K5/3R4/8 w - - 0+3", CHECKS)


def test_answers_are_those_of_the_boards(tables):
    seen = set()
    rng = random.Random(6)
    for board in random_boards(CHECKS, any_men(rng, most=1), 80, rng):
        setup = as_position(board)
        answer = describe_standard(tables, setup)
        for one in answer["moves"]:
            after = board.copy(stack=False)
            assert one["san"] == board.san(after.push_uci(one["uci"]))
            assert one["variant_loss"] == after.is_variant_loss()
            assert one["insufficient_material"] == after.is_insufficient_material()
        assert len(answer["moves"]) == board.legal_moves.count()
        assert answer["category"] == {1: "win", 0: "draw", -1: "loss"}[tables.probe_wdl(setup)]
        seen.add(answer["category"])
    assert seen == {"win", "draw", "loss"}


def test_a_server_answers_about_checks_left_and_checks_given(checks_dir):

    def asked(address):
        with urllib.request.urlopen(address) as answer:
            return json.load(answer)

    with serving_tables(checks_dir) as address:
        assert asked(f"{address}/tables")["games"] == ["3check"]
        (offered,) = asked(f"{address}/tables/tables.json")["games"]
        assert offered["name"] == "3check"  # to pages, too
        names = [one["material"] for one in asked(f"{address}/tables?rules=3check")["tables"]]
        assert {"KRK", "KPK"} < {*names}
        for checks, dtm in (("_3+3", 7), ("_2+3_0_1", 3), ("_0_1_+2+0", 1)):
            named = ROOK.replace(" ", "_") + checks.replace("+", "%2B")
            assert asked(f"{address}/3check?fen={named}")["dtm"] == dtm
            assert asked(f"{address}/3check?fen={named.replace('%2B', '+')}")["dtm"] == dtm
            assert len(asked(f"{address}/3check/mainline?fen={named}")["mainline"]) == dtm
