"""``tablebase solve``: what it prints, for people and for programs."""

import json

import pytest

from tablebase.cli.program import main

FAHRNI = "2k5/8/p1P5/P2K4/8/8/8/8 w - - 0 1"
KEYS = {"result", "proven", "moves", "structures", "planes", "seconds"}


def test_for_people(capsys, tmp_path):
    assert main(["solve", FAHRNI, "--budget", "10h,2GB", "--dir", str(tmp_path)]) == 0
    captured = capsys.readouterr()
    assert "White wins, proven" in captured.out
    assert "draw: c7" in captured.out
    assert "A winning plan:\n1. K" in captured.out
    assert "#" in captured.out
    assert "No table was used" in captured.out
    assert "can be reached" in captured.err


def test_for_programs(capsys, tmp_path):
    assert main(["solve", *FAHRNI.split(), "--moves", "--json", "--dir", str(tmp_path)]) == 0
    told = json.loads(capsys.readouterr().out)
    assert set(told) > KEYS
    assert (told["result"], told["proven"], told["stopped"]) == ("win", True, "")
    assert all(move["proven"] for move in told["moves"])
    assert set(told["moves"][0]) == {"uci", "san", "result", "proven", "distance"}
    assert told["distance_to"] is told["distance"] is None


def test_distances(capsys, tmp_path, monkeypatch):
    fen, where = "8/8/8/4k3/8/3K4/4P3/8 w", ["--budget", "10h,2GB", "--dir", str(tmp_path)]
    assert main(["solve", fen, "--distance", *where]) == 0
    shown = capsys.readouterr().out
    assert "White wins, proven: mate in 21 (41 plies)" in shown
    assert "win in 41 plies: Ke3" in shown
    assert "\nA winning plan:\n1. Ke3" in shown
    assert main(["solve", fen, "--distance", "--json", *where]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["distance"], told["distance_to"], told["distance_limit"]) == (41, "mate", "")
    assert (told["moves"][0]["san"], told["moves"][0]["distance"]) == ("Ke3", 41)
    assert len(told["plan"]) == 41
    monkeypatch.setattr("tablebase.solving.closure.PLANES_A_SECOND", 0)
    assert main(["solve", fen, "--distance", "--moves", *where]) == 0
    shown = capsys.readouterr().out
    assert "White wins, proven: 9 plies up to a conversion" in shown
    assert "not to mate: all that can be reached takes longer" in shown


def test_a_budget_that_is_spent(capsys, tmp_path):
    fen = "8/1p3kpp/8/8/8/1P6/P4KPP/8 w - - 0 1"
    assert main(["solve", fen, "--budget", "0.001s,1GB", "--dir", str(tmp_path)]) == 0
    assert "Not all is proven: the time is used up." in capsys.readouterr().out


def test_an_interruption_shows_what_is_known(capsys, tmp_path, monkeypatch):
    from tablebase.solving.solver import Solver

    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(Solver, "_flood", interrupt)
    assert main(["solve", FAHRNI, "--dir", str(tmp_path)]) == 130
    captured = capsys.readouterr()
    assert "White does not lose, proven; whether White wins is open" in captured.out
    assert "interrupted" in captured.err


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
    assert (told["fen"], told["structures"], told["promotions"]) == (FAHRNI, 76, "QN")
    assert main(["verify", "fahrni.region", "--sample", "50", *where]) == 0
    assert "fahrni.region: OK" in capsys.readouterr().out
    assert main(["verify", str(path), "--sample", "5", "--json", *where]) == 0
    assert json.loads(capsys.readouterr().out)[0]["passed"]
    path.write_bytes(path.read_bytes()[:2000])
    assert main(["verify", "fahrni.region", *where]) == 2
    assert "damaged" in capsys.readouterr().err


def test_what_is_saved_can_be_probed(capsys, tmp_path):
    where = ["--dir", str(tmp_path)]
    assert main(["solve", FAHRNI, "--moves", "--save", "fahrni", *where]) == 0
    capsys.readouterr()
    assert main(["probe", FAHRNI, *where]) == 0
    shown = capsys.readouterr().out
    assert "White wins, proven: 11 plies up to a conversion" in shown
    assert "draw: c7" in shown
    assert "win, conversion in 11 plies: Kc4 Kd4" in shown
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
    assert (told["conversion"], told["moves"][0]["conversion"]) == (11, 11)
    (tmp_path / "lines.txt").write_text(f"{FAHRNI}\n8/8/8/8/8/1k6/3PPPPP/K7 w - - 0 1\n")
    assert main(["probe", "--file", str(tmp_path / "lines.txt"), *where]) == 2
    rows = capsys.readouterr().out.splitlines()
    assert rows[1] == f"{FAHRNI},1,,,,"
    assert "not in" in rows[2]
