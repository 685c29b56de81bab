"""Every command with tables of another game than chess: it works, or it refuses in one line."""

import csv
import io
import json
import urllib.request
from pathlib import Path

import commands_and_games
import pytest
from measurement import load
from support.commands import run, served
from support.few import few
from support.waiting import PATIENCE

from tablebase.cli.program import make_parser
from tablebase.core.answers.tablebase import Tablebase
from tablebase.core.ground.seams import COMMANDS
from tablebase.core.positions.setup_fens import read_setup
from tablebase.core.rules.material import Material
from tablebase.core.rules.rule_files import built_in_rules, read_rules
from tablebase.count.counting import count_positions
from tablebase.finding.dataset import load_table
from tablebase.finding.find import find

ROOT = Path(__file__).parents[2]
SHATRANJ = built_in_rules()["shatranj"]
FAIRY = "[fairy:chess]\nfers = f\ncustomPiece1 = a:BN\ncustomPiece2 = h:NN\n"
TAKING = {
    "build", "plan", "probe", "find", "info", "count", "report", "verify", "export",
    "publish", "prove", "audit",
}  # fmt: skip
# Servers for people and programs.
ALWAYS_ON = {"serve", "mcp"}
# What names games without the option, and so needs none.
NAMING = {"rules"}
# What gets the game in another way.
OTHERWISE = {
    "annotate": 'the game is that of the tag [Variant "Atomic"] of a PGN',
    "uci": "the game is that of the engine's option UCI_Variant",
    "serve": "the server answers for all games in its folder",
    "mcp": "a tool's argument names the game",
}


@pytest.fixture(scope="module")
def games(tmp_path_factory):
    from tablebase.core.building.generator import generate

    folder = tmp_path_factory.mktemp("games")
    generate([Material.from_name(name, SHATRANJ) for name in ("KQKQ", "KRK")], folder)
    return folder


@pytest.fixture(scope="module")
def fairy(tmp_path_factory):
    from tablebase.core.building.generator import generate

    folder = tmp_path_factory.mktemp("fairy")
    path = folder / "fairy.ini"
    path.write_text(FAIRY, encoding="utf-8")
    generate([Material.from_name(name, read_rules(path)) for name in ("KAK", "KHK")], folder)
    return path


def outcome_of(capsys, *arguments):
    """Return exit code, output and errors of a command, also if its parser ends it."""
    try:
        return run(capsys, *map(str, arguments))
    except SystemExit as end:
        printed = capsys.readouterr()
        return end.code, printed.out, printed.err


@pytest.mark.parametrize("name", [command.name for command in COMMANDS])
def test_every_command_takes_rules_or_says_that_it_does_not(capsys, name):
    parser = make_parser()
    choices = next(action.choices for action in parser._actions if action.dest == "==SUPPRESS==")
    taken = any("--rules" in action.option_strings for action in choices[name]._actions)
    assert taken == (name in TAKING)
    if name not in TAKING | NAMING:
        needed = {
            "butterfly": ["KQKQ"], "solve": ["x"], "annotate": ["x"],
        }  # fmt: skip
        code, _, errors = outcome_of(capsys, name, *needed.get(name, []), "--rules=shatranj")
        assert code == 2
        assert errors.count("\n") == 1
        told = OTHERWISE.get(name, "this command knows only chess")
        assert f"unknown argument --rules=shatranj: {told} (see " in errors


@pytest.mark.thorough
@pytest.mark.parametrize("game", few([*built_in_rules()][1:], "shatranj", "antichess"))
def test_commands_know_the_games_that_the_page_says(game):
    """By tables of a piece against a bare king."""
    saved = load(commands_and_games.NAME)["results"]
    assert [*saved] == [*built_in_rules()][1:]
    assert commands_and_games.known_by(built_in_rules()[game]) == saved[game]


def test_the_table_of_games_has_every_command():
    rows = {command for command, *_ in commands_and_games.ROWS.values()}
    assert rows == {command.name for command in COMMANDS} - {*NAMING, *ALWAYS_ON}
    page = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
    assert "`serve` and `mcp` answer about all games in their folder" in " ".join(page.split())


