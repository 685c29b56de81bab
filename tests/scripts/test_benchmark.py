"""The comparison of generation runs, and names what it measures; no time is asserted."""

import json
import sys

import measurement
import numpy as np
import pytest

from scripts import benchmark
from tablebase.core.building import estimate
from tablebase.core.engine.driver import solve
from tablebase.core.index.numbering import table_index
from tablebase.core.rules.material import Material

PEER = """#!/bin/sh
echo "$0 $@" >> {log}
case "$4" in *Q*) echo "Missing table: KQvK"; exit 0;; *B*) exit 1;; esac
"""


def run(monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["benchmark.py", "generate", "--repeat", "1", *arguments])
    benchmark.main()


@pytest.fixture
def peer(tmp_path):
    """Make two generators that only note how they are called."""
    for name in ("rtbgen", "rtbgenp", "atbgen"):
        program = tmp_path / name
        program.write_text(PEER.format(log=tmp_path / "log"))
        program.chmod(0o755)
    return tmp_path


@pytest.mark.thorough
def test_generation_is_measured(monkeypatch, capsys, peer):
    run(monkeypatch, "krk", "KPK", "--threads", "2", "--peer", str(peer), "--json")
    rows = json.loads(capsys.readouterr().out)
    assert [row["material"] for row in rows] == ["KRK", "KPK"]
    assert [row["plies"] for row in rows] == [32, 56]
    for row in rows:
        assert row["positions"] == 2 * table_index(Material.from_name(row["material"])).size
        assert row["positions_per_second"] * row["seconds"] == pytest.approx(row["positions"])
        assert row["times_lower_bound"] > 1
        assert row["peak_megabytes"] >= row["peak_before_megabytes"] > 0
        assert row["peer_seconds"] > 0
    calls = [line.split()[0:5] for line in (peer / "log").read_text().splitlines()]
    assert [call[0].rpartition("/")[2] for call in calls] == ["rtbgen", "rtbgenp"]
    assert [call[1:] for call in calls] == [["-g", "-t", "2", "KRvK"], ["-g", "-t", "2", "KPvK"]]


@pytest.mark.thorough
def test_other_games_have_their_peer(monkeypatch, capsys, peer):
    run(monkeypatch, "KRK", "--rules", "atomic", "--peer", str(peer), "--json")
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["plies"], row["peer_seconds"] > 0) == (0, True)  # nobody can win
    assert "atbgen -g" in (peer / "log").read_text()


@pytest.mark.slow
def test_figures_are_kept(monkeypatch, tmp_path):
    monkeypatch.setattr(measurement, "RESULTS", tmp_path)
    run(monkeypatch, "KRK", "--save")
    (row,) = measurement.load("generate")["results"]
    assert row["material"] == "KRK"


def test_a_peer_that_fails_has_no_time(peer):
    assert benchmark.peer_seconds(peer, "KRK", "chess", 1) is not None
    assert benchmark.peer_seconds(peer, "KQK", "chess", 1) is None
    assert benchmark.peer_seconds(peer, "KBK", "chess", 1) is None


@pytest.mark.slow
def test_the_table_has_a_row_for_each_material(monkeypatch, capsys):
    run(monkeypatch, "KRK")
    table = capsys.readouterr().out
    for heading in ("material", "x copy", "peak MB", "KRK"):
        assert heading in table


def test_what_is_left_out_of_sub_tables_is_not_needed(monkeypatch):
    monkeypatch.setattr(estimate, "MAX_KEPT_MEN", 2)
    material = Material.from_name("KPKP")
    tables = benchmark.solve_sub_tables(material, 1)
    expected = solve(material, tables, threads=1)
    whole = dict(tables)
    parts = benchmark.needed_parts(material, tables)
    assert not tables
    queen = Material.from_name("KQKP")
    white, black = parts[queen].codes
    # White has just promoted, so Black is to move and the queen on the last rank.
    assert white is None
    assert 0 < np.count_nonzero(black) < np.count_nonzero(whole[queen].codes[1]) / 2
    found = solve(material, parts, threads=1)
    assert all(map(np.array_equal, found.codes, expected.codes))
