"""The comparison runs, and compares what it says; no time is asserted."""

import json
import shutil
from pathlib import Path

import measurement
import pytest
from support.oracle import GAVIOTA, NO_SYZYGY, SYZYGY
from support.variants import CHECKS

from scripts import benchmark_probe
from tablebase.core.building.generator import generate
from tablebase.core.rules.material import Material

ROOT = Path(__file__).parents[2]
FEW = ["--singles", "20", "--batch", "2000", "--repeats", "1", "--dir", str(ROOT / "data")]


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Leave out what takes long."""
    monkeypatch.setattr(benchmark_probe, "MEMORY_BATCHES", 1)


@pytest.mark.thorough
def test_all_parts_are_measured(capsys):
    benchmark_probe.main([*FEW, "--json"])
    found = json.loads(capsys.readouterr().out)
    assert list(found) == [
        "memory",
        "opening",
        "many KRK",
        "many KRNK",
        "chess",
    ]
    lines = [line for part in found.values() for line in part]
    assert all(line["seconds"] > 0 for line in lines)
    for line in found["many KRK"][1:]:
        one_by_one = found["many KRK"][0]["seconds"]
        assert line["ratio"] == pytest.approx(one_by_one / line["seconds"])


@pytest.mark.thorough
def test_games_are_measured_beside_chess(tmp_path, monkeypatch):
    monkeypatch.setattr(measurement, "RESULTS", tmp_path / "results")
    shutil.copy(ROOT / "data" / "KRK.h5", tmp_path)
    generate([Material.from_name("KRK", CHECKS)], tmp_path)
    benchmark_probe.main([*FEW, "--dir", str(tmp_path), "--games", "--save"])
    found = measurement.load("probe_games")["results"]
    ways = ["arrays", "FENs", "boards one by one", "setups one by one", "FENs written"]
    assert {game: [line["what"] for line in lines] for game, lines in found.items()} == {
        "chess": [way for way in ways if "setups" not in way],
        "3check": ways,
    }
    assert all(line["seconds"] > 0 for lines in found.values() for line in lines)


@pytest.mark.skipif(not SYZYGY, reason=NO_SYZYGY)
def test_others_are_compared_where_their_tables_are(capsys):
    folders = ["--gaviota", str(GAVIOTA), "--syzygy", SYZYGY]
    benchmark_probe.main([*FEW, *folders])
    table = capsys.readouterr().out
    for what in ("KRK chess.gaviota probe_dtm", "KRK probe_dtm", "chess.syzygy dtz"):
        assert what in table
