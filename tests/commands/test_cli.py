"""Command line: what it prints, its exit codes, and one clear line for every error."""

import csv
import io
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import chess
import numpy as np
import pytest
from support.commands import python, refusal, run
from support.few import slow

from tablebase import open_tablebase
from tablebase.cli.program import main, make_parser
from tablebase.cli.terminal import explain
from tablebase.core.ground.errors import CorruptTableError
from tablebase.core.rules.material import Material

MATE_IN_16 = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"
EIGHT_MEN = "8/8/3k4/1p1p3p/1P1P3P/3K4/8/8 w - - 0 1"
ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts" / "generate.py"
# Processes find the package even where it is not installed.
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    from tablebase.core.building.generator import generate

    folder = tmp_path_factory.mktemp("tables")
    generate([Material.from_name("KRK")], folder)
    return str(folder)


def test_help_is_fast():
    """It loads nothing that takes long, whatever that takes on this machine."""
    done = python("-X", "importtime", "-m", "tablebase", "--help")
    assert done.returncode == 0
    loaded = {line.split("|")[-1].strip() for line in done.stderr.splitlines()}
    assert "tablebase.cli.program" in loaded
    slow = {"numba", "numpy", "h5py", "chess", "rich", "asyncio", "multiprocessing", "http.client"}
    assert not loaded & slow


def test_build_and_build_again(capsys, tmp_path):
    directory = str(tmp_path / "new" / "folder")
    code, output, errors = run(capsys, "build", "KvKR", "--dir", directory)
    assert errors.startswith("[done/all]  material  positions  longest win  seconds  bytes\n[1/2]")
    assert code == 0
    assert "16 moves (31 plies)" in output
    code, output, _ = run(capsys, "build", "krk", "--dir", directory)
    assert code == 0
    assert "Nothing to do: all 2 tables are in" in output
    code, output, _ = run(capsys, "build", "KRK", "--dir", directory, "--force")
    assert "Nothing to do" not in output


def test_estimate_builds_nothing(capsys, tmp_path):
    directory = tmp_path / "none"
    code, output, _ = run(capsys, "build", "--men", "3", "--dir", str(directory), "--estimate")
    assert code == 0
    assert output.count("to build") == 7
    assert "peak memory" in output
    assert not directory.exists()


def test_an_estimate_says_what_limits_its_memory(capsys, tmp_path):
    command = ("build", "KRK", "--dir", str(tmp_path), "--estimate")
    _, output, _ = run(capsys, *command)
    assert "half of the free memory" in output
    assert "--memory" in output
    _, output, _ = run(capsys, *command, "--memory", "4G")
    assert "free" not in output
    _, output, _ = run(capsys, *command, "--memory", "4G", "--json")
    estimate = json.loads(output)
    largest = max(table["memory_bytes"] for table in estimate["tables"])
    assert largest <= estimate["memory_bytes"] <= 4_000_000_000


def test_info_json(capsys, folder):
    code, output, _ = run(capsys, "info", "KRK", "--dir", folder, "--json")
    assert code == 0
    info = json.loads(output)
    white, black = info["white_to_move"], info["black_to_move"]
    assert (white["win"], white["draw"], white["loss"], white["illegal"]) == (175168, 0, 0, 48776)
    assert black["dtm_histogram"]["loss"]["0"] == 216
    assert black["inequivalent"]["dtm_histogram"]["loss"]["0"] == 27
    assert white["longest_win"]["plies"] == 31
    assert white["longest_win"]["fen"].endswith(" w - - 0 1")
    assert info["material"] == "KRK"
    assert list(info["subtables"]) == ["KK"]


def test_info_of_a_file_and_of_a_folder(capsys, folder):
    code, output, _ = run(capsys, "info", f"{folder}/KRK.h5")
    assert code == 0
    assert "175,168" in output
    code, output, _ = run(capsys, "info", "--dir", folder)
    assert code == 0
    assert "16 moves (31 plies)" in output
    code, output, _ = run(capsys, "info", "--dir", folder, "--json")
    assert [table["material"] for table in json.loads(output)] == ["KK", "KRK"]
    code, output, _ = run(capsys, "info", "KRK", "KK", "--dir", folder, "--json")
    assert [table["material"] for table in json.loads(output)] == ["KRK", "KK"]
    code, output, _ = run(capsys, "info", "KRK", "KK", "--dir", folder)
    assert output.count("sha256") == 4


def test_probe(capsys, folder):
    code, output, _ = run(capsys, "probe", MATE_IN_16, "--dir", folder)
    assert code == 0
    assert "White wins: mate in 16 moves (31 plies)" in output
    assert "1 K . . . . . . ." in output
    beside_the_board = " ".join(" ".join(row[22:] for row in output.splitlines()).split())
    assert "win 16 31 31 Ka2 Kb1 Ra2 Rb1 Rb7 Rb8 Rg2 Rh2 win 17 33 33 Rb5" in beside_the_board
    assert beside_the_board.endswith("draw Rb3+ Rb4 Rc2+ Rd2")


def test_probe_takes_a_position_in_several_words(capsys, folder):
    code, output, _ = run(capsys, "probe", *MATE_IN_16.split(), "--dir", folder, "--line")
    assert code == 0
    assert "16. " in output
    assert output.rstrip().endswith("#")


