"""The documentation says what is so."""

import doctest
import importlib.util
import json
import os
import random
import re
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from urllib.parse import urlsplit

import chess.gaviota
import chess.syzygy
import pytest
from support.commands import LAUNCH, environment_of, python
from support.pages import (
    FINISHED_PICTURES,
    FOLLOWED,
    files_on,
    installed_by,
    pattern_of,
    session_of,
    sessions_on,
)
from support.random_positions import random_board

import tablebase
from tablebase import Material, open_tablebase
from tablebase.core.building.estimate import load_costs
from tablebase.core.ground.extras import PACKAGES

ROOT = Path(__file__).parents[1]
FOLLOW = ROOT / "tests" / "support" / "follow.py"
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
# Pages whose commands take long, or draw with a library that tests of the ordinary run draw with.
SLOW = {"build", "butterfly", "castling", "find", "solve", "values"}
# Pages whose examples take seconds, or kernels of their own.
THOROUGH = {"butterfly", "data", "export", "find", "strategies", "verify"}
OTHERS = [page for page in PAGES if page not in FOLLOWED and sessions_on(page)]


def commands_in(page):
    """Return the command lines of the program that a page shows."""
    text = page.read_text(encoding="utf-8")
    lines = re.findall(r"^\s*\$ tablebase (.*)$", text, re.MULTILINE)
    for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL):
        lines += re.findall(r"^(?:\S*/)?tablebase (.*)$", block.replace("\\\n", ""), re.MULTILINE)
    return [session_of(line).arguments for line in lines]


@pytest.mark.parametrize("page", [*PAGES, ROOT / "README.md"], ids=lambda page: page.stem)
def test_commands_on_a_page_exist(page):
    from tablebase.cli.program import make_parser

    for arguments in commands_in(page):
        assert make_parser().parse_args(arguments).run


def builds_five_men(page):
    """Return whether a page types a command that takes an hour."""
    return any(one[:1] == ["build"] and "5" in one for one in commands_in(page))


def test_what_is_typed_from_a_page_takes_minutes_at_most():
    typed = [*FOLLOWED, *(page for page in OTHERS if page.stem not in SLOW)]
    assert not [page for page in typed if builds_five_men(page)]
    assert builds_five_men(DOCS / "reference" / "cluster.md")  # which needs many machines


def test_the_pages_show_commands():
    assert sum(len(commands_in(page)) for page in PAGES) > 10


BY_MAKE_TABLES = installed_by((ROOT / "Makefile").read_text(encoding="utf-8"))
OPTIONAL = {"polars", "pyffish"}.union(*PACKAGES.values())


