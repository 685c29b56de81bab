"""Readers are asked, what they say is kept, and it is on a page as it was kept."""

import json
import sys
from pathlib import Path
from shutil import which

import figures
import measurement
import pytest
import readers
from support.published import publish_tables_alone

DATA = Path(__file__).parents[2] / "data"
MOVES = ["c3c4", "c3d3", "c3d4"]
LINE = {
    "id": "rook-01", "kind": "rook", "fen": "8/8/8/8/8/2K5/1r6/k7 w - - 0 1", "men": 3,
    "needs": ["KRK"], "legal": MOVES, "wdl": "loss", "wdl50": "loss", "dtm": -32, "dtz": -32,
    "keeping": MOVES, "keeping_rule50": MOVES, "fastest_dtm": ["c3d4"], "fastest_dtz": ["c3d4"],
    "source": "own", "why": "The rook is defended.",
}  # fmt: skip


@pytest.mark.parametrize(("change", "code"), [({}, 0), ({"wdl": "draw"}, 1)])
def test_results_are_kept_and_shown(change, code, tmp_path, monkeypatch, capsys):
    suite = tmp_path / "positions.jsonl"
    suite.write_text(json.dumps(LINE | change) + "\n")
    monkeypatch.setattr(measurement, "RESULTS", tmp_path / "results")
    arguments = ["--suite", str(suite), "--dir", str(DATA), "--save"]
    if has_node := which("node"):
        address = publish_tables_alone(DATA, tmp_path / "published")
        arguments += ["--published", address]
    monkeypatch.setattr(sys, "argv", ["readers.py", *arguments])
    assert readers.main() == code
    assert "chess.syzygy, 5 tables, official: asked 1" in capsys.readouterr().out
    kept = measurement.load("conformance")["results"]
    assert len(kept) == 4 + bool(has_node)
    assert {(one["asked"], one["no_answer"]) for one in kept} == {(1, 0)}
    assert any(one["wrong"] for one in kept) == bool(code)
    shown = figures.conformance()
    assert shown.startswith("| reader | version | tables | asked |")
    wrong = [line.split("|")[6].strip() for line in shown.splitlines()[2:]]
    assert wrong == [str(one["wrong"]) for one in kept]


def test_what_is_missing_is_told(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["readers.py", "--suite", str(tmp_path / "none")])
    with pytest.raises(SystemExit) as ended:
        readers.main()
    assert ended.value.code == 2
    assert "--suite" in capsys.readouterr().err
