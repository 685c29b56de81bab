"""Racing kings in the words of lichess's server, which has no tables of them."""

import json
import random
import urllib.request

from support.described import check_answer
from support.in_process import serving_tables
from support.variants import RACING, UPPER, any_men, random_boards

from tablebase.core.positions.any_position import as_position
from tablebase.serve.lichess import describe_mainline, describe_standard, read_legal

FAR = "8/8/1K4k1/8/8/8/R7/8 w - - 0 1"
NEAR = "8/1K6/7k/8/8/8/R7/8 w - - 0 1"
ANSWERING = "1K6/7k/8/8/8/8/R7/8 b - - 0 1"


def test_a_line_leads_to_the_goal(racing_tables):
    board = read_legal(FAR, RACING)
    answer = describe_standard(racing_tables, board, difficulty=True)
    check_answer(answer, "/{rules}")
    assert [answer[one] for one in ("category", "dtm", "dtw", "dtz")] == ["win", 7, None, 7]
    line = describe_mainline(racing_tables, board)
    check_answer(line, "/{rules}/mainline")
    assert (line["winner"], len(line["mainline"])) == ("w", 7)
    assert [line["mainline"][-1][one] for one in ("san", "dtm", "dtz")] == ["Kc8#", None, -1]


def test_who_arrives_has_won_unless_black_answers(racing_tables):
    best = describe_standard(racing_tables, read_legal(NEAR, RACING))["moves"][0]
    assert (best["uci"], best["variant_loss"], best["category"]) == ("b7a8", True, "loss")
    answer = describe_standard(racing_tables, read_legal(ANSWERING, RACING))
    told = [(one["uci"], one["category"], one["variant_win"]) for one in answer["moves"]]
    assert answer["category"] == "draw"
    assert told[:3] == [
        *(("h7g8", "draw", False), ("h7h8", "draw", False), ("h7g6", "win", True)),
    ]
    both = describe_standard(racing_tables, read_legal("1K5k/8/8/8/8/8/R7/8 w", RACING))
    ended = ("category", "variant_win", "variant_loss", "stalemate", "dtm", "moves")
    assert [both[one] for one in ended] == ["draw", False, False, False, 0, []]
    alone = describe_standard(racing_tables, read_legal("1K6/8/7k/8/8/8/R7/8 w", RACING))
    assert [alone[one] for one in ended] == ["win", True, False, False, None, []]


def test_categories_are_those_of_the_boards(racing_tables):
    seen = set()
    rng = random.Random(6)
    for board in random_boards(RACING, any_men(rng, "QRBN", most=1), 200, rng, squares=UPPER):
        setup = as_position(board)
        if setup.material not in racing_tables.available_materials:
            continue
        answer = describe_standard(racing_tables, setup)
        over = board.is_variant_end()
        moves = [] if over else [move.uci() for move in board.legal_moves]
        assert sorted(one["uci"] for one in answer["moves"]) == sorted(moves)
        won, lost = over and board.is_variant_win(), over and board.is_variant_loss()
        assert (answer["variant_win"], answer["variant_loss"]) == (won, lost)
        category = {1: "win", 0: "draw", -1: "loss"}[racing_tables.probe_wdl(setup)]
        assert answer["category"] == category
        seen.add((category, over))
    assert len(seen) > 4


def test_a_server_answers_about_both_orders_of_the_sides(racing_dir):

    def asked(address):
        with urllib.request.urlopen(address) as answer:
            return json.load(answer)

    with serving_tables(racing_dir) as address:
        assert asked(f"{address}/tables")["games"] == ["racingkings"]
        names = [one["material"] for one in asked(f"{address}/tables?rules=racingkings")["tables"]]
        assert {"KRK", "KKR"} < {*names}
        for fen, dtm, winner in ((FAR, 7, "w"), ("8/8/1k4K1/8/8/8/r7/8 w - - 0 1", -6, "b")):
            named = fen.replace(" ", "_")
            assert asked(f"{address}/racingkings?fen={named}")["dtm"] == dtm
            line = asked(f"{address}/racingkings/mainline?fen={named}")
            assert (line["winner"], len(line["mainline"])) == (winner, abs(dtm))
