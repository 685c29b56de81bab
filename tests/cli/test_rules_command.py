"""Other games at the command line: ``tablebase rules``, and ``--rules`` of other commands."""

import json
import re
from pathlib import Path

import pytest
from support.commands import run

from tablebase.core.rules.rule_files import built_in_rules, read_rules
from tablebase.core.rules.rules import CHESS

FAIRY = "[fairy:chess]\nfers = f\ncustomPiece1 = a:BN\n"
DIAMOND = "8/8/8/3k4/8/1KQ5/8/q7 w - - 0 1"


@pytest.fixture(scope="module")
def fairy(tmp_path_factory):
    path = tmp_path_factory.mktemp("rules") / "fairy.ini"
    path.write_text(FAIRY, encoding="utf-8")
    return str(path)


@pytest.fixture(scope="module")
def games(tmp_path_factory):
    from tablebase.core.building.generator import generate
    from tablebase.core.rules.material import Material

    folder = tmp_path_factory.mktemp("games")
    generate([Material.from_name("KQKQ", built_in_rules()["shatranj"])], folder)
    return str(folder)


def test_the_list_has_what_is_built_in(capsys):
    code, output, _ = run(capsys, "rules")
    assert code == 0
    assert all(name in output for name in built_in_rules())
    for name, told in (("atomic", "a capture explodes"), ("3check", "for the third time")):
        assert told in run(capsys, "rules", name)[1]
    code, output, _ = run(capsys, "rules", "--json")
    assert [one["name"] for one in json.loads(output)] == list(built_in_rules())


def test_a_game_is_drawn(capsys, fairy):
    code, output, _ = run(capsys, "rules", fairy)
    assert code == 0
    assert output.startswith("fairy\n  tables are in fairy-")
    lines = output[output.index("F  fers") :].splitlines()[1:8]
    assert [line.strip() for line in lines] == [
        ". . . . . . .",
        ". . . . . . .",
        ". . o . o . .",
        ". . . F . . .",
        ". . o . o . .",
        ". . . . . . .",
        ". . . . . . .",
    ]


def test_a_game_as_json(capsys, fairy):
    code, output, _ = run(capsys, "rules", "--json", fairy)
    assert code == 0
    described = json.loads(output)
    assert described["folder"] == read_rules(fairy).folder
    assert described["kinds"][-1] == {
        "letter": "A",
        "name": "customPiece1",
        "steps": [list(step) for step in sorted(read_rules(fairy).steps[-1])],
        "quiet_steps": [list(step) for step in sorted(read_rules(fairy).steps[-1])],
    }
    code, output, _ = run(capsys, "rules", "--json", "chess")
    assert json.loads(output)["sha256"] == CHESS.digest


def test_the_keys_of_files(capsys):
    code, output, _ = run(capsys, "rules", "--keys")
    assert code == 0
    assert "promotionPieceTypes" in output
    page = (Path(__file__).parents[2] / "docs" / "rules.md").read_text(encoding="utf-8")
    told = page.partition("prints all keys")[2].partition("Any other key")[0]
    rows = re.findall(r"^\| (`.*?) \| ", told, re.MULTILINE)
    listed = set(re.findall(r"`([A-Za-z][A-Za-z0-9]*)", " ".join(rows)))
    keys = {line.split()[0] for line in output.splitlines()}
    assert len(listed) > 15
    assert listed < keys
    assert {"fers", "archbishop", "silver", "customPiece25"} < keys
    code, output, _ = run(capsys, "rules", "--keys", "--json")
    assert json.loads(output)["stalemateValue"].startswith("draw, loss or win")


def test_build_info_verify_and_probe(capsys, fairy, tmp_path):
    options = ("--rules", fairy, "--dir", str(tmp_path))
    code, output, errors = run(capsys, "build", "KAK", *options)
    assert code == 0, errors
    assert "KAK" in output
    code, output, _ = run(capsys, "info", "KAK", *options)
    assert code == 0
    assert output.startswith("KAK of fairy  ")
    code, output, _ = run(capsys, "info", "KAK", "--json", *options)
    assert json.loads(output)["rules_sha256"] == read_rules(fairy).digest
    code, output, _ = run(capsys, "verify", *options)
    assert code == 0
    assert "KAK: OK" in output
    code, output, _ = run(capsys, "probe", "8/8/8/8/8/3k4/8/A6K w", *options)
    assert code == 0
    assert "White to move\n" in output
    assert "White wins: mate in 16 moves (31 plies)\n" in output
    assert len(list(tmp_path.iterdir())) == 1  # the folder of the game
    code, _, errors = run(capsys, "info", "--dir", str(tmp_path))
    assert code == 2
    assert f"there are no tables in {tmp_path}" in errors


def test_the_diamond(capsys, games):
    options = ("--rules", "shatranj", "--dir", games)
    code, output, _ = run(capsys, "probe", DIAMOND, *options)
    assert code == 0
    assert "White wins in 20 moves (39 plies)\n" in output
    assert re.search(r" win +20 +39 +Kb4\n.* win +21 +41 +Kc2\n", output)
    code, output, _ = run(capsys, "probe", "--line", DIAMOND, *options)
    assert code == 0
    line = output[output.index("\n\n1. Kb4") :]
    assert line.split()[-2:] == ["20.", "Kxa1#"]
    assert max(map(len, output.splitlines())) <= 80
    code, output, _ = run(capsys, "probe", "--json", "--line", DIAMOND, *options)
    described = json.loads(output)
    assert (described["result"], described["dtm_plies"]) == ("win", 39)
    assert len(described["line"]) == 39
    assert described["moves"][0] == {
        "uci": "b3b4", "san": "Kb4", "wdl": 1, "wdl50": None, "category": "win",
        "dtm_plies": 39, "dtz": None, "mate": False, "zeroing": False,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["build", "KAK", "--rules", "racing-kings"], "'racing-kings': did you mean racingkings?"),
        (["build", "KAK", "--rules", "nothing"], "no rules 'nothing': neither a file nor one of"),
        (["build", "KAK", "--rules", "shatranj"], "unknown material 'KAK': write each side as K"),
        (["build", "--rules", "shatranj"], "no material of shatranj: name some, or write --men 3"),
        (["build", "KQK", "--rules", "shatranj", "--metric", "dtz"], "use --metric dtm"),
        (["probe", "--rules", "shatranj", "8/8/8/8/8/8/8/8 w"], "white has 0 kings"),
        (["probe", "--rules", "shatranj", "8/8/8/3k4/8/1KR5/8/8 w"],
         "no table of KRK in {games}: build it with `tablebase build KRK --rules shatranj --dir"),
        (["info", "--rules", "seirawan"], "there are no tables of seirawan in {games}: build t"),
        (["rules", "nothing"], "no rules 'nothing'"),
        (["find", "KRK", "--rules", "shatranj"],
         "no table of KRK in {games}: build it with `tablebase build KRK --rules shatranj --dir"),
        (["solve", "--rules", "shatranj", DIAMOND],
         "unknown argument --rules: this command knows only chess"),
        (["probe", "--file", "-", "--line", "--rules", "shatranj"],
         "--file takes neither FEN nor --line"),
    ],
)  # fmt: skip
def test_refusals(capsys, games, arguments, message):
    if arguments[0] != "rules":
        arguments = [*arguments, "--dir", games]
    try:
        code, _, errors = run(capsys, *arguments)
    except SystemExit as end:  # of the parser
        code, errors = end.code, capsys.readouterr().err
    assert code == 2
    assert errors.count("\n") == 1
    assert message.format(games=games) in errors