def test_probe_json(capsys, folder):
    code, output, _ = run(capsys, "probe", MATE_IN_16, "--dir", folder, "--json", "--line")
    assert code == 0
    answer = json.loads(output)
    assert (answer["result"], answer["dtm_plies"], answer["dtm_moves"]) == ("win", 31, 16)
    assert len(answer["line"]) == 31
    assert len(answer["moves"]) == 16
    assert answer["moves"][0]["dtm_plies"] == 31


def test_probe_json_with_difficulty(capsys, folders_by_metric):
    fen, folder = "8/8/3k4/8/2p5/8/8/4K3 b - - 0 1", str(folders_by_metric["both"])
    asked = ("probe", fen, "--json", "--difficulty", "--dir")
    answer = json.loads(run(capsys, *asked, folder)[1])
    hard = {move["uci"]: move.pop("difficulty") for move in answer["moves"]}
    assert (hard["d6c6"], hard["d6c7"]) == (0.4, 0)
    assert answer == json.loads(run(capsys, "probe", fen, "--json", "--dir", folder)[1])
    to_mate = json.loads(run(capsys, *asked, str(folders_by_metric["dtm"]))[1])
    assert {move["difficulty"] for move in to_mate["moves"]} == {None}
    for arguments in ([fen], ["--json", "--file", "x"], ["--rules", "makruk", fen]):
        with pytest.raises(SystemExit) as refused:
            main(["probe", "--difficulty", *arguments])
        assert refused.value.code == 2
        assert "--difficulty needs --json" in capsys.readouterr().err


def test_the_fifty_move_rule_where_it_is_not_known(capsys, folders_by_metric):
    folder = str(folders_by_metric["dtm"])
    warning = "the 50-move rule may interfere: 31 plies to mate, 80 since"
    late = MATE_IN_16.replace("0 1", "80 99")
    for fen, warned in ((late, True), (MATE_IN_16, False)):
        _, output, _ = run(capsys, "probe", fen, "--dir", folder)
        assert (warning[1:] in output) == warned
        assert "DTZ" not in output
        answer = probed(capsys, fen, folder)
        assert (answer["fifty_move_warning"] is not None) == warned
        assert (answer["wdl50"], answer["category"]) == (
            (None, "unknown") if warned else (2, "win")
        )
        assert answer["dtz"] is None
        assert len(answer["line"]) == 31


@pytest.mark.parametrize("clock", [100, 120])
def test_a_draw_that_can_be_claimed_needs_no_distance_to_zeroing(
    capsys, folders_by_metric, tmp_path, clock
):
    folder = folders_by_metric["dtm"]
    for fen, wdl50 in ((MATE_IN_16, 1), ("8/8/8/3k4/8/8/K1R5/8 b - - 0 1", -1)):
        late = fen.replace("0 1", f"{clock} 130")
        answer = probed(capsys, late, folder)
        assert (answer["wdl50"], answer["dtz"], answer["fifty_move_warning"]) == (wdl50, None, None)
        assert {one["wdl50"] for one in answer["moves"]} <= {wdl50, 0}
        positions = tmp_path / "late.epd"
        positions.write_text(late, encoding="utf-8")
        _, output, _ = run(capsys, "probe", "--file", str(positions), "--dir", str(folder))
        assert output.splitlines()[1].split(",")[4] == str(wdl50)
        assert "but the 50-move rule draws" in run(capsys, "probe", late, "--dir", str(folder))[1]


def probed(capsys, fen, folder):
    """Return what a probe says in JSON, the line included."""
    return json.loads(run(capsys, "probe", fen, "--dir", str(folder), "--json", "--line")[1])


def test_the_fifty_move_rule_by_the_clock(capsys, folders_by_metric):
    folder = folders_by_metric["both"]
    answer = probed(capsys, "8/8/8/8/8/1P3k2/2K5/8 w - - 99 80", folder)
    assert (answer["wdl50"], answer["category"], answer["dtz"]) == (2, "win", 1)
    assert (answer["result"], answer["dtm_plies"], answer["fifty_move_warning"]) == (
        "win",
        31,
        None,
    )
    first, second = answer["moves"][:2]
    assert (first["san"], first["category"], first["dtm_plies"], first["dtz"]) == (
        "b4",
        "win",
        45,
        1,
    )
    assert (second["san"], second["category"], second["wdl50"]) == ("Kd3", "cursed-win", 1)
    assert len(answer["line"]) == 45
    late = probed(capsys, MATE_IN_16.replace("0 1", "80 99"), folder)
    assert (late["wdl50"], late["category"], late["result"]) == (1, "cursed-win", "win")
    assert len(late["line"]) == 20  # up to the claim of a draw
    lost = probed(capsys, "8/8/8/3k4/8/8/K1R5/8 b - - 80 90", folder)
    assert (lost["wdl50"], lost["category"], lost["result"]) == (-1, "blessed-loss", "loss")
    _, output, _ = run(capsys, "probe", MATE_IN_16, "--dir", str(folder))
    assert "DTZ 31 plies: in time for the 50-move rule" in output


LINES = """\
# positions, one in a line
8/8/8/8/8/2k5/1R6/K7 w - - 80 99

8/8/8/8/8/2k5/1R6/K7 b - - hmvc 3; id "drawn";
8/8/8/3k4/8/8/1R6 b - -
8/8/8/8/8/2k5/1Q6/K7 b - - 0 1
8/8/8/8/8/1P3k2/2K5/8 w - - 99 80
8/8/8/8/8/1k6/8/1K1r4 w - -
"""


