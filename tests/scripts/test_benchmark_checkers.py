"""The times of the checkers in examples/ come from running them."""

import sys
from pathlib import Path
from shutil import copy, which

import measurement
import pytest

from scripts import benchmark_checkers

DATA = Path(__file__).parents[2] / "data"


def test_positions_and_processor_time_are_of_the_command():
    program = "print('a.h5: 12 positions, dtm right', 'b.h5: 30 positions, dtm right', sep='\\n')"
    found = benchmark_checkers.measured("some", "two files", [sys.executable, "-c", program])
    assert isinstance(found["seconds"], float)
    assert (found["program"], found["what"], found["positions"]) == ("some", "two files", 42)


@pytest.mark.skipif(which("cc") is None, reason="needs a compiler of C named cc")
def test_all_ways_are_measured(tmp_path, monkeypatch, capsys):
    copy(DATA / "KK.h5", tmp_path)
    copy(DATA / "KNK.h5", tmp_path)
    (tmp_path / "KRK.h5").symlink_to(tmp_path / "KK.h5")  # a whole one takes long
    monkeypatch.setattr(measurement, "RESULTS", tmp_path)
    monkeypatch.setattr(benchmark_checkers, "SAMPLE", 20)
    copied = benchmark_checkers.measured

    def measured(program, what, command):
        """Measure with the tables that are whole."""
        left = [one for one in command if Path(one).name != "KRK.h5"]
        return copied(program, what, left if "KRK" not in what else [*left, tmp_path / "KK.h5"])

    monkeypatch.setattr(benchmark_checkers, "measured", measured)
    monkeypatch.setattr(sys, "argv", ["benchmark_checkers.py", str(tmp_path), "--save"])
    try:
        benchmark_checkers.main()
    except benchmark_checkers.subprocess.CalledProcessError:
        pytest.skip("needs zlib.h")
    rows = measurement.load("checkers")["results"]
    assert [one["program"] for one in rows] == ["check_table.py", "check_table.py", "check_table.c"]
    assert rows[0]["positions"] == 462
    assert rows[1]["positions"] == 40
    assert rows[2]["positions"] > 26_000
    assert capsys.readouterr().out.count(" positions, ") == 3
