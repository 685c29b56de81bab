"""The figures of README and docs are those of the latest measurements."""

import subprocess
import sys
from pathlib import Path

import figures
import measurement
import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("page", figures.PAGES, ids=lambda page: page.stem)
def test_a_page_has_the_figures_of_now(page):
    text = page.read_text(encoding="utf-8")
    assert figures.filled(text) == text, "run `python scripts/figures.py --write`"


def test_all_figures_are_on_some_page():
    text = "".join(page.read_text(encoding="utf-8") for page in figures.PAGES)
    used = {block["name"] for block in figures.BLOCK.finditer(text)}
    assert used == set(figures.FIGURES)
    assert text.count("<!-- figures: ") == len(list(figures.BLOCK.finditer(text)))


def test_a_page_that_differs_is_named_and_mended(tmp_path, monkeypatch, capsys):
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- figures: rotation -->\nold\n<!-- end of figures -->\nafter\n")
    monkeypatch.setattr(figures, "PAGES", (page,))
    monkeypatch.setattr(figures, "ROOT", tmp_path)
    for option, code, what in (
        ("--check", 1, "--write"),
        ("--write", 0, "written"),
        ("--check", 0, ""),
    ):
        monkeypatch.setattr(sys, "argv", ["figures.py", option])
        assert figures.main() == code
        assert what in capsys.readouterr().out
    before, *_, after = page.read_text().splitlines()
    assert (before, after) == ("before", "after")
    assert "\nold\n" not in page.read_text()


def test_what_is_saved_is_loaded_with_its_machine(tmp_path, monkeypatch):
    monkeypatch.setattr(measurement, "RESULTS", tmp_path / "results")
    measurement.save("some", [{"seconds": 1.5}])
    found = measurement.load("some")
    assert found["results"] == [{"seconds": 1.5}]
    assert set(found) == {"machine", "date", "python", "versions", "results"}
    assert {"chess-tablebase", "numba", "numpy"} <= set(found["versions"])


def test_it_runs_as_a_script():
    command = [sys.executable, ROOT / "scripts" / "figures.py"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "--write" in done.stderr