@pytest.fixture
def environment(monkeypatch, tmp_path, tmp_path_factory):
    """Go to a folder with what a reader has; return a function that makes an environment.

    It has the packages that the program needs, and of others those that are given, if any are.
    Before any other Python finds a module that says that there is none.
    """
    for name in ("data", "examples"):
        shutil.copytree(ROOT / name, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TABLEBASE_PATH", raising=False)
    if int(version("rich").partition(".")[0]) < 15:  # their tables are a column wider
        monkeypatch.setenv("COLUMNS", "81")

    def make(installed=None):
        if installed is None:
            return environment_of()
        for name in installed:
            pytest.importorskip(name)
        missing = tmp_path_factory.mktemp("missing")
        for name in OPTIONAL - installed:
            text = f"raise ModuleNotFoundError('there is no {name}', name={name!r})\n"
            (missing / f"{name}.py").write_text(text, encoding="utf-8")
        found = environment_of()
        return found | {"PYTHONPATH": os.pathsep.join([str(missing), found["PYTHONPATH"]])}

    return make


def follow(page, environment, *, with_examples):
    """Do what a page shows, and compare with what it says."""
    sessions = sessions_on(page)
    assert sessions
    for name, text in files_on(page).items():
        Path(name).write_text(text, encoding="utf-8")
    commands = [(one.arguments, one.typed, one.target, one.stream) for one in sessions]
    followed = subprocess.run(
        [sys.executable, FOLLOW],
        input=json.dumps([str(page), commands, with_examples]),
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert followed.returncode == 0, followed.stderr
    done, faults = json.loads(followed.stdout)
    for one, (code, output, errors) in zip(sessions, done, strict=True):
        is_refused = any(line.startswith("tablebase: ") for line in one.shown)
        assert code == (2 if is_refused else 0), (one.arguments, errors)
        assert re.search(pattern_of(one.shown), output + errors, re.DOTALL), (one.arguments, output)
    assert not faults


@pytest.mark.thorough
def test_first_pages_can_be_followed_after_make_tables(environment):
    """One after the other in one folder, with no more installed than they say."""
    installed = BY_MAKE_TABLES
    for page in FOLLOWED:
        installed = installed | installed_by(page.read_text(encoding="utf-8"))
        follow(page, environment(installed), with_examples=True)
    readers_of_others_find_every_value()


@pytest.mark.thorough
@pytest.mark.parametrize("page", [
    pytest.param(page, id=page.stem, marks=[pytest.mark.slow for _ in SLOW & {page.stem}])
    for page in OTHERS
])  # fmt: skip
def test_commands_on_other_pages_do_what_they_say(page, environment):
    """Each page in a folder of its own, with no more installed than `make tables` and the page do.

    Their Python is run by another test.
    """
    installed = BY_MAKE_TABLES | installed_by(page.read_text(encoding="utf-8"))
    follow(page, environment(installed), with_examples=False)
    if page.stem == "solve":
        assert values_in_a_saved_region(page) == (-1, 27, 57)


def values_in_a_saved_region(page):
    """Run the examples that read what a command of the page has saved, and return their values."""
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    result, ranked = (block for block in blocks if ">>>" not in block)
    names = {"chess": chess, "tablebase": tablebase}
    exec(result.replace("    tables.", "    wdl = tables."), names)
    exec(ranked.replace("    tables.", "    line = tables."), names)
    return names["wdl"], names["best"].dtz_without_rule50, len(names["line"])


def readers_of_others_find_every_value():
    """Ask python-chess for the values of positions in the files that the page for engines writes.

    A file that is missing raises an error, so no position is passed over.
    """
    rng = random.Random(56)
    asked = [random_board(rng, Material.from_name("KQKR")) for _ in range(800)]
    asked += [random_board(rng, Material.from_name(name)) for name in ("KRK", "KQK") * 100]
    with (
        open_tablebase("data") as ours,
        chess.syzygy.open_tablebase("syzygy") as syzygy,
        chess.gaviota.open_tablebase("gaviota") as gaviota,
    ):
        for board in asked:
            found = syzygy.probe_wdl(board), syzygy.probe_dtz(board), gaviota.probe_dtm(board)
            expected = ours.probe_wdl50(board), ours.probe_dtz(board), ours.probe_dtm(board)
            assert found == expected, board.fen()


@pytest.fixture(scope="module")
def conf():
    """Return the module by which Sphinx builds the pages."""
    pytest.importorskip("numpydoc")
    spec = importlib.util.spec_from_file_location("conf", DOCS / "conf.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_says_how_the_shell_finds_the_program_before_its_first_command(conf, page):
    """In a new terminal after README's `make tables`; on the site a box says it where a page does
    not."""
    source = [page.read_text(encoding="utf-8")]
    conf.add_box(None, str(page.relative_to(DOCS).with_suffix("")), source)
    if first := conf.FIRST_COMMAND.search(source[0]):
        before = source[0][: first.end()]
        links = re.findall(r"\]\((\S*tutorial\.md)#install\)", before)
        assert page.stem == "tutorial" or (page.parent / links[0]).exists()


@pytest.mark.parametrize(
    "page", [ROOT / "README.md", DOCS / "index.md"], ids=lambda page: page.stem
)
def test_first_pages_say_how_the_shell_finds_the_program(page):
    text = " ".join(page.read_text(encoding="utf-8").split())
    assert "with its [environment active](tutorial.md#install)" in text or (
        ". .venv/bin/activate" in text.partition("tablebase serve")[0]
    )


def test_most_pages_have_a_first_command(conf):
    pages = [page for page in PAGES if conf.FIRST_COMMAND.search(page.read_text(encoding="utf-8"))]
    assert len(pages) > 15
    (install,) = re.findall(
        r"## Install\n(.*?)\n## ", (DOCS / "tutorial.md").read_text(), re.DOTALL
    )
    assert "$ . .venv/bin/activate\n" in install


@pytest.mark.thorough
def test_the_explorer_needs_no_more_than_make_tables_installs(environment):
    command = [sys.executable, LAUNCH, "tablebase", "serve", "--port", "0"]
    with subprocess.Popen(
        command, env=environment(BY_MAKE_TABLES), stdout=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout.readline().startswith("http://")
        running.kill()


def test_readme_installs_as_much_on_windows():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (windows,) = re.findall(r"```powershell\n(.*?)```", text, re.DOTALL)
    assert installed_by(windows) == BY_MAKE_TABLES
    assert "serve --open" in windows


@pytest.mark.parametrize("page", ["tutorial", "build"])
def test_built_files_have_the_bytes_that_a_page_shows(page):
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    shown = re.findall(r"\b(K\w+) .* \d\.\d\d +([\d,]+)$", text, re.MULTILINE)
    assert shown
    measured = load_costs().bytes
    assert {name: int(size.replace(",", "")) for name, size in shown} == {
        name: measured[name] for name, _ in shown
    }


@pytest.mark.parametrize("page", [
    pytest.param(page, id=page.stem, marks=[pytest.mark.thorough for _ in THOROUGH & {page.stem}])
    for page in PAGES
])  # fmt: skip
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


@pytest.mark.thorough
def test_pictures_are_those_that_the_script_draws(tmp_path):
    drawn = python(ROOT / "scripts" / "draw_images.py", tmp_path)
    assert drawn.returncode == 0, drawn.stderr
    names = sorted(path.name for path in tmp_path.iterdir())
    there = {path.stem for path in (DOCS / "images").glob("*.svg")}
    assert {name.removesuffix(".svg") for name in names} == there - FINISHED_PICTURES
    for name in names:
        assert (tmp_path / name).read_text() == (DOCS / "images" / name).read_text(), name


def test_the_notebook_is_stored_with_its_results():
    """The repository shows them as they are; the site runs the notebook again."""
    notebook = json.loads((DOCS / "notebook" / "queen.ipynb").read_text(encoding="utf-8"))
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    assert all(cell["outputs"] for cell in cells)
    assert "18,081 won, 0 drawn, 0 lost" in json.dumps(cells)