def test_a_file_of_positions(capsys, tmp_path, folders_by_metric):
    path, folder = tmp_path / "positions.epd", str(folders_by_metric["both"])
    path.write_text(LINES)
    code, output, message = run(capsys, "probe", "--file", str(path), "--dir", folder, "--best")
    rows = list(csv.DictReader(io.StringIO(output)))
    assert code == 2
    assert message.startswith(
        f"tablebase: {path}: 1 position could not be looked up, line 5: not a valid FEN"
    )
    assert [row["fen"] for row in rows] == [
        line for line in LINES.splitlines() if line and line[0] != "#"
    ]
    names = ["wdl", "dtm", "dtz", "wdl50"]
    assert [rows[0][name] for name in names] == ["1", "31", "31", "1"]
    assert [rows[2][name] for name in names] == [""] * 4
    assert [rows[5][name] for name in names] == ["-1", "0", "-1", "-2"]
    assert "not a valid FEN" in rows[2]["error"]
    for row in (row for row in rows if not row["error"]):
        answer = probed(capsys, row["fen"].split(" hmvc")[0], folder)
        assert row["best_move"] == (answer["moves"][0]["uci"] if answer["moves"] else "")
        assert [int(row[name]) for name in names] == [
            answer[name] for name in ("wdl", "dtm_plies", "dtz", "wdl50")
        ]


def test_rights_that_do_not_count_in_a_file_are_told(capsys, tmp_path, folders_by_metric):
    path, folder = tmp_path / "positions.epd", str(folders_by_metric["both"])
    lines = f"# rights\n{MATE_IN_16}\n{MATE_IN_16.replace('w -', 'w Kq')}\n"
    path.write_text(lines)
    code, output, message = run(capsys, "probe", "--file", str(path), "--dir", folder)
    told = "line 3: castling rights Kq do not count, because king and rook are not in place\n"
    assert (code, message) == (
        0,
        f"tablebase: {path}: 1 position with rights that do not count, {told}",
    )
    values = [row.partition(",")[2] for row in output.splitlines()]
    assert values[1] == values[2] == "1,31,31,2,"
    path.write_text(f"{lines}{MATE_IN_16.replace(' 0 1', '')} e3\nnonsense KQ KQ KQ\n{lines}")
    code, _, message = run(capsys, "probe", "--file", str(path), "--dir", folder)
    assert code == 2
    assert f"2 positions with rights that do not count, the first in {told}" in message
    assert "2 positions could not be looked up, the first in line 4: not a valid FEN" in message


def test_positions_of_the_standard_input_as_json_lines(capsys, monkeypatch, folders_by_metric):
    def probe(name, text):
        piped = io.TextIOWrapper(io.BufferedReader(io.BytesIO(text)), "ascii")
        monkeypatch.setattr(sys, "stdin", piped)
        arguments = ["probe", "--file", "-", "--json", "--dir", str(folders_by_metric[name])]
        code, output, message = run(capsys, *arguments)
        return code, [json.loads(line) for line in output.splitlines()], message

    fen, late = MATE_IN_16, MATE_IN_16.replace("0 1", "80 99")
    code, rows, message = probe("dtm", b"\xef\xbb\xbf" + f"{fen}\r\n{late}\n".encode())
    assert (code, message) == (0, "")
    value = {"wdl": 1, "dtm": 31, "dtz": None, "wdl50": 2, "error": None}
    assert rows == [{"fen": fen, **value}, {"fen": late, **value, "wdl50": None}]
    code, rows, message = probe("dtm", b"\xff\n8/8/8/8/8/2k5/1N6/KB6 w - - 0 1\n")
    assert code == 2
    assert rows[0]["fen"] == "ÿ"
    assert (
        "standard input: 2 positions could not be looked up, the first in line 1: not a valid"
        in message
    )
    assert "tablebase build KBNK" in rows[1]["error"]
    assert probe("dtm", b"") == (0, [], "")


def test_a_file_and_a_position_exclude_each_other(capsys):
    for arguments in (["--file", "x", MATE_IN_16], ["--file", "x", "--line"], [], ["--best"]):
        with pytest.raises(SystemExit) as refused:
            main(["probe", *arguments])
        assert refused.value.code == 2
        assert "--file" in capsys.readouterr().err
    assert "there is no file none.epd" in refusal(capsys, "probe", "--file", "none.epd")


def test_a_probe_without_distances_to_mate_says_what_to_build(capsys, folders_by_metric):
    message = refusal(capsys, "probe", MATE_IN_16, "--dir", str(folders_by_metric["dtz"]))
    assert "tablebase build --metric dtm KRK" in message


def test_bare_kings_need_no_folder(capsys, tmp_path):
    fen = "k7/8/1K6/8/8/8/8/8 w - - 0 1"
    code, output, _ = run(capsys, "probe", fen, "--dir", str(tmp_path / "none"))
    assert code == 0
    assert "Draw" in output


