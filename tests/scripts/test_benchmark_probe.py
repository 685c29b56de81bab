"""The comparison runs, and compares what it says; no time is asserted."""

import json
from pathlib import Path

import numpy as np
import pytest
from support.oracle import GAVIOTA, NO_SYZYGY, SYZYGY

from scripts import benchmark_probe
from tablebase.core.answers.opening import open_tablebase
from tablebase.core.index.numbering import table_index
from tablebase.core.outcomes.codes import DRAW
from tablebase.core.rules.material import Material
from tablebase.core.storage.reading import read_table

ROOT = Path(__file__).parents[2]
FEW = ["--singles", "20", "--batch", "2000", "--repeats", "1", "--dir", str(ROOT / "data")]
FEW_MATERIALS = ("KRK", "KPK")


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Leave out what takes long: KRNK expanded has 16 million values."""
    monkeypatch.setattr(benchmark_probe, "LOOKUP_MATERIALS", FEW_MATERIALS)
    monkeypatch.setattr(benchmark_probe, "MEMORY_BATCHES", 1)


@pytest.mark.programs
def test_all_parts_are_measured(capsys):
    benchmark_probe.main([*FEW, "--json"])
    found = json.loads(capsys.readouterr().out)
    assert list(found) == [
        "memory",
        "opening",
        "many KRK",
        "many KRNK",
        "lookup KRK",
        "lookup KPK",
    ]
    lines = [line for part in found.values() for line in part]
    assert all(line["seconds"] > 0 for line in lines)
    for line in found["many KRK"][1:]:
        one_by_one = found["many KRK"][0]["seconds"]
        assert line["ratio"] == pytest.approx(one_by_one / line["seconds"])
    sizes = [line["note"] for line in found["lookup KRK"][:3]]
    assert sizes == ["29 KiB", "29 KiB", "256 KiB"]


@pytest.mark.skipif(not SYZYGY, reason=NO_SYZYGY)
def test_others_are_compared_where_their_tables_are(capsys):
    folders = ["--gaviota", str(GAVIOTA), "--syzygy", SYZYGY]
    benchmark_probe.main([*FEW, *folders])
    table = capsys.readouterr().out
    for what in ("KRK chess.gaviota probe_dtm", "KRK probe_dtm", "chess.syzygy dtz"):
        assert what in table


def test_ways_of_reading_agree():
    with open_tablebase(ROOT / "data") as tablebase:
        for material in map(Material.from_name, FEW_MATERIALS):
            index, codes = table_index(material), read_table(ROOT / f"data/{material}.h5").white
            squares = benchmark_probe.random_squares(tablebase, material, 5000, seed=1)
            results = [np.empty(len(squares), np.uint8) for _ in range(3)]
            benchmark_probe.read_reduced(index.tables, codes, squares, results[0])
            symmetries = np.array(index.symmetries)
            benchmark_probe.read_rotating(index.tables, codes, squares, symmetries, results[1])
            expanded = benchmark_probe.expanded_codes(tablebase, material)
            benchmark_probe.read_expanded(expanded, squares, results[2])
            plies, _ = tablebase.probe_dtm_many(squares, material, turn=True)
            assert (results[0] == results[1]).all()
            assert (results[0] == results[2]).all()
            assert (np.where(results[0] == DRAW, 0, results[0]) == np.abs(plies)).all()
