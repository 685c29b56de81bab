"""``probe``: who can still mate, and the result of a fallen flag in one word."""

import json

import pytest
from support.commands import run

KRK = "8/8/8/8/8/2k5/1R6/K7 {} - - 0 1"
FORCED = "k7/1R6/8/8/8/8/8/6K1 b - - 0 1"
CASTLING = "8/8/1k6/8/8/8/8/R3K3 b Q - 0 1"


@pytest.mark.parametrize(
    ("fen", "flag", "word"),
    [(KRK.format("b"), "black", "win"), (KRK.format("w"), "white", "draw"),
     (FORCED, "black", "draw")],
)  # fmt: skip
def test_a_fallen_flag_in_one_word(capsys, helped_folder, fen, flag, word):
    code, output, errors = run(capsys, "probe", fen, "--flag", flag, "--dir", str(helped_folder))
    assert (code, output, errors) == (0, f"{word}\n", "")


def test_what_is_unknown_has_an_exit_code_and_a_reason(capsys, helped_folder):
    asked = ("probe", CASTLING, "--flag", "black", "--dir", str(helped_folder))
    code, output, errors = run(capsys, *asked)
    assert (code, output) == (1, "unknown\n")
    assert "castling rights" in errors
    code, output, errors = run(capsys, "probe", KRK.format("b"), "--flag", "black", "--dir", "data")
    assert (code, output) == (1, "unknown\n")
    assert "tablebase build --metric help KRK" in errors


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


def test_json(capsys, helped_folder):
    _, output, _ = run(capsys, "probe", KRK.format("w"), "--json", "--dir", str(helped_folder))
    answer = json.loads(output)
    assert answer["white_can_mate"] is True
    assert answer["black_can_mate"] is False
    assert answer["dead"] is False
    assert answer["white_helpmate_plies"] == 9
    _, output, _ = run(capsys, "probe", KRK.format("w"), "--json", "--dir", "data")
    assert "dead" not in json.loads(output)