def test_count(capsys):
    code, output, _ = run(capsys, "count", "KRK", "KPK")
    assert code == 0
    assert "28,056" in output
    assert "84,012" in output
    rows = [line.split() for line in output.splitlines()]
    assert ["fixed", "by", "a1-h8", "diagonal", "252"] in rows
    assert not [row for row in rows if "left-right" in row]  # keeps no placement
    assert "agrees" not in output  # nothing is enumerated, so nothing is compared
    castling = ["castling", "rights,", "White", "to", "move", "97", "97"]
    assert castling in rows
    code, output, _ = run(capsys, "count", "KRK", "--json")
    counted = json.loads(output)[0]
    assert counted["all_placements"]["inequivalent"] == 28056
    assert counted["formula_fixed"]["a8-h1 diagonal"] == 252
    code, output, _ = run(capsys, "count", "KRK", "KK", "--csv")
    rows = list(csv.DictReader(io.StringIO(output)))
    assert [row["material"] for row in rows] == ["KRK", "KK"]
    assert rows[0]["all_placements_inequivalent"] == "28056"
    assert rows[1]["legal_white_to_move_inequivalent"] == "462"
    assert [row["colours_exchanged_inequivalent"] for row in rows] == ["", "246"]
    code, output, _ = run(capsys, "count", "KK")
    rows = [line.split() for line in output.splitlines()]
    assert ["fixed", "by", "half", "turn,", "colours", "exchanged", "60"] in rows
    assert ["mean", "over", "16", "symmetries", "(Burnside)", "246"] in rows


@pytest.mark.thorough
def test_count_of_all_materials(capsys):
    code, output, _ = run(capsys, "count", "--men", "4", "--as-nulp", "--json")
    assert code == 0
    assert json.loads(output) == {
        "men": 4, "no_right": 125_110_423, "castling": 113_158, "en_passant": 23_017, "both": 0,
        "total": 125_246_598,
    }  # fmt: skip
    _, output, _ = run(capsys, "count", "--men", "3")
    rows = [line.rpartition("  ") for line in output.splitlines()]
    numbers = {name.strip(): number for name, _, number in rows if number}
    assert numbers["castling rights"] == "211"
    assert numbers["all"] == "368,079"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["KRK", "--men", "3"], "name materials, like KRK, or write --men N"),
        ([], "name materials, like KRK, or write --men N"),
        (["--men", "9"], "positions have 2 to 8 pieces"),
        (["--men", "3", "--csv"], "--men takes --json, not --csv"),
        (["--men", "3", "--rules", "shatranj"], "are only for chess, not for shatranj"),
        (["KRK", "--as-nulp", "--rules", "makruk"], "are only for chess, not for makruk"),
    ],
)
def test_what_count_refuses(capsys, arguments, words):
    try:
        code = main(["count", *arguments])
    except SystemExit as refused:
        code = refused.code
    output, errors = capsys.readouterr()
    assert (code, output, errors.count("\n")) == (2, "", 1)
    assert words in errors


def test_sheet_of_from_to_pairs(capsys):
    code, output, _ = run(capsys, "butterfly", "--sheet", "a1-c1", "a2-c2")
    assert code == 0
    assert output.splitlines() == [
        "c1 N\\|",
        "b1 \\|/",
        "a1 |/N",
        "   abc",
        "   222",
        "rook 3, bishop 4, knight 2, none 0",
    ]
    code, output, _ = run(capsys, "butterfly", "--sheet")
    assert output.splitlines()[-1] == "rook 896, bishop 560, knight 336, none 2,304"
    code, output, _ = run(capsys, "butterfly", "--sheet", "d1", "--json")
    assert json.loads(output) == {"from": ["d1"], "to": ["d1"], "rows": ["#"]}


@pytest.mark.thorough
def test_countermoves(capsys, tmp_path):
    options = ("--countermoves", "--no-pictures", "--dir", "data", "--out", str(tmp_path))
    code, output, _ = run(capsys, "butterfly", "KRK", *options)
    assert code == 0
    rows = [line.split() for line in output.splitlines()]
    assert ["a1-b1", "d3-c3", "62", "2,820"] in rows
    with np.load(tmp_path / "KRK-butterfly.npz") as arrays:
        assert arrays["countermoves"][0, 0, 1] == chess.D3 * 64 + chess.C3
        assert arrays["countermove_times"][0, 0, 1] == 62
        assert arrays["countermove_positions"][0, 0, 1] == 2820


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["build", "KXK"], "KXK"),
        (["build", "KQRKBN", "--memory", "1G"], "KQRKBN"),
        (["build", "KRK", "--memory", "1M", "--force"], "--memory"),
        (["build", "KRK", "--dir", "/proc/none"], "/proc/none"),
        (["probe", "xyz"], "xyz"),
        (["probe", "4k3/8/8/8/8/8/PP6/R3K2R w K - 0 1"], "castling"),
        (["probe", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"], "32 pieces"),
        (["probe", "8/8/8/8/8/8/8/8 w - - 0 1"], "king"),
        (["probe", "8/8/8/5k2/7r/8/1Q6/K7 w - - 0 1"], "KQKR"),
        (["info", "KQKR"], "tablebase build KQKR"),
        (["info", "none/KQK.h5"], "KQK.h5"),
        (["info", "KX"], "KX"),
        (["count", "KRRRKRRRR"], "KRRRKRRRR has 9 pieces: positions are counted up to 8"),
        (["verify", "KQKR"], "KQKR"),
        (
            ["info", "--dir", "none"],
            "there is no folder none: build tables with",
        ),
        (["info", "KPPPPPK"], "7 pieces, but tables have up to 6"),
        (["probe", EIGHT_MEN], f'tables have at most 6: try `tablebase solve "{EIGHT_MEN}"`'),
        (["info", "KQK", "--dir", "none"], "tablebase build KQK --dir none"),
        (["--dir", "none", "info", "KQK"], "tablebase build KQK --dir none"),
        (["count", "KRVKX"], "did you mean KRK"),
        (["butterfly", "KQK", "KRK", "--dir", "none"], "tablebase build KQK --dir none"),
    ],
)
def test_one_line_for_every_error(capsys, tmp_path, monkeypatch, arguments, named):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TABLEBASE_PATH", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    assert named in refusal(capsys, *arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        ["info"],
        ["info", "--json"],
        ["info", "--sort", "men"],
        ["info", "--csv"],
        ["verify"],
        ["verify", "--json"],
        ["report", "--out", "r"],
        ["report", "--json"],
        ["serve", "--port", "0"],
    ],
)
def test_silence_is_not_success(capsys, tmp_path, monkeypatch, arguments):
    monkeypatch.chdir(tmp_path)
    Path("empty").mkdir()
    message = refusal(capsys, *arguments, "--dir", "empty")
    assert (
        "there are no tables in empty: build tables with `tablebase build --dir empty`" in message
    )
    assert "there is no folder none" in refusal(capsys, *arguments, "--dir", "none")