def test_a_plan_has_the_materials_of_the_game(capsys):
    code, output, _ = run(capsys, "plan", "KBKQ", "--rules", "shatranj", "--json")
    assert code == 0
    builds = [one["material"] for one in json.loads(output)["builds"]]
    assert builds == ["KK", "KBK", "KQK", "KQKB"]
    code, output, _ = run(capsys, "plan", "--men", "3", "--rules", "seirawan", "--list")
    assert code == 0
    assert " KEK " in output


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["KRK", "KQKQ"])
def test_counts_are_those_of_the_tables(capsys, games, name):
    options = ("--rules", "shatranj")
    _, output, _ = run(capsys, "count", name, "--json", *options)
    (counted,) = json.loads(output)
    _, output, _ = run(capsys, "info", name, "--json", "--dir", str(games), *options)
    stored = json.loads(output)
    assert counted["agrees"]
    for side in ("white_to_move", "black_to_move"):
        legal = sum(stored[side]["inequivalent"][one] for one in ("win", "draw", "loss"))
        assert counted[f"legal_{side}"]["inequivalent"] == legal


def test_counts_of_a_piece_that_chess_has_not(capsys, fairy):
    """A nightrider checks through empty squares only."""
    _, output, _ = run(capsys, "count", "KHK", "--json", "--rules", str(fairy))
    (counted,) = json.loads(output)
    assert counted["legal_white_to_move"]["inequivalent"] == 23909


def test_tables_of_a_game_are_compared(capsys, games):
    options = ("--rules", "shatranj", "--dir", str(games), "--json", "--sort")
    _, output, _ = run(capsys, "info", *options, "material")
    assert [row["material"] for row in json.loads(output)] == ["KK", "KQK", "KRK", "KQKQ"]
    code, output, _ = run(capsys, "info", *options, "zugzwangs")
    assert code == 0
    rows = {row["material"]: row for row in json.loads(output)}
    assert rows["KQKQ"]["longest_white_plies"] == 63
    assert rows["KQKQ"]["zugzwangs"] > 0


def test_positions_are_found_and_have_the_letters_of_the_game(capsys, games):
    options = ("--rules", "shatranj", "--dir", str(games))
    code, output, _ = run(capsys, "find", "KQKQ", "--turn", "w", "--longest", *options)
    assert code == 0
    fens = output.splitlines()
    assert len(fens) == 5
    with Tablebase([games], rules="shatranj") as tables:
        assert {tables.probe_dtm(fen) for fen in fens} == {63}
    _, output, _ = run(capsys, "find", "KQKQ", "--limit=40", "--format=csv", "--seed=5",
                       "--sample=40", *options)  # fmt: skip
    rows = list(csv.DictReader(io.StringIO(output)))
    with Tablebase([games], rules="shatranj") as tables:
        for row in rows:
            values = tables.probe_wdl(row["fen"]), tables.probe_dtm(row["fen"])
            assert (int(row["wdl"]), int(row["dtm"])) == values
            assert read_setup(row["fen"], SHATRANJ).fen == row["fen"]


@pytest.mark.thorough
def test_moves_are_counted_by_the_rules_of_the_game(games):
    material = Material.from_name("KQKQ", SHATRANJ)
    found = find(material, games, only_move=True, result="win", plies=39)
    fens = found.fens()
    assert "8/8/8/3k4/8/1KQ5/8/q7 w - - 0 1" not in fens  # two moves win
    with Tablebase([games], rules="shatranj") as tables:
        for fen in fens[:5]:
            results = [one.wdl for one in tables.rank_moves(fen)]
            assert sum(result > 0 for result in results) == 1


