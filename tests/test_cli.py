"""Command line: what it prints, its exit codes, and one clear line for every error."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tablebase.cli import explain, main
from tablebase.material import Material

MATE_IN_16 = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"
ROOT = Path(__file__).parents[1]
SCRIPT = ROOT / "scripts" / "generate.py"
# Processes find the package even where it is not installed.
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    from tablebase.generate import generate

    folder = tmp_path_factory.mktemp("tables")
    generate([Material.from_name("KRK")], folder)
    return str(folder)


def run(capsys, *arguments):
    """Return exit code, output and errors of a command."""
    code = main(arguments)
    captured = capsys.readouterr()
    assert "Traceback" not in captured.err
    return code, captured.out, captured.err


def refusal(capsys, *arguments):
    """Return the one line that a refused command prints."""
    code, _, message = run(capsys, *arguments)
    assert code == 2
    assert message.count("\n") == 1
    return message


def test_help_needs_no_library():
    code = "import sys; from tablebase.cli import make_parser; make_parser(); print(*sys.modules)"
    result = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    )
    assert not set(result.stdout.split()) & {"numba", "numpy", "h5py", "chess", "rich"}


def test_help_is_fast():
    started = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "tablebase", "--help"],
        check=True,
        capture_output=True,
        env=ENVIRONMENT,
    )
    assert time.perf_counter() - started < 2  # a tenth of that on an idle machine


def test_build_and_build_again(capsys, tmp_path):
    directory = str(tmp_path / "new" / "folder")
    code, output, _ = run(capsys, "build", "KvKR", "--dir", directory)
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


def test_probe(capsys, folder):
    code, output, _ = run(capsys, "probe", MATE_IN_16, "--dir", folder)
    assert code == 0
    assert "White wins: mate in 16 moves (31 plies)" in output
    assert "1 K . . . . . . ." in output
    beside_the_board = " ".join(" ".join(row[22:] for row in output.splitlines()).split())
    assert "win 16 31 Ka2 Kb1 Ra2 Rb1 Rb7 Rb8 Rg2 Rh2 win 17 33 Rb5" in beside_the_board
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


@pytest.mark.parametrize(
    ("fen", "words"),
    [
        ("k7/2K5/8/8/8/8/8/R7 b - - 0 1", "Black is checkmated"),
        ("k7/8/1K6/8/8/8/8/8 w - - 0 1", "Draw"),
        ("8/8/8/8/8/1r6/2K5/k7 w - - 0 1", "Draw"),
        ("8/8/8/8/8/2K5/1r6/k7 b - - 0 1", "Black wins: mate in 16 moves (31 plies)"),
        ("k7/8/1K6/8/8/8/8/7R w - - 0 1", "White wins: mate in 1 move (1 ply)"),
    ],
)
def test_results_in_words(capsys, folder, fen, words):
    code, output, _ = run(capsys, "probe", fen, "--dir", folder)
    assert code == 0
    assert words in output


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
    assert output.count("agrees") == 2
    code, output, _ = run(capsys, "count", "KRK", "--json")
    counted = json.loads(output)[0]
    assert counted["all_placements"]["inequivalent"] == 28056
    assert counted["formula_fixed"]["a8-h1 diagonal"] == 252


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["build", "KXK"], "KXK"),
        (["build", "KRRKRR"], "KRRKRR"),
        (["build", "KRK", "--memory", "1M", "--force"], "--memory"),
        (["build", "KRK", "--dir", "/proc/none"], "/proc/none"),
        (["probe", "xyz"], "xyz"),
        (["probe", "8/8/8/8/8/2k5/1Q6/K7 w KQ - 0 1"], "castling"),
        (["probe", "8/8/8/8/8/8/8/8 w - - 0 1"], "king"),
        (["probe", "8/8/8/5k2/8/8/1Q6/K7 w - - 0 1"], "KQK"),
        (["info", "KQK"], "tablebase build KQK"),
        (["info", "none/KQK.h5"], "KQK.h5"),
        (["info", "KX"], "KX"),
        (["count", "KRRKRR"], "KRRKRR"),
        (["verify", "KQK"], "KQK"),
        (["info", "--dir", "none"], "none"),
    ],
)
def test_one_line_for_every_error(capsys, tmp_path, monkeypatch, arguments, named):
    monkeypatch.chdir(tmp_path)
    assert named in refusal(capsys, *arguments)


@pytest.mark.parametrize("arguments", [["build", "--men", "6"], ["build", "--memory", "x"], []])
def test_wrong_arguments(capsys, arguments):
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    assert "usage" in capsys.readouterr().err


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
    assert "KRK: right" in output
    code, output, _ = run(capsys, "verify", "KRK", "--dir", folder, "--json")
    assert json.loads(output)[0]["passed"]


def test_verify_finds_a_wrong_value(capsys, tmp_path, folder):
    from tablebase.storage import read_table
    from tablebase.table import Table
    from tablebase.writing import write_table

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
    assert explain(MemoryError()) == "MemoryError"


def test_interruption(tmp_path):
    command = [sys.executable, "-m", "tablebase", "build", "KRNK", "--dir", str(tmp_path)]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT
    )
    while not list(tmp_path.glob("KK.h5")) and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, message = process.communicate(timeout=60)
    if process.returncode != 0:  # 0: it was faster
        assert process.returncode == 130
        assert message.splitlines()[-1] == "tablebase: interrupted; the same command goes on"
        assert "Traceback" not in message
    assert not list(tmp_path.glob(".*"))


def test_batch_script(tmp_path):
    log = tmp_path / "log"
    command = [sys.executable, SCRIPT, "KRK", "--dir", tmp_path / "tables", "--log", log]
    for state in ("built in", "was there"):
        subprocess.run(command, check=True, env=ENVIRONMENT)
        assert f"KRK {state}" in log.read_text()
    result = subprocess.run(
        [sys.executable, SCRIPT, "KXK"], check=False, capture_output=True, env=ENVIRONMENT
    )
    assert result.returncode == 2
    assert b"KXK" in result.stderr
