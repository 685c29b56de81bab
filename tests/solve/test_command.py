"""``tablebase solve``: what it prints, for people and for programs."""

import json
import re
import shlex
from pathlib import Path

import chess
import h5py
import numpy as np
import pytest

from tablebase.cli.program import main
from tablebase.solve import answers, proofs
from tablebase.solve.answers import solve_position
from tablebase.solve.command import _progress_words, headline, line_end
from tablebase.solve.region_file import FORMAT

FAHRNI = "2k5/8/p1P5/P2K4/8/8/8/8 w - - 0 1"
KEYS = {"result", "proven", "moves", "structures", "planes", "seconds"}


@pytest.mark.thorough
def test_for_people(capsys, tmp_path):
    assert main(["solve", FAHRNI, "--budget", "10h,2GB", "--dir", str(tmp_path)]) == 0
    captured = capsys.readouterr()
    assert "White to move\n7 . . . . . . . .     White wins.\n" in captured.out
    assert "draw: c7" in captured.out
    plan, closing = captured.out.split("\n\n")[1:]
    assert plan.startswith("1. K")
    assert plan.endswith("#")
    assert re.match(r"Proven in [\d.]+ s \(no tables used\)\. Castling and", closing)
    assert "structure" not in captured.out + captured.err


@pytest.mark.thorough
def test_verbose_tells_how_much_was_solved(capsys, tmp_path):
    assert main(["solve", FAHRNI, "--verbose", "--dir", str(tmp_path)]) == 0
    captured = capsys.readouterr()
    assert "Reachable with up to 1 piece: 96 structures, " in captured.err
    assert "Solved: 74 structures of pawns and pieces, 1,712 placements" in captured.out


@pytest.mark.parametrize(
    ("fen", "words"),
    [
        ("8/8/8/6k1/8/8/1P4K1/8 w - - 0 1", "White wins. Only Kg3 wins."),
        ("8/k7/8/1PK5/8/8/8/8 b - - 0 1", "Draw. Only Kb7 draws."),
        ("8/1k6/8/1PK5/8/8/8/8 b - - 0 1", "Draw. Only Kc7 draws."),
        ("8/8/8/8/8/k7/p7/K7 w - - 0 1", "Stalemate: draw."),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "Stalemate: draw."),
        ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "Black is checkmated."),
        ("8/8/8/3pK3/2kP4/8/8/8 w - - 0 1", "Black wins."),
    ],
)
def test_the_only_move_is_named_if_the_others_are_proven_worse(fen, words):
    board = chess.Board(fen)
    assert headline(board, solve_position(board, moves=True)) == words


@pytest.mark.parametrize(
    ("fen", "moves", "words"),
    [
        ("7k/8/6K1/8/8/8/8/R7 w - - 0 1", "a1a8", ""),
        (
            "7k/8/8/6K1/8/8/8/5R2 w - - 0 1",
            "g5h6 h8g8 f1f7 g8h8 f7f1",
            ", and the position repeats.",
        ),
        ("7k/8/8/6K1/8/8/5p2/5R2 w - - 0 1", "f1f2", ", and so on."),
        ("7k/8/8/8/8/8/1p6/K7 w - - 0 1", "a1b2", ", and neither side can mate."),
        ("8/8/8/8/8/1k6/p7/K6P w - - 0 1", "", ", and so on."),
        ("8/8/8/8/8/2k5/p7/K7 b - - 0 1", "c3b3", ", stalemate."),
    ],
)
def test_a_line_says_how_it_ends(fen, moves, words):
    assert line_end(chess.Board(fen), list(map(chess.Move.from_uci, moves.split()))) == words


def test_for_programs(capsys, tmp_path):
    assert main(["solve", *FAHRNI.split(), "--moves", "--json", "--dir", str(tmp_path)]) == 0
    told = json.loads(capsys.readouterr().out)
    assert set(told) > KEYS
    assert (told["result"], told["proven"], told["stopped"]) == ("win", True, "")
    assert all(move["proven"] for move in told["moves"])
    assert set(told["moves"][0]) == {"uci", "san", "result", "proven", "dtz_without_rule50"}
    assert (told["dtz_without_rule50"], told["moves"][0]["dtz_without_rule50"]) == (11, 11)


