"""The JSON of positions that no table has, and a region has proven."""

import chess
import pytest

import tablebase
from tablebase.core.ground.errors import MissingTableError
from tablebase.serve.lichess import describe_mainline, describe_standard
from tablebase.solve.answers import solve_position
from tablebase.solve.regions import rank_proven


def test_what_a_region_has_proven(tmp_path):
    board = chess.Board("2k5/8/p1P5/P2K4/8/8/8/8 w - - 0 1")
    solve_position(board, "600s,2GB", save=tmp_path / "a.region")
    with tablebase.open_tablebase(tmp_path) as tables:
        answer = describe_standard(tables, board)
        ranked = rank_proven(tables, board)
        line = describe_mainline(tables, board)
    facts = ("category", "dtz_without_rule50", "dtc", "dtm")
    assert [answer[name] for name in facts] == ["maybe-win", 11, None, None]
    assert [move["uci"] for move in answer["moves"]] == [one.move.uci() for one in ranked]
    first = answer["moves"][0]
    assert [first[name] for name in facts] == ["maybe-loss", -10, None, None]
    for move, one in zip(answer["moves"], ranked, strict=True):
        categories = {1: "maybe-loss", 0: "draw", -1: "maybe-win", None: "unknown"}
        assert move["category"] == categories[one.wdl]
        assert ("dtz_without_rule50" not in move) == (one.wdl is None or one.zeroing)
    assert line["winner"] == "w"
    assert line["mainline"][0]["uci"] == first["uci"]
    assert line["mainline"][-1]["san"].endswith("#")


def test_outside_of_regions_nothing_is_known(tmp_path):
    trebuchet = chess.Board("8/8/8/3pK3/2kP4/8/8/8 w - - 0 1")
    solve_position(trebuchet, "60s,1GB", save=tmp_path / "a.region")
    board = chess.Board("8/8/8/8/8/1k6/3PPPPP/K7 w - - 0 1")
    with tablebase.open_tablebase(tmp_path) as tables:
        answer = describe_standard(tables, board)
        assert answer["category"] == "unknown"
        assert {move["category"] for move in answer["moves"]} == {"unknown"}
        with pytest.raises(MissingTableError, match="no table of KPPPPPvK"):
            describe_mainline(tables, board)


def test_the_clock_counts(tmp_path):
    """Where a draw can be claimed before the move, a proven win is none."""
    board = chess.Board("2k5/8/p1P5/P2K4/8/8/8/8 w - - 100 80")
    solve_position(board, "600s,2GB", save=tmp_path / "a.region")
    with tablebase.open_tablebase(tmp_path) as tables:
        answer = describe_standard(tables, board)
    assert answer["category"] == "cursed-win"
    assert answer["moves"][0]["category"] == "blessed-loss"
