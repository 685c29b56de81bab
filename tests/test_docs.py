"""The documentation says what is so."""

import doctest
import io
import random
import re
import shlex
from importlib.metadata import version
from pathlib import Path
from shutil import copytree
from urllib.parse import urlsplit

import chess.gaviota
import chess.syzygy
import pytest
from support.commands import python, run
from support.random_positions import random_board

import tablebase
from tablebase import Material, open_tablebase

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
# Pages whose commands take long, or draw with a library that tests of the ordinary run draw with.
SLOW = {"build", "butterfly", "report", "solve"}
# Commands that wait for people, ask other machines, show measurements, or need tables that take
# minutes.
NOT_RUN = re.compile(
    r"serve|.*(--server|--workers|--scheduler|--memory|--estimate|KPPKP|KRPKR|site --men 4)"
)
NEEDED = {
    "data": ("pyarrow", "jinja2", "matplotlib"),
    "dataset": ("pyarrow",),
    "butterfly": ("matplotlib",),
    "report": ("jinja2", "matplotlib"),
}


def commands_in(page):
    """Return the command lines of the program that a page shows."""
    text = page.read_text(encoding="utf-8")
    lines = re.findall(r"^\s*\$ tablebase (.*)$", text, re.MULTILINE)
    for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL):
        lines += re.findall(r"^(?:\S*/)?tablebase (.*)$", block.replace("\\\n", ""), re.MULTILINE)
    return [before_redirection(shlex.split(line, comments=True))[0] for line in lines]


def before_redirection(command):
    """Return the arguments of a command, and the file that the shell would write, if any."""
    signs = [place for place, argument in enumerate(command) if argument in {">", "2>"}]
    return (command[: signs[0]], command[signs[0] + 1]) if signs else (command, None)


@pytest.mark.parametrize("page", [*PAGES, ROOT / "README.md"], ids=lambda page: page.stem)
def test_commands_on_a_page_exist(page):
    from tablebase.cli.program import make_parser

    for arguments in commands_in(page):
        assert make_parser().parse_args(arguments).run


def test_the_pages_show_commands():
    assert sum(len(commands_in(page)) for page in PAGES) > 10


def sessions_on(page):
    """Return the commands of a page with what is typed into them and what they show."""
    text = page.read_text(encoding="utf-8")
    found = []
    for kind, block in re.findall(r"```(console|sh)\n(.*?)```", text, re.DOTALL):
        # A session shows what other programs print of its files, too.
        shell = re.sub(r"^\$ (?!tablebase ).*\n", "", block.replace("\\\n", ""), flags=re.MULTILINE)
        start = r"^\$ tablebase " if kind == "console" else r"^tablebase "
        for session in re.split(start, shell, flags=re.MULTILINE)[1:]:
            command, *lines = session.splitlines()
            lines = lines if kind == "console" else []
            typed = [line.partition("> ")[2] for line in lines if line.startswith("> ")]
            typed += [line.partition(": ")[2] for line in lines if line.startswith("Your move: ")]
            shown = [line for line in lines if not line.startswith("> ")]
            found.append((shlex.split(command, comments=True), typed, shown))
    return found


def pattern_of(lines):
    """Return what output fits lines of a page: ``...`` is any text.

    How many spaces there are does not count, nor how long a rule is, nor a number of seconds and
    the bytes after it, which differ from one machine to another.
    """
    text = re.sub("─+", "─", "\n".join(lines))
    text = re.sub(r"\b\d+\.\d\d(\s+[\d,]+$| s\b)", "┄", text, flags=re.MULTILINE)
    pattern = ".*".join(r"\s+".join(map(re.escape, part.split())) for part in text.split("..."))
    return pattern.replace("─", "─+").replace("┄", r"[\d,.]+(\s+[\d,]+| s| min \d+ s)")


def with_sessions():
    """Return the pages that show commands, slow ones marked."""
    for page in [*PAGES, ROOT / "README.md"]:
        if any(not NOT_RUN.match(shlex.join(one)) for one, _, _ in sessions_on(page)):
            marks = [pytest.mark.slow] if page.stem in SLOW else []
            yield pytest.param(page, id=page.stem, marks=marks)


@pytest.mark.parametrize("page", list(with_sessions()))
def test_the_commands_of_a_page_do_what_it_says(page, monkeypatch, tmp_path, capsys):
    for name in ("data", "examples"):
        copytree(ROOT / name, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TABLEBASE_PATH", raising=False)
    if int(version("rich").partition(".")[0]) < 15:  # their tables are a column wider
        monkeypatch.setenv("COLUMNS", "81")
    for needed in NEEDED.get(page.stem, ()):
        pytest.importorskip(needed)
    for name, text in files_on(page):
        (tmp_path / name).write_text(text)
    for command, typed, shown in sessions_on(page):
        if NOT_RUN.match(shlex.join(command)):
            continue
        arguments, target = before_redirection(command)
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in typed)))
        code, output, errors = run(capsys, *arguments)
        is_refused = any(line.startswith("tablebase: ") for line in shown)
        assert code == (2 if is_refused else 0), (command, errors)
        assert re.search(pattern_of(shown), output + errors, re.DOTALL), (command, output)
        if target is not None:
            (tmp_path / target).write_text(errors if "2>" in command else output)
    if page.stem == "engines":
        readers_of_others_find_every_value(tmp_path)
    if page.stem == "solve":
        assert values_in_a_saved_region(page) == (-1, 27, 57)


def values_in_a_saved_region(page):
    """Run the examples that read what a command of the page has saved, and return their values."""
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    result, ranked = (block for block in blocks if ">>>" not in block)
    names = {"chess": chess, "tablebase": tablebase}
    exec(result.replace("    tables.", "    wdl = tables."), names)
    exec(ranked.replace("    tables.", "    line = tables."), names)
    return names["wdl"], names["best"].conversion, len(names["line"])


def files_on(page):
    """Return the files of rules that a page shows, with their names."""
    text = page.read_text(encoding="utf-8")
    return [("fairy.ini", block) for block in re.findall(r"```ini\n(.*?)```", text, re.DOTALL)]


def readers_of_others_find_every_value(folder):
    """Ask python-chess for the values of positions in the files that the page for engines writes.

    A file that is missing raises an error, so no position is passed over.
    """
    rng = random.Random(56)
    asked = [random_board(rng, Material.from_name("KQKR")) for _ in range(800)]
    asked += [random_board(rng, Material.from_name(name)) for name in ("KRK", "KQK") * 100]
    with (
        open_tablebase(folder / "data") as ours,
        chess.syzygy.open_tablebase(folder / "syzygy") as syzygy,
        chess.gaviota.open_tablebase(folder / "gaviota") as gaviota,
    ):
        for board in asked:
            found = syzygy.probe_wdl(board), syzygy.probe_dtz(board), gaviota.probe_dtm(board)
            expected = ours.probe_wdl50(board), ours.probe_dtz(board), ours.probe_dtm(board)
            assert found == expected, board.fen()


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
