"""The figures of README and docs are those of the latest measurements."""

import json
import subprocess
import sys
from pathlib import Path

import figures
import measurement
import pytest
from support.pages import FINISHED_PICTURES as PICTURES

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("page", [*figures.PAGES, *figures.FILES], ids=lambda page: page.stem)
def test_a_page_has_the_figures_of_now(page):
    text = page.read_text(encoding="utf-8")
    assert figures.current(page) == text, "run `python scripts/figures.py --write`"


def test_all_figures_are_on_some_page():
    text = "".join(page.read_text(encoding="utf-8") for page in figures.PAGES)
    used = {block["name"] for block in figures.BLOCK.finditer(text)} | {*figures.LISTED}
    assert all(f"](tables/{path.name})" in text for path in figures.FILES)
    assert used == {*figures.FIGURES, *figures.finished()}
    assert text.count("<!-- figures: ") == len(list(figures.BLOCK.finditer(text)))


FINISHED = [
    path
    for path in sorted(measurement.RESULTS.glob("*.json"))
    if "commit" in json.loads(path.read_text(encoding="utf-8"))
]


@pytest.mark.parametrize("path", FINISHED, ids=lambda path: path.stem)
def test_a_page_names_the_commit_of_a_finished_experiment(path):
    """Its tables, and a picture, are on pages that say which commit has the script, or link it."""
    found = json.loads(path.read_text(encoding="utf-8"))
    listed = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8").partition("\n## ")[0]
    is_listed = found["commit"] in listed
    signs = [
        f"](tables/{name}.csv)" if name in figures.LISTED else f"<!-- figures: {name} -->"
        for name in found.get("tables", {})
    ]
    signs += [f"](images/{path.stem}.svg)"] if path.stem in PICTURES else []
    assert signs
    for sign in signs:
        (text,) = (text for text in map(Path.read_text, figures.PAGES) if sign in text)
        assert found["commit"] in text or (is_listed and "](benchmarks.md" in text)


def test_a_finished_table_is_of_one_experiment_and_no_function_makes_it():
    names = [name for path in FINISHED for name in json.loads(path.read_text()).get("tables", ())]
    assert len(names) == len({*names}) == len(figures.finished()) > 20
    assert not {*names} & {*figures.FIGURES}


def test_a_page_that_differs_is_named_and_mended(tmp_path, monkeypatch, capsys):
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- figures: leaks -->\nold\n<!-- end of figures -->\nafter\n")
    monkeypatch.setattr(figures, "PAGES", (page,))
    monkeypatch.setattr(figures, "FILES", {})
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