def test_what_is_advised_works(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    probe = ["probe", MATE_IN_16, "--dir", "my tables"]
    advice = refusal(capsys, *probe).split("`")[1]
    assert run(capsys, *shlex.split(advice)[1:])[0] == 0
    assert "16 moves" in run(capsys, *probe)[1]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["butterfly"], "give a MATERIAL, or --sheet"),
        (
            ["butterfly", "KRK", "--sheet"],
            "--sheet takes one or two ranges of squares, and no MATERIAL",
        ),
        (
            ["butterfly", "--sheet", "h1-a1"],
            "'h1-a1' is not a range of squares: write it like d1-e3",
        ),
        (["butterfly", "--sheet", "d9"], "'d9' is not a range of squares: write it like d1-e3"),
        (["build", "--men", "7"], "7 is out of range: choose from 2 to 6"),
        (["build", "--men", "x"], "'x' is not a whole number"),
        (["build", "--threads", "0"], "0 is out of range: choose from 1 to 1,024"),
        (["build", "--threads", "99999999999"], "99999999999 is out of range: choose from 1 to"),
        (["build", "--workers", "1025"], "1025 is out of range: choose from 1 to 1,024"),
        (["build", "--memory", "x"], "'x' is not a size"),
        (["build", "--memory", "1e30T"], "'1e30T' is not a size of up to 1,000,000T: write it"),
        (
            ["plan", "--workers", "9" * 5000],
            "... (5,000 characters) is out of range: choose from 1",
        ),
        (["serve", "--port", "65536"], "65536 is out of range: choose from 0 to 65,535"),
        (["verify", "--sample", "1" + "0" * 10], "is out of range: choose from 1 to 1,000,000,000"),
        (["find", "KRK", "--limit", "1" + "0" * 10], "is out of range: choose from 1 to 1,000,000"),
        (["audit", "--sample", "1" + "0" * 10], "is out of range: choose from 1 to 1,000,000,000"),
        (["serve", "--port", "abc"], "'abc' is not a whole number"),
        (["find", "KRK", "--seed", "-1"], "--seed"),
        (["info", "--sort", "drawn"], "did you mean draw?"),
        (["prob", "8/8"], "tablebase: no command 'prob': did you mean probe or prove?"),
    ],
)
def test_wrong_arguments(capsys, arguments, words):
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    message = capsys.readouterr().err
    assert words in message
    assert message.count("\n") == 1
    assert len(message) < 300


LONG = 20_000 * "x"


@pytest.mark.parametrize(
    "arguments",
    [
        [LONG], ["info", f"--{LONG}"], ["probe", LONG], ["probe", "8/" * 20_000], ["solve", LONG],
        ["probe", "--rules", "shatranj", LONG], ["probe", "--rules", "shatranj", f"{LONG} w"],
        ["probe", "--rules", "shatranj", f"{'8/' * 7}{LONG} w"],
        ["probe", "--rules", LONG, "8/8 w"],
        ["rules", LONG], ["info", LONG], ["info", f"{LONG}.h5"], ["build", f"K{'Q' * 20_000}K"],
        ["build", "--metric", LONG], ["build", "--memory", LONG], ["build", "--threads", LONG],
        ["find", "KRK", "--on", LONG], ["find", "KRK", "--result", LONG],
        ["find", "KRK", "--on", f"R={LONG}"], ["find", "KRK", "--plies", LONG],
        ["count", LONG], ["plan", LONG], ["info", "--sort", LONG], ["butterfly", "--sheet", LONG],
        ["solve", "8/8/8/8/8/2k5/1R6/K7", "--budget", LONG], ["serve", "--allow-host", f"/{LONG}"],
        ["solve", "8/8/8/8/8/2k5/1R6/K7", "--budget", f"{LONG}GB"], ["serve", "--solve", LONG],
        ["report", "--explorer", f"http:{LONG}"], ["publish", "site", "--base", LONG],
        ["audit", "KRK", "--prober", LONG, "x"], ["annotate", LONG], ["verify", "--sums", LONG],
    ],
    ids=lambda arguments: " ".join(one[:20] for one in arguments),
)  # fmt: skip
def test_messages_do_not_repeat_long_texts(capsys, tmp_path, monkeypatch, arguments):
    monkeypatch.chdir(tmp_path)
    try:
        code = main(arguments)
    except SystemExit as stopped:
        code = stopped.code
    assert code == 2
    message = capsys.readouterr().err
    assert message.count("\n") == 1
    assert len(message) < 600


