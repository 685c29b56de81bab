"""The documentation builds without a warning, needs no network, and says what is so."""

import doctest
import importlib.util
import os
import re
import shlex
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
NEEDED = ("furo", "ipykernel", "matplotlib", "myst_nb", "numpydoc", "sphinx", "sphinx_argparse_cli")
MISSING = [name for name in NEEDED if importlib.util.find_spec(name) is None]
needs_sphinx = pytest.mark.skipif(
    bool(MISSING), reason=f"the extra [docs] is not installed: no {', '.join(MISSING)}"
)


def python(*arguments, **variables):
    """Run Python on the package of this folder, whether it is installed or not."""
    paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths)), **variables}
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


class Page(HTMLParser):
    """The names and links of a page, and what a browser loads with it."""

    def __init__(self, path):
        super().__init__()
        self.path, self.anchors, self.links, self.loaded = path, set(), [], []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.anchors |= {values.get("id"), values.get("name")}
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        elif tag == "link" and values.get("rel") not in {"canonical", "author"}:
            self.loaded.append(values["href"])
        elif "src" in values:
            self.loaded.append(values["src"])


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Return the folder of the built site; building runs the notebook."""
    folder = tmp_path_factory.mktemp("site")
    cache = tmp_path_factory.mktemp("doctrees")
    built = python("-m", "sphinx", "-q", "-W", "--keep-going", "-d", cache, DOCS, folder)
    assert built.returncode == 0, built.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site):
    return {path: Page(path) for path in site.rglob("*.html") if "_static" not in path.parts}


def target_of(page, link):
    """Return the file and the anchor that a link within the site leads to."""
    parts = urlsplit(link)
    path = (page.path.parent / unquote(parts.path)).resolve() if parts.path else page.path
    return path, unquote(parts.fragment)


@needs_sphinx
def test_every_page_is_built(site):
    for page in PAGES:
        assert (site / page.relative_to(DOCS)).with_suffix(".html").exists()


@needs_sphinx
def test_a_browser_loads_nothing_from_elsewhere(site, pages):
    for page in pages.values():
        for link in page.loaded:
            if not link.startswith("data:"):
                assert not urlsplit(link).netloc, f"{page.path.name} loads {link}"
                assert target_of(page, link)[0].exists(), f"{page.path.name} loads {link}"
    for sheet in site.rglob("*.css"):
        for url in re.findall(r"url\(['\"]?([^'\")]+)", sheet.read_text(encoding="utf-8")):
            assert url.startswith("data:") or not urlsplit(url).netloc, f"{sheet.name} loads {url}"


@needs_sphinx
def test_links_lead_somewhere(pages):
    for page in pages.values():
        for link in page.links:
            if urlsplit(link).scheme:
                continue
            path, anchor = target_of(page, link)
            assert path.exists(), f"{page.path.name}: {link}"
            if anchor and path in pages:
                assert anchor in pages[path].anchors, f"{page.path.name}: {link}"


@needs_sphinx
def test_the_notebook_shows_its_results(site):
    text = (site / "notebook" / "queen.html").read_text(encoding="utf-8")
    assert "18,081 won, 0 drawn, 0 lost" in text
    assert "0 won, 2,896 drawn, 25,160 lost" in text
    assert "8/8/8/5k2/8/8/1Q6/K7 w - - 0 1" in text
    assert text.count('src="../_images/') == 3


@needs_sphinx
def test_the_reference_has_every_command_and_the_public_names(site):
    import tablebase

    commands = (site / "reference" / "commands.html").read_text(encoding="utf-8")
    for name in subcommands():
        assert f'id="tablebase-{name}"' in commands, name
    pages = (site / "reference").glob("*.html")
    reference = "".join(page.read_text(encoding="utf-8") for page in pages)
    for name in tablebase.__all__:
        assert re.search(rf'id="tablebase\.\w+\.{name}"', reference), name


def subcommands():
    """Return the parser of every command, by name."""
    from tablebase.cli.program import make_parser

    parsers = [action.choices for action in make_parser()._actions if action.choices]
    return parsers[0]


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
