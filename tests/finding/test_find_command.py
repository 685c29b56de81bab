"""``tablebase find``: what it prints and writes, and what it refuses."""

import csv
import io
import json
import os
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import chess
import pytest
from support.commands import refusal, run

from tablebase import open_tablebase
from tablebase.cli.program import main
from tablebase.core.outcomes.codes import Wdl
from tablebase.core.outcomes.metrics import Wdl50
from tablebase.core.rules.material import Material
from tablebase.finding.conditions import Conditions
from tablebase.finding.find import find
from tablebase.finding.positions import FoundPosition
from tablebase.finding.printing import Printer
from tablebase.practice.exercises import draw_exercises

DRAWN = "1/2-1/2"
MATE_IN_16 = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"
ROOT = Path(__file__).parents[2]
# Processes find the package even where it is not installed.
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


def found(capsys, *arguments):
    return found_and_told(capsys, *arguments)[0]


def found_and_told(capsys, *arguments):
    code, output, message = run(capsys, "find", *arguments, "--dir", str(ROOT / "data"))
    assert code == 0
    return output, message


def test_find(capsys):
    longest = ["KRK", "--turn", "white", "--longest"]
    fens = found(capsys, *longest).splitlines()
    assert len(fens) == 121
    assert MATE_IN_16 in fens
    (row,) = csv.DictReader(io.StringIO(found(capsys, *longest, "--limit", "1", "--format", "csv")))
    assert row == {"fen": fens[0], "wdl": "1", "dtm": "31", "dtz": "31", "wdl50": "2"}


def test_the_hardest_positions_have_a_column_of_difficulties(capsys):
    hardest = ["KPK", "--result", "win", "--order", "difficulty", "--limit", "2"]
    rows = list(csv.DictReader(io.StringIO(found(capsys, *hardest, "--format", "csv"))))
    assert [row["difficulty"] for row in rows] == ["0.9", "0.9"]
    lines = found(capsys, *hardest, "--format", "jsonl").splitlines()
    assert [json.loads(line)["difficulty"] for line in lines] == [0.9, 0.9]
    assert [json.loads(line)["fen"] for line in lines] == [row["fen"] for row in rows]
    assert found(capsys, *hardest).splitlines() == [row["fen"] for row in rows]
    _, told = found_and_told(capsys, "KRK", *hardest[3:])  # who sees a hanging rook makes none
    assert "KRK: 2 positions, none of them difficult" in told
    makruk = ("KRK", "--rules", "makruk", "--order", "difficulty", "--dir", str(ROOT / "data"))
    assert (
        "difficulties need the 50-move rule, which makruk does not have: choose another --order"
        in refusal(capsys, "find", *makruk)
    )
    lines = found(capsys, "KPK", "KRK", "--plies", "1", "--limit", "2", "--format", "jsonl")
    assert [json.loads(line)["dtm"] for line in lines.splitlines()] == [1] * 4
    assert not found(capsys, "KRK", "--zugzwang")
    assert found(capsys, "KRK", "--zugzwang", "--format", "csv") == "fen,wdl,dtm,dtz,wdl50\n"


def test_how_many_are_found_is_told_beside_the_output(capsys):
    output, message = found_and_told(capsys, "KPK", "KRK", "--plies", ":5", "--limit", "1200")
    assert message == "KPK: 388 positions\nKRK: 1,200 positions\n"
    assert output.count("\n") == 1588
    _, message = found_and_told(capsys, "KPK", "--limit", "1", "--format", "csv")
    assert message == "KPK: 1 position\n"
    assert found_and_told(capsys, "KRK", "--zugzwang") == ("", "no position of KRK matches\n")


def test_sides_have_letters_and_promotions_pieces(capsys):
    for letter, side in (("w", "white"), ("B", "black")):
        fens = found(capsys, "KPK", "--turn", letter, "--limit", "50")
        assert f" {letter.lower()} " in fens
        assert fens == found(capsys, "KPK", "--turn", side, "--limit", "50")
    zugzwangs = found(capsys, "KPK", "--zugzwang", "w")
    assert zugzwangs == found(capsys, "KPK", "--zugzwang", "white")
    assert zugzwangs
    rooks = found(capsys, "KPK", "--best", "rook", "--format", "epd").splitlines()
    moves = [chess.Board.from_epd(epd)[1]["bm"] for epd in rooks]
    assert moves
    assert {move.promotion for best in moves for move in best} == {chess.ROOK}


