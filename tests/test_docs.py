"""The documentation says what is so."""

import doctest
import io
import re
import shlex
from importlib.metadata import version
from pathlib import Path
from shutil import copytree
from urllib.parse import urlsplit

import pytest
from support.commands import python, run

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
ENTRANCES = [
    ROOT / "README.md",
    *(DOCS / f"{name}.md" for name in ("players", "engines", "data", "composers")),
]


def commands_in(page):
    """Return the command lines of the program that a page shows."""
    text = page.read_text(encoding="utf-8")
    lines = re.findall(r"^\s*\$ tablebase (.*)$", text, re.MULTILINE)
    for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL):
        lines += re.findall(r"^(?:\S*/)?tablebase (.*)$", block.replace("\\\n", ""), re.MULTILINE)
    return [shlex.split(line, comments=True) for line in lines]


@pytest.mark.parametrize("page", [*PAGES, ROOT / "README.md"], ids=lambda page: page.stem)
def test_commands_on_a_page_exist(page):
    from tablebase.cli.program import make_parser

    for arguments in commands_in(page):
        assert make_parser().parse_args(arguments).run


def test_the_pages_show_commands():
    assert sum(len(commands_in(page)) for page in PAGES) > 10


def sessions_on(page):
    """Return the commands of a page with what is typed into them and what they show."""
    found = []
    for block in re.findall(r"```console\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
        for session in re.split(r"^\$ tablebase ", block, flags=re.MULTILINE)[1:]:
            command, *lines = session.splitlines()
            typed = [line.partition("> ")[2] for line in lines if line.startswith("> ")]
            typed += [line.partition(": ")[2] for line in lines if line.startswith("Your move: ")]
            shown = [line for line in lines if not line.startswith("> ")]
            found.append((shlex.split(command, comments=True), typed, shown))
    return found


def pattern_of(lines):
    """Return what output fits lines of a page: ``...`` is any text.

    How many spaces there are does not count, nor how long a rule is.
    """
    parts = re.sub("─+", "─", "\n".join(lines)).split("...")
    pattern = ".*".join(r"\s+".join(map(re.escape, part.split())) for part in parts)
    return pattern.replace("─", "─+")


@pytest.mark.parametrize("page", ENTRANCES, ids=lambda page: page.stem)
def test_the_commands_of_a_first_page_do_what_it_says(page, monkeypatch, tmp_path, capsys):
    for name in ("data", "examples"):
        copytree(ROOT / name, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TABLEBASE_PATH", raising=False)
    if int(version("rich").partition(".")[0]) < 15:  # their tables are a column wider
        monkeypatch.setenv("COLUMNS", "81")
    for needed in ("pyarrow", "jinja2", "matplotlib") if page.stem == "data" else ():
        pytest.importorskip(needed)
    sessions = sessions_on(page)
    assert sessions
    for arguments, typed, shown in sessions:
        if arguments[0] == "serve":  # runs until it is stopped; tests/web drives it
            continue
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in typed)))
        code, output, errors = run(capsys, *arguments)
        assert code == 0, errors
        assert re.search(pattern_of(shown), output + errors, re.DOTALL), (arguments, output)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_examples_on_a_page_give_what_they_say(page, monkeypatch):
    text = page.read_text(encoding="utf-8")
    for name, sign in (("pandas", "to_dataframe"), ("pyarrow", "parquet"), ("polars", "polars")):
        if f">>> import {name}" in text or f"{sign}(" in text:
            pytest.importorskip(name)
    monkeypatch.chdir(ROOT)
    result = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert not result.failed


@pytest.mark.parametrize("page", [*PAGES, ROOT / "README.md"], ids=lambda page: page.stem)
def test_links_and_pictures_exist_in_the_source_too(page):
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if not urlsplit(link).scheme and urlsplit(link).path:
            assert (page.parent / urlsplit(link).path).exists(), link


def test_pictures_are_those_that_the_script_draws(tmp_path):
    drawn = python(ROOT / "scripts" / "draw_images.py", tmp_path)
    assert drawn.returncode == 0, drawn.stderr
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == sorted(path.name for path in (DOCS / "images").glob("*.svg"))
    for name in names:
        assert (tmp_path / name).read_text() == (DOCS / "images" / name).read_text(), name


def test_the_notebook_is_stored_without_results():
    notebook = (DOCS / "notebook" / "queen.ipynb").read_text(encoding="utf-8")
    assert '"outputs": []' in notebook
    assert notebook.count('"outputs": []') == notebook.count('"outputs"')
