"""``probe``: who can still mate, and what follows from a fallen flag."""

import json

import chess
import pytest
from support.commands import run

from tablebase.core.ground import seams

KRK = "8/8/8/8/8/2k5/1R6/K7 {} - - 0 1"
KRNK = "8/8/8/8/8/2k5/1R6/K6N {} - - 0 1"  # whose table in data/ has no helpmates
FORCED = "k7/1R6/8/8/8/8/8/6K1 b - - 0 1"
CASTLING = "8/8/1k6/8/8/8/8/R3K3 b Q - 0 1"


WALL = "2b1k3/8/8/1p1p1p1p/1P1P1P1P/8/8/2B1K3 w - - 0 1"  # from D3-Chess's test-vector.txt


@pytest.mark.parametrize(
    ("fen", "flag", "said"),
    [
        (KRK.format("b"), "black", "win (FIDE 6.9): White has a helpmate in 10 plies"),
        (KRK.format("w"), "White", "draw (FIDE 6.9): Black has a bare king, which never mates"),
        (FORCED, "black", "draw (FIDE 5.2.2): White has no helpmate, as a table shows"),
        (CASTLING, "BLACK", "win (FIDE 6.9): White has a helpmate in "),
        ("8/8/8/8/8/6k1/PPPPP3/K7 w - - 0 1", "white", "draw (FIDE 6.9): Black has a bare king"),
        ("R5k1/8/6K1/8/8/8/8/8 b - - 0 1", "black", "win (FIDE 5.1.1): checkmate is on the board"),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "black", "draw (FIDE 5.2.1): stalemate is on the board"),
        (WALL, "white", "draw (FIDE 5.2.2): Black can never mate, wherever the men get"),
    ],
)
def test_a_fallen_flag_with_article_and_reason(capsys, helped_folder, fen, flag, said):
    code, output, errors = run(capsys, "probe", fen, "--flag", flag, "--dir", str(helped_folder))
    assert (code, errors) == (0, "")
    assert output.startswith(said)


def test_a_fallen_flag_needs_no_table(capsys, tmp_path):
    """A search finds moves, which python-chess plays."""
    fen = "8/5ppp/8/8/4k3/8/PPP5/K7 w - - 0 1"
    asked = ("probe", fen, "--flag", "white", "--dir", str(tmp_path))
    _, output, _ = run(capsys, *asked, "--json")
    answer, board = json.loads(output), chess.Board(fen)
    assert (answer["result"], answer["article"]) == ("win", "6.9")
    plies = len(answer["line"])
    assert answer["reason"] == f"Black can mate in {plies} plies if the other side helps"
    for move in answer["line"]:
        board.push_uci(move)
    assert board.is_checkmate()
    assert board.turn == chess.WHITE
    _, output, _ = run(capsys, *asked, "--line")
    assert output.splitlines()[1].startswith("1. ")
    assert output.rstrip().endswith("#")


def test_what_is_unknown_has_an_exit_code_and_a_reason(capsys, monkeypatch):
    """Without the capability, rules and tables answer, and the message is enough to get one."""
    monkeypatch.delitem(seams.MEASURES, "helpmate")
    for fen, name in ((KRNK.format("b"), "KRNK"), ("8/8/8/8/8/2k5/1n6/K1N5 b - - 0 1", "KNKN")):
        code, output, errors = run(capsys, "probe", fen, "--flag", "black", "--dir", "data")
        assert (code, output) == (1, "unknown\n")
        assert f"tablebase build --metric help {name}" in errors


def test_a_clock_that_stands_does_not_fall(capsys, helped_folder):
    asked = ("probe", KRK.format("w"), "--flag", "black", "--dir", str(helped_folder))
    code, _, errors = run(capsys, *asked)
    assert code == 2
    assert "write --flag white" in errors


def test_words_come_only_where_they_tell_something(capsys, helped_folder):
    folder = str(helped_folder)
    _, output, _ = run(capsys, "probe", KRK.format("b"), "--dir", folder)
    assert "never mate" not in output
    assert "still mate" not in output
    _, output, _ = run(capsys, "probe", FORCED, "--dir", folder)
    assert "Dead position: neither side can mate (FIDE 5.2.2)" in output
    _, output, _ = run(capsys, "probe", KRK.format("w"), "--help-distance", "--dir", folder)
    assert "White can still mate: shortest helpmate 9 plies: 1. " in output
    assert "Black can never mate" in output


def test_a_missing_table_is_named_with_the_one_command_that_suffices(capsys, tmp_path):
    for option in ("--help-distance", "--flag=white"):
        asked = ("probe", "8/8/8/8/8/2k5/1R6/K7 w - - 0 1", "--rules", "shatranj", option)
        code, _, errors = run(capsys, *asked, "--dir", str(tmp_path))
        assert code
        assert "tablebase build --metric help KRK --rules shatranj --dir" in errors


def test_json(capsys, helped_folder):
    _, output, _ = run(capsys, "probe", KRK.format("w"), "--json", "--dir", str(helped_folder))
    answer = json.loads(output)
    assert answer["white_can_mate"] is True
    assert answer["black_can_mate"] is False
    assert answer["dead"] is False
    assert answer["white_helpmate_plies"] == 9
    _, output, _ = run(capsys, "probe", KRNK.format("w"), "--json", "--dir", "data")
    assert "dead" not in json.loads(output)