def test_squares_of_men_may_be_named_one_by_one(capsys):
    together = found(capsys, "KRK", "--on", "K=c1", "k=a1")
    assert found(capsys, "KRK", "--on", "K=c1", "--on", "k=a1") == together
    assert 0 < len(together) < len(found(capsys, "KRK", "--on", "k=a1"))


@pytest.mark.thorough
def test_a_bar_on_the_terminal_leaves_the_output_alone(tmp_path):
    pty = pytest.importorskip("pty")
    terminal, other_end = pty.openpty()
    command = [sys.executable, "-m", "tablebase", "find", "KPK", "--only-move"]
    with (tmp_path / "fens").open("w") as output:
        process = subprocess.Popen(
            [*command, "--dir", ROOT / "data"],
            stdout=output,
            stderr=other_end,
            env={**ENVIRONMENT, "TERM": "xterm"},
        )
    os.close(other_end)
    shown = b""
    with suppress(OSError):  # on Linux that is the end
        while part := os.read(terminal, 4096):
            shown += part
    os.close(terminal)
    assert process.wait() == 0
    assert b"KPK" in shown
    fens = (tmp_path / "fens").read_text().splitlines()
    assert len(fens) > 1000
    assert all(fen.count("/") == 7 for fen in fens)
    assert b" - - 0 1" not in shown


