"""The command, whose exit code is the verdict; and the examples with their verdicts."""

import io
import json
from pathlib import Path

import chess.pgn
import pytest

from tablebase.cli.program import main
from tablebase.core.ground.errors import InvalidRulesError
from tablebase.core.rules.material import Material
from tablebase.core.rules.rule_files import built_in_rules
from tablebase.strategies.proving import prove

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples/strategies"


def exit_code(arguments):
    """Return the exit code of the command, which the parser's own refusals raise."""
    try:
        return main(arguments)
    except SystemExit as ended:
        return ended.code


@pytest.fixture
def mine(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(
        "checks = ['after.is_mate', 'after.is_check']\n"
        "def strategy(board):\n    return board.no_such_name\n"
    )
    return path


def test_a_proof_ends_with_0(capsys):
    command = ["prove", "KRK", str(EXAMPLES / "krk_bratko.toml"), "--dir", str(ROOT / "data")]
    assert main([*command, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["proven"]
    assert (told["positions"], told["longest"]) == (21_959, 65)
    assert list(told["lines"]) == ["longest"]
    assert len(told["lines"]["longest"]["moves"]) == 65


def test_a_method_of_the_program_needs_no_file(capsys):
    command = ["prove", "KQK", "--dir", str(ROOT / "data")]
    assert main([*command, "--method", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["goal"], told["side"], told["longest"]) == ("mate", "white", 49)
    assert sum(rule["positions"] for rule in told["rules"]) == told["positions"] == 18_081
    for wrong, words in {
        (): "name a FILE, or give --method for the program's own one",
        ("--method", "mine.toml"): "name a FILE, or give --method",
        ("--method", "--rules", "atomic"): "methods of the program are only for chess",
    }.items():
        assert exit_code([*command, *wrong]) == 2
        assert words in capsys.readouterr().err


def test_a_refutation_ends_with_1_and_can_be_played_through(mine, tmp_path, capsys):
    pgn = tmp_path / "lines.pgn"
    command = ["prove", "KRK", f"{mine}:checks", "--dir", str(ROOT / "data"), "--pgn", str(pgn)]
    assert main(command) == 1
    printed = capsys.readouterr().out
    assert "refuted in 21," in printed
    assert "http://127.0.0.1:8080/?fen=" in printed
    games = io.StringIO(pgn.read_text())
    game = chess.pgn.read_game(games)
    assert not game.errors
    assert game.headers["Event"] == "KRK: slip"
    assert len(list(game.mainline_moves())) == 2
    with pytest.raises(SystemExit) as ended:  # nothing is overwritten
        main(command)
    assert ended.value.code == 2
    assert "exists" in capsys.readouterr().err


def test_hold_and_start(capsys):
    """A king in front of a rook's pawn holds, also from there only."""
    command = ["prove", "KPK", str(EXAMPLES / "kpk_hold.toml"), "--json"]
    start = "white_pawn.file == 1 and black_king == a8"
    assert main([*command, "--dir", str(ROOT / "data"), "--start", start]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["side"] == "black"
    assert told["positions"] == 353


@pytest.mark.parametrize(
    ("named", "words"),
    [
        ("nowhere.py", "there is no file nowhere.py"),
        ("{mine}:other", "has no 'other'"),
        ("{mine}", "ends with AttributeError"),
        ("{mine}.txt", "there is no file"),
    ],
)
def test_what_cannot_be_tried_ends_with_2(named, words, mine, capsys):
    named = named.format(mine=mine)
    try:
        code = main(["prove", "KRK", named, "--dir", str(ROOT / "data")])
    except SystemExit as ended:
        code = ended.code
    assert code == 2
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1


def test_a_game_whose_captures_explode_is_refused():
    material = Material.from_name("KQK", built_in_rules()["atomic"])
    with pytest.raises(InvalidRulesError, match=r"explode.*tablebase find --rules atomic"):
        prove(material, lambda _: None)