@pytest.mark.parametrize("arguments", [["plan", "KRK"], ["count", "KRK"]])
def test_a_folder_that_a_command_has_no_use_for(capsys, arguments):
    with pytest.raises(SystemExit) as stopped:
        main(["--dir", "data", *arguments])
    assert stopped.value.code == 2
    assert f"`tablebase {arguments[0]}` does not use --dir" in capsys.readouterr().err


def test_alone_it_shows_its_help(capsys):
    code, _, message = run(capsys)
    assert code == 2
    assert message.startswith("usage: tablebase")


def subcommands():
    """Return the parser of every command, by name."""
    (commands,) = [action.choices for action in make_parser()._actions if action.choices]
    return commands


@pytest.mark.parametrize("name", subcommands())
def test_every_help_has_examples(name):
    shown = subcommands()[name].format_help()
    assert "positional" not in shown
    # What an example does stands beside it, or below it if there is no room.
    examples = re.sub(r"\n {6,}", "  ", shown.partition("examples:\n")[2]).splitlines()
    assert len(examples) > 1
    for example in examples:
        command, what = example.strip().split("  ", 1)
        assert make_parser().parse_args(shlex.split(command)[1:]).run
        assert what.strip()


def test_folders_are_searched_in_order(capsys, tmp_path, monkeypatch, folder):
    monkeypatch.chdir(tmp_path)
    code, output, _ = run(capsys, "--dir", "none", "probe", MATE_IN_16, "--dir", folder)
    assert (code, "16 moves" in output) == (0, True)
    monkeypatch.setenv("TABLEBASE_PATH", os.pathsep.join(["none", folder]))
    for arguments in (["probe", MATE_IN_16], ["info", "KRK"], ["info"], ["verify", "KRK"]):
        assert run(capsys, *arguments)[0] == 0
    assert run(capsys, "build", "KK")[0] == 0
    assert Path("none/KK.h5").exists()


def test_tables_that_come_with_the_program_answer_last(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TABLEBASE_PATH", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    assert "16 moves" in run(capsys, "probe", MATE_IN_16)[1]
    assert run(capsys, "probe", "--flag", "black", "8/8/8/8/8/1k6/p7/K7 b - - 0 1")[1]
    assert re.search(r"^KK, .*KPK.*: came with the program$", run(capsys, "info")[1], re.MULTILINE)
    assert " bytes, came with the program\n" in run(capsys, "info", "KRK")[1]
    missing = refusal(capsys, "probe", "8/8/8/8/8/2k5/1R6/KQ5r w - - 0 1")
    assert missing == "tablebase: no table of KQRKR: build it with `tablebase build KQRKR`\n"
    assert "[1/2]" in run(capsys, "build", "KRK")[2]  # they are not built
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "away"))
    with open_tablebase() as tables:
        assert tables.probe_dtm(chess.Board(MATE_IN_16)) == 31
    Path("empty").mkdir()
    for named in (["--dir", "empty"], []):  # who names a folder gets that folder alone
        monkeypatch.setenv("TABLEBASE_PATH", "" if named else "empty")
        assert "no table of KRK in empty" in refusal(capsys, "probe", MATE_IN_16, *named)


def test_builds_without_a_folder_go_to_the_user_s(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TABLEBASE_PATH", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    assert run(capsys, "build", "KK")[0] == 0
    assert (tmp_path / "home" / "chess-tablebase" / "KK.h5").exists()
    assert run(capsys, "info", "KK")[0] == 0


@pytest.mark.parametrize("command", ["info", "probe", "verify"])
def test_a_damaged_file(capsys, tmp_path, command):
    path = tmp_path / "KRK.h5"
    path.write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(1000))
    arguments = {"probe": [MATE_IN_16, "--dir", str(tmp_path)]}.get(command, [str(path)])
    assert "KRK.h5" in refusal(capsys, command, *arguments)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written(capsys, tmp_path):
    tmp_path.chmod(0o500)
    assert str(tmp_path) in refusal(capsys, "build", "KRK", "--dir", str(tmp_path))


def test_verify(capsys, folder):
    code, output, _ = run(capsys, "verify", "KRK", "--dir", folder)
    assert code == 0
    assert "KRK: OK, dtm and dtz of 51,044 positions, 0 differences" in output
    code, output, _ = run(capsys, "verify", "KRK", "--dir", folder, "--sample", "10")
    assert "KRK: OK, dtm and dtz of a sample of " in output
    code, output, _ = run(capsys, "verify", "KRK", "--dir", folder, "--json")
    assert json.loads(output)[0]["passed"]


def test_verify_goes_on_after_a_file_that_cannot_be_read(capsys, tmp_path, folder):
    damaged = tmp_path / "KPK.h5"
    damaged.write_bytes(b"no table")
    files = [str(damaged), f"{folder}/KK.h5"]
    code, output, message = run(capsys, "verify", *files)
    assert code == 2
    assert "KK: OK" in output
    assert message.count("\n") == 1
    assert str(damaged) in message
    code, output, _ = run(capsys, "verify", "--json", *files)
    assert code == 2
    assert [one["passed"] for one in json.loads(output)] == [False, True]
    assert str(damaged) in json.loads(output)[0]["problems"][0]