def test_a_draw_has_a_line(capsys, tmp_path):
    assert main(["solve", "7K/8/k1P5/7p/8/8/8/8 w", "--dir", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert "Draw. Only Kg7 draws." in shown
    assert "\n\n1. Kg7 " in shown
    assert ", and so on.\n\nProven in " in shown


def test_a_budget_that_is_spent(capsys, tmp_path):
    fen = "8/1p3kpp/8/8/8/1P6/P4KPP/8 w - - 0 1"
    assert main(["solve", fen, "--budget", "0.001s,1GB", "--dir", str(tmp_path)]) == 0
    words = r"Stopped after [\d.]+ s: the time is used up, a larger --budget may prove more\."
    assert re.search(words, capsys.readouterr().out)


def test_an_interruption_shows_what_is_known(capsys, tmp_path, monkeypatch):
    from tablebase.solve.solver import Solver

    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(Solver, "_flood", interrupt)
    assert main(["solve", FAHRNI, "--dir", str(tmp_path)]) == 130
    captured = capsys.readouterr()
    assert "White does not lose. Whether White wins is open." in captured.out
    assert "interrupted: the results above are proven" in captured.err


# Fool's mate has castling rights and 32 men; the last one is a stalemate of four queens.
OVER = [
    ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "draw", "Stalemate: draw."),
    ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "loss", "Black is checkmated."),
    (
        "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3",
        "loss",
        "White is checkmated.",
    ),
    ("5qq1/7q/8/8/8/1q6/8/K1k5 w - - 0 1", "draw", "Stalemate: draw."),
]


@pytest.mark.parametrize("directory", ["data", "none"])
@pytest.mark.parametrize(("fen", "result", "words"), OVER)
def test_the_end_of_the_game_is_seen(capsys, fen, result, words, directory):
    where = ["--dir", directory]
    assert main(["solve", fen, "--verbose", *where]) == 0
    shown = capsys.readouterr().out
    assert words in shown
    assert "(no tables used)" in shown
    assert main(["solve", fen, "--moves", "--json", *where]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["result"], told["proven"], told["stopped"]) == (result, True, "")
    assert (told["moves"], told["plan"], told["dtz_without_rule50"]) == ([], [], 0)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"], "14 pieces"),
        (["4k3/8/8/8/8/8/8/4K2R w K - 0 1"], "castling"),
        (["8/8/8/8/8/8/1k6/K7 w - - 0 1"], "illegal"),
        (["xyz"], "xyz"),
        ([FAHRNI, "--budget", "soon"], "write a time like 10m"),
        ([FAHRNI, "--budget", "1MB"], "too little memory"),
    ],
)
def test_one_line_for_every_error(capsys, arguments, named):
    assert main(["solve", *arguments]) == 2
    message = capsys.readouterr().err
    assert named in message
    assert message.count("\n") == 1


def test_what_is_saved_is_listed_and_checked(capsys, tmp_path):
    where = ["--dir", str(tmp_path)]
    assert main(["solve", FAHRNI, "--save", "fahrni", *where]) == 0
    path = tmp_path / "fahrni.region"
    assert path.exists()
    capsys.readouterr()
    assert main(["info", *where]) == 0
    assert "fahrni.region" in capsys.readouterr().out
    assert main(["info", "fahrni.region", "--json", *where]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["fen"], told["structures"], told["promotions"]) == (FAHRNI, 74, "QN")
    assert main(["verify", "fahrni.region", "--sample", "50", *where]) == 0
    assert "fahrni.region: OK" in capsys.readouterr().out
    assert main(["verify", str(path), "--sample", "5", "--json", *where]) == 0
    assert json.loads(capsys.readouterr().out)[0]["passed"]
    path.rename(tmp_path / "\x1b[2J[bold]fahrni.region")
    path.write_bytes((tmp_path / "\x1b[2J[bold]fahrni.region").read_bytes()[:2000])
    assert main(["verify", "fahrni.region", *where]) == 2
    assert "damaged" in capsys.readouterr().err
    assert main(["info", *where]) == 2
    captured = capsys.readouterr()
    assert r"\x1b[2J[bold]fahrni.region" in captured.out  # whatever else lies there
    assert "\x1b" not in captured.out
    assert "fahrni.region is damaged" in captured.err
    assert main(["info", "fahrni.region", "--json", *where]) == 2
    assert capsys.readouterr().out == ""