def test_what_is_found_as_parquet(capsys, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    path, options = tmp_path / "new" / "won.parquet", ["KPK", "--only-move", "--result", "win"]
    directory = ["--dir", str(ROOT / "data")]
    code, output, message = run(
        capsys, "find", *options, "--parquet", str(path), "--fen", *directory
    )
    fens = found(capsys, *options).splitlines()
    assert (code, output) == (0, "")
    assert f"{path}: {len(fens):,} positions" in message
    assert parquet.read_table(path)["fen"].to_pylist() == fens
    again = ["find", "KRK", "--zugzwang", "--parquet", str(path), *directory]
    written = path.read_bytes()
    assert f"{path} exists: overwrite it with --force" in refusal(capsys, *again)
    assert path.read_bytes() == written
    code, _, message = run(capsys, *again, "--force", "--squares", "number")
    assert "no position of KRK matches\n" in message
    table = parquet.read_table(path)
    assert table.shape == (0, 9)  # replaced, with columns though no rows
    assert str(table.schema.field("white_king").type) == "uint8"


def test_what_is_found_as_epd_and_as_exercises(capsys):
    import chess.pgn

    options = ["KPK", "--only-move", "--sample", "5", "--seed", "3", "--no-check"]
    for result in ("win", "draw", "loss"):
        epds = found(capsys, *options, "--result", result, "--format", "epd").splitlines()
        games = io.StringIO(found(capsys, *options, "--result", result, "--format", "pgn"))
        assert len(epds) == 5
        for epd in epds:
            board, operations = chess.Board.from_epd(epd)
            assert ("dm" in operations) == (result == "win")
            game = chess.pgn.read_game(games)
            assert game.board() == board
            assert len(operations["bm"]) == 1
            assert [game.next().move] == operations["bm"]
            assert game.end().board().is_checkmate() == (result != "draw")
            score = {"win": board.turn, "loss": not board.turn}.get(result)
            assert game.headers["Result"] == {True: "1-0", False: "0-1", None: "1/2-1/2"}[score]
        assert chess.pgn.read_game(games) is None


@pytest.mark.parametrize(
    ("wdl50", "event", "result"),
    [
        (Wdl50.WIN, "wins in 16 moves (31 plies)", "1-0"),
        (Wdl50.CURSED_WIN, "would win in 16 moves (31 plies), but the 50-move rule draws", DRAWN),
    ],
)
def test_exercises_by_the_fifty_move_rule(capsys, wdl50, event, result):
    values = {"dtm": 31, "wdl": Wdl.WIN, "dtz": 31, "wdl50": wdl50}
    position = FoundPosition(Material.from_name("KRK"), (0, 18, 9), white_to_move=True, **values)
    with open_tablebase(ROOT / "data") as tables:
        Printer("pgn", tables, Conditions()).show([position])
    printed = capsys.readouterr().out
    assert f'[Event "KRK: White to move {event}"]' in printed
    assert f'[Result "{result}"]' in printed


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["KRK", "--on", "N=a1"], "there is no N in KRK"),
        (["KRK", "--on", "R=a1", "R=h1"], "each piece once"),
        (["KRK", "--on", "Ra1"], "not like"),
        (["KRK", "--plies", ":"], "range"),
        (["KRK", "--plies", "x"], "whole number"),
        (["KRK", "--result", "won"], "is not one of"),
        (["KRK", "--best", "castling"], "castling"),
        (["KRK", "--moves", "5:3"], "from 5 to 3"),
        (["KRK", "--where", "white_rook.rnk == 1"], "white_rook.rnk is unknown: squares have"),
        (["KRK", "--where", "white_pawn.rank == 2"], "there is no column 'white_pawn'"),
        (["KRK", "KPK", "--where", "white_rook == a1"], "there is no column 'white_rook'"),
        (["KRK", "KPK", "--parquet", "x"], "run the command once for each material"),
        (["KRK", "--parquet", "x", "--format", "csv"], "--fen adds a column of FENs"),
        (["KRK", "--fen"], "--fen needs --parquet"),
        (["KRK", "--squares", "number"], "--squares needs --parquet"),
        (["KRK", "--force"], "--force needs --parquet"),
        (["KRK", "--plies", "3", "--plies", "5"], "argument --plies: give it once"),
        (["KRK", "--never", "w", "--never", "b"], "argument --never: give it once"),
        (["KRK", "--turn", "w", "--turn", "b"], "argument --turn: give it once"),
    ],
)
def test_find_refuses_what_makes_no_sense(capsys, arguments, message):
    with pytest.raises(SystemExit) as refused:
        main(["find", *arguments])
    assert refused.value.code == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["KRK", "--plies", "99"], "no position of KRK matches"),
        (["KRK", "--where", "white_king == h8", "--plies", "9"], "try --images all"),
        (["KK", "--where", "not white_to_move", "--images", "all"], "try --turn black"),
        (["KK", "--where", "not white_to_move", "--images", "all", "--turn", "w"], "KK matches"),
    ],
)
def test_a_list_that_is_empty_by_a_default_says_so(capsys, options, why):
    code, output, message = run(capsys, "find", *options, "--dir", str(ROOT / "data"))
    assert (code, output) == (0, "")
    assert message.endswith(f"{why}\n")


def test_several_rules_must_all_hold(capsys):
    rule = "white_king.rank == 6 and distance(black_king, white_pawn) > 3"
    fens = found(capsys, "KPK", "--where", rule).splitlines()
    assert fens == find("KPK", ROOT / "data", where=rule).fens()
    both = found(capsys, "KPK", "--where", rule, "--where", "not white_to_move").splitlines()
    assert 0 < len(both) < len(fens)
    assert both == [fen for fen in fens if " b " in fen]


def test_find_says_what_to_build(capsys, tmp_path, folders_by_metric):
    message = refusal(capsys, "find", "KQKR", "--dir", str(tmp_path))
    assert "tablebase build KQKR" in message
    cursed = ["find", "KRK", "--result", "cursed-win", "--dir", str(folders_by_metric["dtm"])]
    assert "--metric" in refusal(capsys, *cursed)