def test_sub_tables_may_lie_in_other_folders(capsys, tmp_path):
    shutil.copy("data/KPK.h5", tmp_path)
    path = str(tmp_path / "KPK.h5")
    assert "tablebase build" in refusal(capsys, "verify", path, "--dir", str(tmp_path))
    code, output, _ = run(capsys, "verify", path, "--dir", str(tmp_path), "--dir", "data")
    assert code == 0
    assert "KPK: OK" in output


def test_verify_finds_a_wrong_value(capsys, tmp_path, folder):
    from tablebase.core.storage.reading import read_table
    from tablebase.core.storage.writing import write_table
    from tablebase.core.tables.table import Table

    table = read_table(f"{folder}/KRK.h5")
    black = table.black.copy()
    slot = int((black == 10).argmax())
    black[slot] = 12
    write_table(Table(table.material, table.white, black), tmp_path / "KRK.h5")
    code, output, _ = run(capsys, "verify", "--dir", str(tmp_path), str(tmp_path / "KRK.h5"))
    assert code == 1
    assert "WRONG" in output


def test_errors_of_the_system_are_explained():
    assert explain(PermissionError(13, "Permission denied", "x")) == "x: Permission denied"
    assert explain(MemoryError()) == "out of memory"


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (KeyError("counts"), 70, "internal error, please report it: KeyError: 'counts'"),
        (RuntimeError("can't start new thread"), 2, "thread: a limit of memory or processes"),
        (MemoryError(), 2, "out of memory"),
        (KeyboardInterrupt(), 130, "tablebase: interrupted\n"),
    ],
)
def test_no_traceback_ever(capsys, monkeypatch, error, code, words):
    def fail(_):
        raise error

    monkeypatch.setattr("tablebase.count.command.run", fail)
    assert main(["count", "KRK"]) == code
    message = capsys.readouterr().err
    assert words in message
    assert message.count("\n") == 1
    monkeypatch.setenv("TABLEBASE_TRACEBACK", "1")
    if code == 70:
        with pytest.raises(KeyError):
            main(["count", "KRK"])


@pytest.mark.thorough
@pytest.mark.skipif(os.name != "posix", reason="closed by a POSIX shell")
@pytest.mark.parametrize(
    ("command", "code"),
    [
        slow("count KRK >&-", 0),
        ("count KRK >&- 2>&- <&-", 0),
        ("uci <&-", 0),
        slow("count KXK 2>&-", 2),
        ("count KRK >/dev/full", 2),
        ("count KXK 2>/dev/full", 2),
        ("count KRK | true", 0),
    ],
)
def test_streams_that_are_closed_or_full(command, code):
    if "/dev/full" in command and not Path("/dev/full").exists():
        pytest.skip("no /dev/full")
    result = subprocess.run(
        ["/bin/sh", "-c", f"{shlex.quote(sys.executable)} -m tablebase {command}"],
        check=False,
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
        cwd=ROOT,
    )
    assert result.returncode == code
    assert "Traceback" not in result.stderr
    assert "Exception ignored" not in result.stderr
    waiting = ("tablebase count: ", "tablebase uci: ")  # what commands say after two seconds
    assert sum(not line.startswith(waiting) for line in result.stderr.splitlines()) <= 1


@pytest.mark.skipif(os.name != "posix", reason="the shells of POSIX")
@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("tablebase ver", {"verify "}),
        ("tablebase info --dir data KRN", {"KRNK "}),
        ("tablebase build KRNK", {"KRNKB", "KRNKR", "KRNK"}),
        ("tablebase info --sort wh", {"white_win", "white_cursed"}),
    ],
)
def test_the_shell_completes(tmp_path, line, words):
    answer = tmp_path / "answer"
    completing = {
        "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_STDOUT_FILENAME": str(answer),
        "COMP_LINE": line,
        "COMP_POINT": str(len(line)),
    }
    subprocess.run(
        [sys.executable, "-m", "tablebase"], check=False, env=ENVIRONMENT | completing, cwd=ROOT
    )
    assert words <= set(answer.read_text().split("\013"))


@pytest.mark.thorough
def test_interruption(tmp_path):
    command = [sys.executable, "-m", "tablebase", "build", "KRNK", "--dir", str(tmp_path)]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT
    )
    while not list(tmp_path.glob("KK.h5")) and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, message = process.communicate(timeout=300)  # kernels may be compiling
    if process.returncode != 0:  # 0: it was faster
        assert process.returncode == 130
        assert message.splitlines()[-1] == (
            "tablebase: interrupted; run the same command again to resume"
        )
        assert "Traceback" not in message
    assert not list(tmp_path.glob(".*"))


@pytest.mark.thorough
def test_batch_script(capsys, tmp_path):
    log, tables = tmp_path / "log", tmp_path / "tables"
    assert run(capsys, "build", "KK", "--dir", str(tables))[0] == 0
    command = [sys.executable, SCRIPT, "KRK", "--dir", tables, "--log", log]
    subprocess.run(command, check=True, env=ENVIRONMENT)
    told = log.read_text()
    assert "1 of 1: KRK built in " in told
    assert told.count("KRK writing") == 1  # not once for each chunk
    assert "1 table built, 1 existed" in told
    result = subprocess.run(
        [sys.executable, SCRIPT, "KXK"], check=False, capture_output=True, env=ENVIRONMENT
    )
    assert result.returncode == 2
    assert b"KXK" in result.stderr