def test_no_text_of_a_file_orders_the_terminal(capsys, tmp_path):
    """Neither attributes that anybody may have written, nor names of files."""
    for path in (tmp_path / "KRK.h5", tmp_path / "a\x1b[2J.region"):
        with h5py.File(path, "w") as file:
            for name in ("format", "material", "tables", "fen"):
                file.attrs[name] = "\x1b[31mred"
            file.attrs["format"] = FORMAT if path.suffix == ".region" else "chess-tablebase"
            file.attrs["format_version"] = "\x1b[31mred\x07\x9b"
    for command in ("info", "verify"):
        for name in ("KRK", str(tmp_path / "a\x1b[2J.region")):
            assert main([command, name, "--dir", str(tmp_path)]) == 2
            captured = capsys.readouterr()
            assert captured.out == ""
            assert captured.err.count("\n") == 1
            assert captured.err[:-1].isprintable()


@pytest.mark.thorough
def test_what_is_saved_can_be_probed(capsys, tmp_path):
    where = ["--dir", str(tmp_path)]
    assert main(["solve", FAHRNI, "--moves", "--save", "fahrni", *where]) == 0
    capsys.readouterr()
    assert main(["probe", FAHRNI, *where]) == 0
    shown = capsys.readouterr().out
    assert "White wins, proven: DTZ 11 plies without the 50-move rule" in shown
    assert "draw: c7" in shown
    assert "win, DTZ 11 plies without the 50-move rule: Kc4 Kd4" in shown
    assert main(["probe", FAHRNI, "--line", *where]) == 0
    shown = capsys.readouterr().out
    assert "1. Kc4" in shown
    assert shown.endswith("#\n")
    assert main(["probe", FAHRNI, "--json", *where]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["result"], told["wdl"], told["dtm_plies"]) == ("win", 1, None)
    moves = {move["san"]: (move["wdl"], move["category"]) for move in told["moves"]}
    assert moves["c7"] == (0, "draw")
    assert moves["Kd4"] == (1, "unknown")
    assert (told["dtz_without_rule50"], told["moves"][0]["dtz_without_rule50"]) == (11, 11)
    (tmp_path / "lines.txt").write_text(f"{FAHRNI}\n8/8/8/8/8/1k6/3PPPPP/K7 w - - 0 1\n")
    assert main(["probe", "--file", str(tmp_path / "lines.txt"), *where]) == 2
    rows = capsys.readouterr().out.splitlines()
    assert rows[1] == f"{FAHRNI},1,,,,"
    assert "not in" in rows[2]


TREBUCHET = "8/8/8/3pK3/2kP4/8/8/8 w - - 0 1"


@pytest.fixture
def tables_of_three(tmp_path):
    """Return a folder with tables that a pawn's promotion leads to."""
    folder = tmp_path / "tables"
    folder.mkdir()
    for name in ("KK", "KQK", "KPK"):
        (folder / f"{name}.h5").symlink_to(Path("data", f"{name}.h5").resolve())
    return str(folder)