def test_letters_of_the_game_name_men_of_conditions(capsys, fairy):
    options = ("--rules", str(fairy), "--dir", str(fairy.parent))
    code, output, _ = run(capsys, "find", "KAK", "--on", "A=e4", "--limit=3", *options)
    assert code == 0
    assert all("A" in fen.split("/")[4] for fen in output.splitlines())
    code, _, errors = outcome_of(capsys, "find", "KAK", "--on", "F=e4", *options)
    assert code == 2
    assert "there is no F in KAK, whose pieces are K k A" in errors


def test_positions_know_their_game(games, fairy):
    rules = read_rules(fairy)
    data = load_table(Material.from_name("KAK", rules), fairy.parent)
    position = data.positions()[0]
    assert position.setup().fen == data.positions()[:1].fens()[0]
    with pytest.raises(ValueError, match="KAK of fairy has no board of python-chess"):
        position.board()
    assert [*data.positions().to_numpy()][3] == "white_A"
    table = load_table(Material.from_name("KQKQ", SHATRANJ), games).positions()
    assert [*table.to_numpy()][1:5] == ["white_king", "black_king", "white_fers", "black_fers"]


def test_parquet_says_which_game(capsys, games, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "KRK.parquet"
    options = ("--rules", "shatranj", "--dir", str(games), "--parquet", str(path), "--fen")
    code, _, errors = run(capsys, "export", "KRK", *options)
    assert code == 0, errors
    table = parquet.read_table(path)
    assert table.schema.metadata[b"rules_name"] == b"shatranj"
    assert table.schema.metadata[b"rules_sha256"] == SHATRANJ.digest.encode()
    assert read_setup(table["fen"][0].as_py(), SHATRANJ).material.name == "KRK"


@pytest.mark.slow
def test_a_report_shows_letters_and_lines_of_the_game(capsys, games, fairy, tmp_path):
    pytest.importorskip("matplotlib")
    pytest.importorskip("jinja2")
    options = ("--out", str(tmp_path), "--markdown")
    code, output, _ = run(
        capsys, "report", "KQKQ", "--rules", "shatranj", "--dir", str(games), *options
    )
    assert code == 0
    page = tmp_path / SHATRANJ.folder / "KQKQ.md"
    assert output.strip() == str(page)
    text = page.read_text(encoding="utf-8")
    assert "# KQKQ: King and fers against king and fers" in text
    assert "Longest wins, White to move" in text
    assert "| Queen" not in text
    board = (page.parent / "KQKQ-pictures" / "white_to_move-1.svg").read_text(encoding="utf-8")
    assert board.count("<circle") == 4
    assert board.count(">Q</text>") == 2
    run(capsys, "report", "KAK", "--rules", str(fairy), "--dir", str(fairy.parent),
        "--out", str(tmp_path))  # fmt: skip
    folder = tmp_path / read_rules(fairy).folder
    assert "KAK" in (folder / "index.html").read_text(encoding="utf-8")
    assert "King and customPiece1" in (folder / "KAK.html").read_text(encoding="utf-8")


@pytest.mark.thorough
def test_a_report_of_pawns_that_promote_early(capsys, tmp_path):
    pytest.importorskip("matplotlib")
    pytest.importorskip("jinja2")
    from tablebase.core.building.generator import generate

    makruk = built_in_rules()["makruk"]
    generate([Material.from_name("KPK", makruk)], tmp_path)
    options = ("--rules", "makruk", "--dir", str(tmp_path), "--out", str(tmp_path), "--markdown")
    code, output, _ = run(capsys, "report", "KPK", *options)
    assert code == 0
    text = Path(output.strip()).read_text(encoding="utf-8")
    assert f"{count_positions(Material.from_name('KPK', makruk)).burnside:,.0f}" in text


@pytest.mark.thorough
def test_a_server_of_other_games_alone(games):
    pytest.importorskip("starlette")
    with (
        served("--dir", games, stderr=None) as (_, address),
        urllib.request.urlopen(f"{address}/tables", timeout=PATIENCE) as answer,
    ):
        assert "shatranj" in json.load(answer)["games"]


def test_a_file_is_read_by_its_own_rules(capsys, games, tmp_path):
    """Commands that take a file need no option: the file states its rules."""
    pytest.importorskip("matplotlib")
    path = games / SHATRANJ.folder / "KQKQ.h5"
    code, output, _ = run(capsys, "info", str(path))
    assert code == 0
    assert output.startswith("KQKQ of shatranj  ")
    code, output, _ = run(capsys, "report", str(path), "--json", "--out", str(tmp_path))
    assert code == 0
    assert json.loads(output)[0]["longest_wins"]["white_to_move"][0]["plies"] == 63


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["butterfly", "{file}", "--dir", "{games}"],
         "KQKQ is of shatranj: butterfly boards count only moves of chess"),
        (["info", "{file}", "--rules", "seirawan"],
         "KQKQ.h5 is of shatranj, not of seirawan: leave --rules out"),
        (["verify", "{file}", "--rules", "seirawan"],
         "KQKQ.h5 is of shatranj, not of seirawan: leave --rules out"),
        (["report", "data/KRK.h5", "--rules", "shatranj"],
         "data/KRK.h5 is of chess, not of shatranj: leave --rules out"),
        (["info", "{file}", "--sums"], "--sums lists tables of chess, not of shatranj"),
        (["info", "KRK", "--dir", "{inside}"],
         "KRK.h5 is of shatranj, not of chess: write --rules shatranj --dir {games}"),
        (["info", "--sort", "men", "--dir", "{inside}"],
         "KK.h5 is of shatranj, not of chess: write --rules"),
        (["verify", "--dir", "{inside}"], "KK.h5 is of shatranj, not of chess: write --rules"),
        (["report", "--dir", "{inside}"], "KK.h5 is of shatranj, not of chess: write --rules"),
        (["butterfly", "KRK", "--dir", "{inside}"], "KRK.h5 is of shatranj, not of chess"),
        (["find", "KRK", "--dir", "{inside}"],
         "the table of KRK of shatranj, not of KRK of chess: write --rules shatranj --dir {games}"),
        (["export", "KRK", "--parquet", "{games}/x", "--dir", "{inside}"], "this is the table of"),
        (["export", "--syzygy", "{games}/x", "--dir", "{inside}"], "KK.h5 is of shatranj, not of"),
        (["export", "KRK", "--gaviota", "{games}/x", "--dir", "{inside}"], "KRK.h5 is of shatranj"),
        (["export", "KRK", "--syzygy", "x", "--rules", "shatranj"],
         "only for chess, atomic, antichess and suicide, not for shatranj: write --parquet FILE"),
        (["find", "KQKQ", "--format", "pgn", "--rules", "shatranj", "--dir", "{games}"],
         "moves of --format pgn are only for chess, not for shatranj: choose fen, csv or jsonl"),
        (["find", "KQKQ", "--best", "queen", "--rules", "shatranj", "--dir", "{games}"],
         "best_move: pawns of shatranj never become a queen"),
        (["find", "KQKQ", "--best", "underpromotion", "--rules", "shatranj", "--dir", "{games}"],
         "underpromotion is a word of chess, not of shatranj"),
        (["probe", "8/8/8/8/8/2k5/1R6/K7 w", "--dir", "{inside}"], "this is the table of KRK"),
        (["solve", "8/8/8/8/8/2k5/1R6/K7 w", "--dir", "{inside}"], "this is the table of KRK"),
        (["serve", "--dir", "{inside}"], "KK.h5 is of shatranj, not of chess: write --rules"),
        (["serve", "--solve", "1m,1GB", "--dir", "{inside}"], "KK.h5 is of shatranj, not of chess"),
    ],
)  # fmt: skip
def test_no_table_is_opened_by_other_rules(capsys, games, arguments, message):
    inside = games / SHATRANJ.folder
    places = {"games": games, "inside": inside, "file": inside / "KQKQ.h5"}
    code, output, errors = outcome_of(capsys, *(one.format(**places) for one in arguments))
    assert code == 2
    assert not output
    lines = [line for line in errors.splitlines() if "compiling" not in line]
    assert len(lines) == 1
    assert message.format(**places) in lines[0]