def test_annotate(capsys, tmp_path):
    path = tmp_path / "games.pgn"
    path.write_text(
        '[FEN "8/4k3/4P3/4K3/8/8/8/8 b - - 0 1"]\n\n1... Kd8 2. Kd6 Ke8 3. e7 *\n\n1. e4 e5 *\n'
    )
    code, output, message = run(capsys, "annotate", str(path), "--dir", str(ROOT / "data"))
    assert code == 0
    assert "1... Kd8 $2 { Loses in 10 moves (20 plies); Ke8 draws. [%eval #10] }" in output
    assert message == (
        "2 games, 5 of 8 positions known. White: no mistakes. Black: 1 mistake (lost the draw).\n"
    )
    assert "there is no file none.pgn" in refusal(capsys, "annotate", "none.pgn")
    lost = refusal(capsys, "annotate", "none/none.pgn")
    assert "there is no folder none" in lost


@pytest.mark.parametrize(
    ("game", "problem"),
    [
        ("1. e4 e5 2. Ke3 Nc6 *", "'Ke3' is not a legal move in "),
        ("1. e4 e5 2. Qxz9 Nf6", "'Qxz9' is not a move in rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/"),
        ("1. e4 e5 2. Qxz9", "'Qxz9' is not a move in "),
        ('[Event "B"]\n[FEN "?"]\n\n1. e4 *', "not a valid FEN: '?' has 1 rank, not 8"),
        ('[Event "B"]\n[FEN ""]\n\n1. e4 *', "not a valid FEN: it is empty"),
        ('[Event "B"]\n[Variant "nonsense"]\n\n1. e4 *', "'nonsense' is not a known variant"),
        ('[Event B]\n[White "C"]\n\n1. e4 *', "not a tag: [Event B]"),
        ("1. e4 $" + "9" * 5000, "'$9999999999999999999' is not a move in "),
    ],
)
def test_a_game_that_cannot_be_read_is_named_and_passed_on(capsys, tmp_path, game, problem):
    """The others are annotated."""
    path = tmp_path / "games.pgn"
    known = f'[FEN "{MATE_IN_16}"]\n\n1. Ka2 *'
    path.write_text(f"{known}\n\n{game}\n\n{known}\n")
    code, output, message = run(capsys, "annotate", str(path), "--dir", str(ROOT / "data"))
    assert code == 2
    assert f"tablebase: {path}: game 2: {problem}" in message
    assert message.endswith("\n3 games, 4 of 4 positions known. White: no mistakes. "
                            "Black: no mistakes.\n")  # fmt: skip
    assert message.count("\n") == 2
    assert output.count("[%eval #16]") == 2
    assert f"\n\n{game}\n\n" in output


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("hello this is not pgn\n", "game 1: neither a tag nor a move: 'hello' is not a move in"),
        (bytes(range(128, 256)).decode("latin-1"), "game 1: neither a tag nor a move: "),
        ("\0\0\0\1" * 50, "game 1: neither a tag nor a move"),
        ("*", "game 1: neither a tag nor a move"),
        ("", "there is no game in it"),
    ],
)
def test_what_is_no_game_is_refused(capsys, tmp_path, text, problem):
    path = tmp_path / "games.pgn"
    path.write_text(text, encoding="utf-8")
    code, output, message = run(capsys, "annotate", str(path), "--dir", str(ROOT / "data"))
    assert (code, output) == (2, "")
    assert message.startswith(f"tablebase: {path}: {problem}")
    assert message.count("\n") == 1


def test_what_an_annotation_raises_ends_no_other(capsys, tmp_path, monkeypatch):
    """Whatever it is, unless a file or the memory is at fault."""
    from tablebase.annotate import annotation

    annotate = annotation.annotate

    def failing(game, *arguments, **options):
        if game.headers["White"] == "B":
            raise reason
        return annotate(game, *arguments, **options)

    monkeypatch.setattr(annotation, "annotate", failing)
    path = tmp_path / "games.pgn"
    path.write_text("".join(f'[White "{name}"]\n\n1. e4 *\n\n' for name in "ABC"))
    reason = KeyError("nothing")
    code, output, message = run(capsys, "annotate", str(path), "--dir", str(ROOT / "data"))
    assert (code, output.count("1. e4 *")) == (2, 3)
    assert f"{path}: game 2: 'nothing'" in message
    reason = CorruptTableError("a damaged file")
    code, output, message = run(capsys, "annotate", str(path), "--dir", str(ROOT / "data"))
    assert (code, output.count("1. e4 *")) == (2, 1)
    assert message == "tablebase: a damaged file\n"


def test_annotate_counts_mistakes_by_what_they_lost(capsys, tmp_path):
    path = tmp_path / "games.pgn"
    path.write_text(
        '[FEN "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"]\n\n1. Rb1 Kd4 2. Rb3 Kc4 (2... Kd5) *\n\n'
        '[FEN "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"]\n\n1. Rc2+ Kxc2 *\n\n'
        '[FEN "7k/8/8/8/8/8/8/KBB5 w - - 0 1"]\n\n1. Bb2+ *\n'
    )
    _, _, message = run(capsys, "annotate", str(path), "--dir", str(ROOT / "data"))
    assert "White: 1 mistake (lost the win), 1 slow move. Black: no mistakes" in message
    assert "tablebase: no table of KBBK in " in message
    assert "build it with `tablebase build KBBK" in message