@pytest.mark.thorough
def test_a_proof_is_written_and_said_so(capsys, tmp_path, tables_of_three):
    path = tmp_path / "a.proof"
    assert main(["solve", TREBUCHET, "--proof", str(path), "--dir", tables_of_three]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    words = r"proves this in [\d,]+ positions, given the tables that [\d,]+ exits lead to: K"
    assert re.match(re.escape(str(path)) + " " + words, last)
    with np.load(path) as file:
        assert len(file["exits/turns"])


def test_a_complete_proof_uses_no_tables(capsys, tmp_path, tables_of_three):
    path = tmp_path / "a.proof"
    arguments = ["--proof", str(path), "--complete", "--json", "--dir", tables_of_three]
    assert main(["solve", TREBUCHET, *arguments]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["proof"]["exits"], told["proof"]["tables"], told["tables"]) == (0, [], [])
    with np.load(path) as file:
        assert told["proof"]["positions"] == len(file["black_wins/moves"])


def test_without_a_proof_there_is_no_such_field(capsys, tmp_path):
    assert main(["solve", TREBUCHET, "--json", "--dir", str(tmp_path)]) == 0
    assert "proof" not in json.loads(capsys.readouterr().out)


def test_no_proof_of_nothing(capsys, tmp_path):
    path = tmp_path / "a.proof"
    fen = "8/1p3kpp/8/8/8/1P6/P4KPP/8 w - - 0 1"
    arguments = ["--budget", "0.001s,1GB", "--dir", str(tmp_path), "--proof", str(path)]
    assert main(["solve", fen, *arguments]) == 2
    captured = capsys.readouterr()
    assert "the time is used up" in captured.out
    assert captured.err.endswith(
        "nothing is proven yet, so there is no proof to write: give a larger --budget\n"
    )
    assert not path.exists()


def test_a_proof_that_cannot_be_written_is_refused_at_once(capsys, tmp_path):
    path = tmp_path / "no folder" / "a.proof"
    assert main(["solve", TREBUCHET, "--proof", str(path), "--dir", str(tmp_path)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == f"tablebase: there is no folder {path.parent}\n"


def test_the_result_is_printed_before_the_proof_is_made(capsys, tmp_path, monkeypatch):
    printed, write = [], answers.write_proof

    def note(*given):
        printed.append(capsys.readouterr().out)
        write(*given)

    monkeypatch.setattr(answers, "write_proof", note)
    path = tmp_path / "a.proof"
    assert main(["solve", TREBUCHET, "--proof", str(path), "--dir", str(tmp_path)]) == 0
    assert "Black wins." in printed[0]
    assert "Proven in " in printed[0]
    rest = capsys.readouterr().out
    assert rest.startswith(f"{path} proves this in ")
    assert rest.count("\n") == 1


def test_a_proof_that_does_not_fit_leaves_the_result(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(proofs, "BYTES_A_POSITION", 10**9)
    path = tmp_path / "a.proof"
    assert main(["solve", TREBUCHET, "--proof", str(path), "--dir", str(tmp_path)]) == 2
    captured = capsys.readouterr()
    assert "Black wins." in captured.out
    assert re.fullmatch(
        r"tablebase: the proof is not written: the memory is used up after \d+ positions? of it; "
        r"a larger --budget, or tables with more pieces \(without --complete\), may be enough",
        captured.err.splitlines()[-1],
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("as_json", [False, True])
def test_an_interrupted_proof_leaves_the_result(capsys, tmp_path, monkeypatch, as_json):
    def interrupt(file, **_):
        file.write(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr(np, "savez_compressed", interrupt)
    arguments = ["--proof", str(tmp_path / "a.proof"), "--dir", str(tmp_path)]
    arguments += ["--json"] * as_json
    assert main(["solve", TREBUCHET, *arguments]) == 130
    captured = capsys.readouterr()
    if as_json:
        told = json.loads(captured.out)
        assert (told["result"], told["stopped"], "proof" in told) == ("loss", "interrupted", False)
    else:
        assert captured.out.count("Black wins.") == captured.out.count("Proven in ") == 1
    assert captured.err.endswith("results above are proven, but no proof was written\n")
    assert list(tmp_path.iterdir()) == []


def test_the_progress_of_a_proof_is_told(tmp_path):
    told = []
    board = chess.Board(TREBUCHET)
    solution = solve_position(board, "1h,2GB", proof=tmp_path / "a.proof", progress=told.append)
    sizes = [one.proof for one in told if one.proof]
    assert len(sizes) > 1
    assert {one.claim for one in sizes} == {"loss"}
    assert sizes[0].positions < sizes[-1].positions <= solution.proof.positions
    first = next(one for one in told if one.proof)
    assert (first.result, first.plan) == (solution.result, solution.plan)
    assert "loss, proof of 1,289 positions" in _progress_words(solution)


def test_the_first_example_of_the_documentation(capsys, tmp_path, monkeypatch):
    page = Path("docs/solve.md").read_text(encoding="utf-8")
    command = re.search(r"^tablebase (solve .*fahrni.proof.*)$", page, re.MULTILINE)
    monkeypatch.chdir(tmp_path)
    assert main(shlex.split(command[1])) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert f'ends with "{last}"' in page
    positions = re.search(r"[\d,]+ positions", last)[0]
    assert f"\n{positions} checked, 0 exits" in page