def test_choices_of_the_help_are_those_of_the_library():
    from tablebase.cli.program import make_parser
    from tablebase.core.outcomes.metrics import Wdl50
    from tablebase.finding.choices import (
        BEST_MOVES,
        IMAGE_CHOICES,
        ORDERS,
        RESULT_NAMES,
        SQUARE_CHOICES,
        ZUGZWANG_SIDES,
    )
    from tablebase.finding.conditions import ZUGZWANG_RESULTS

    for name, choices in (
        ("order", ORDERS),
        ("result", RESULT_NAMES),
        ("best", BEST_MOVES),
        ("zugzwang", ZUGZWANG_SIDES),
        ("images", IMAGE_CHOICES),
        ("squares", SQUARE_CHOICES),
    ):
        for choice in choices:
            given = make_parser().parse_args(["find", "KRK", f"--{name}", choice])
            assert getattr(given, name) == ([choice] if name == "result" else choice)
    assert tuple(one.name.lower() for one in reversed(Wdl50)) == RESULT_NAMES
    assert ("any", *ZUGZWANG_RESULTS) == ZUGZWANG_SIDES


@pytest.mark.thorough
def test_a_sheet_has_the_exercises_of_the_course(capsys, tmp_path):
    """Each board with its task; and solutions with rules, of which the moves are legal."""
    data, page = str(ROOT / "data"), tmp_path / "sheet.html"
    with open_tablebase(data) as tables:
        levels = draw_exercises(tables, Material.from_name("KPK")).levels
    asked = ["KPK", "--exercises", "3"]
    assert found(capsys, *asked).splitlines() == [one.fen for one in levels[2]]
    some = found(capsys, *asked, "--sample", "4", "--seed", "2").splitlines()
    assert len(some) == 4
    assert {*some} < {one.fen for one in levels[2]}
    assert some != found(capsys, *asked, "--sample", "4", "--seed", "3").splitlines()
    assert found(capsys, *asked, "--sample", "4", "--seed", "2", "--html", str(page)) == ""
    text = page.read_text()
    assert "http" not in re.sub('xmlns(:xlink)?="[^"]*"', "", text)  # it needs nothing else
    assert text.count("<figure>") == text.count("<li>") == 4
    for fen, solution in zip(some, re.findall("<li>(.*)</li>", text), strict=True):
        board = chess.Board(fen)
        mover = "White" if board.turn else "Black"
        assert f"{some.index(fen) + 1}. {mover} to move " in text
        first = solution.removeprefix("Only ").split(" ")[0].strip(",")
        with open_tablebase(data) as tables:
            best = tables.rank_moves(board)[0]
            board.push_san(first)
            assert -tables.probe_wdl(board) == best.wdl
    found(capsys, "KQK", "--exercises", "1", "--html", str(page))
    assert "Rule: Give mate if you can. (Q" in page.read_text()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["KPK", "--html", "x.html"], "--html needs --exercises LEVEL"),
        pytest.param(
            *(["KQK", "--exercises", "12"], "KQK has 9 levels, and no 12"),
            marks=pytest.mark.thorough,
        ),
        pytest.param(
            *(["KNNK", "--exercises", "1"], "Nothing in KNNK can be practised"),
            marks=pytest.mark.thorough,
        ),
        (["KPK", "--exercises", "1", "--turn", "w"], "only --sample and --seed go with it"),
        (["KPK", "KRK", "--exercises", "1"], "only --sample and --seed go with it"),
        (["KPK", "--difficulty", "hard"], "'hard' is not like 0.2:0.6"),
        (["KPK", "--difficulty", "0.6:0.2"], "difficulty is a range from 0 to 1"),
    ],
)
def test_other_exercises_are_refused(capsys, options, words):
    with pytest.raises(SystemExit) as ended:
        main(["find", "--dir", str(ROOT / "data"), *options])
    assert ended.value.code == 2
    assert words in capsys.readouterr().err


def test_difficulty_is_a_condition(capsys):
    every = find("KPK", ROOT / "data", turn=True, order="difficulty")
    some = find("KPK", ROOT / "data", turn=True, difficulty=(0.25, 0.5))
    inside = (every.difficulty >= 0.25) & (every.difficulty <= 0.5)
    assert 0 < len(some) == inside.sum() < len(every)
    assert {*some.fens()} == {*every[inside].fens()}
    fens = found(capsys, "KPK", "--turn", "w", "--difficulty", "0.25:0.5").splitlines()
    assert fens == some.fens()
