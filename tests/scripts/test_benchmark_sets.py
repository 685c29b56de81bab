"""The build of a set is measured beside Prophet's, and kept; no time is asserted."""

import json
import subprocess

import figures
import measurement
import pytest

from scripts import benchmark_sets
from tablebase.core.index.numbering import slot_count
from tablebase.core.rules.material import all_materials

# Like Prophet's generator: folder, men, threads.
PROPHET = """#!/bin/sh
echo "working tb: 0 MiB"
mkdir -p "$1/3men/0pawns" && echo "$2 $3" > "$1/3men/0pawns/KQK.egtb"
"""


@pytest.fixture
def prophet(tmp_path):
    program = tmp_path / "gen_main.out"
    program.write_text(PROPHET)
    program.chmod(0o755)
    return program


@pytest.fixture
def results(tmp_path, monkeypatch):
    monkeypatch.setattr(measurement, "RESULTS", tmp_path / "results")
    return tmp_path / "results" / "sets.json"


@pytest.mark.programs
def test_a_set_is_measured_and_kept(prophet, results, capsys):
    few = ["--men", "3", "--threads", "1", "--prophet", str(prophet)]
    benchmark_sets.main([*few, "--json"])
    row = json.loads(capsys.readouterr().out)
    materials = [*all_materials(2), *all_materials(3)]
    assert row["tables"] == len(materials)
    assert row["slots"] == sum(2 * slot_count(material) for material in materials)
    assert row["stages"].keys() == {"reading sub-tables", "solving", "counting", "writing"}
    assert row["bytes"] > 10_000
    for one in (row, row["prophet"]):
        assert one["processor_seconds"] > 0
        assert one["wall_seconds"] > 0
        assert one["megabytes"] > 0
    assert row["prophet"]["bytes"] == len("1 1\n")
    benchmark_sets.main([*few, "--save"])
    benchmark_sets.main(["--men", "3", "--metric", "both", "--threads", "1", "--save"])
    kept = json.loads(results.read_text())["results"]
    assert list(kept) == ["3 men, dtm", "3 men, both"]
    assert kept["3 men, both"]["slots"] == 2 * row["slots"]
    page = figures.sets()
    assert page.count("| Prophet |") == 1
    assert page.count("| ours |") == 2


def test_a_program_that_fails_is_an_error(prophet):
    prophet.write_text("#!/bin/sh\nexit 3\n")
    with pytest.raises(subprocess.CalledProcessError, match="exit status 3"):
        benchmark_sets.use_of([prophet])


def test_other_metrics_than_prophets_are_refused(prophet, capsys):
    with pytest.raises(SystemExit, match="2"):
        benchmark_sets.main(["--metric", "both", "--prophet", str(prophet)])
    assert "use --metric dtm" in capsys.readouterr().err
