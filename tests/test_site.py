"""The site builds without a warning, needs no network, and its links lead somewhere."""

import importlib.util
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from support.commands import python
from support.hosting import hosted

from tablebase.core.rules.material import all_materials

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
NEEDED = ("furo", "ipykernel", "matplotlib", "myst_nb", "numpydoc", "sphinx", "sphinx_argparse_cli")
MISSING = [name for name in NEEDED if importlib.util.find_spec(name) is None]
pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(
        bool(MISSING), reason=f"the extra [docs] is not installed: no {', '.join(MISSING)}"
    ),
]


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


def test_every_page_is_built(site):
    for page in PAGES:
        assert (site / page.relative_to(DOCS)).with_suffix(".html").exists()


def test_a_browser_loads_nothing_from_elsewhere(site, pages):
    for page in pages.values():
        for link in page.loaded:
            if not link.startswith("data:"):
                assert not urlsplit(link).netloc, f"{page.path.name} loads {link}"
                assert target_of(page, link)[0].exists(), f"{page.path.name} loads {link}"
    for sheet in site.rglob("*.css"):
        for url in re.findall(r"url\(['\"]?([^'\")]+)", sheet.read_text(encoding="utf-8")):
            assert url.startswith("data:") or not urlsplit(url).netloc, f"{sheet.name} loads {url}"


def test_links_lead_somewhere(pages):
    for page in pages.values():
        for link in page.links:
            if urlsplit(link).scheme:
                continue
            path, anchor = target_of(page, link)
            assert path.exists(), f"{page.path.name}: {link}"
            if anchor and path in pages:
                assert anchor in pages[path].anchors, f"{page.path.name}: {link}"


def test_the_board_of_the_first_page_is_live(site):
    browsing = pytest.importorskip("support.browsing")
    if not (browsing.browser_path and browsing.driver_path):
        pytest.skip("no browser: install the packages chromium and chromium-driver")
    browser = browsing.start_browser()
    headline = """
    return document.querySelector("chess-ending").shadowRoot?.querySelector(".headline").textContent
    """
    try:
        with hosted(site) as address:
            page = browsing.Page(browser, address)
            browser.get(f"{address}index.html")
            page.until(lambda: browser.execute_script(headline) == "White mates in 16")
            link = page.find("a[href='explorer/index.html']").get_attribute("href")
            browser.get(link)  # a list of moves that comes then would get in the way of a click
            page.until(lambda: page.find_all("#table-rows tr"))
            tables = {one.text.split()[0] for one in page.find_all("#table-rows tr")}
    finally:
        browser.quit()
    assert tables == {one.name for men in (3, 4) for one in all_materials(men)}


def test_from_a_file_the_first_page_says_what_the_board_needs(site):
    browsing = pytest.importorskip("support.browsing")
    if not (browsing.browser_path and browsing.driver_path):
        pytest.skip("no browser: install the packages chromium and chromium-driver")
    shown = "return document.querySelector('chess-ending').innerText"
    browser = browsing.start_browser()
    try:
        browser.get((site / "index.html").as_uri())
        told = "This is a picture, because browsers do not run the board from a file"
        assert told in browser.execute_script(shown)
    finally:
        browser.quit()


def test_the_notebook_shows_its_results(site):
    text = (site / "notebook" / "queen.html").read_text(encoding="utf-8")
    assert "18,081 won, 0 drawn, 0 lost" in text
    assert "0 won, 2,896 drawn, 25,160 lost" in text
    assert "8/8/8/5k2/8/8/1Q6/K7 w - - 0 1" in text
    assert ">Winning<" in text
    assert "White would mate in 78, but the 50-move rule draws" in text
    assert text.count('src="../_images/') == 2


def test_the_reference_has_every_command_and_the_public_names(site):
    import tablebase

    commands = (site / "reference" / "commands.html").read_text(encoding="utf-8")
    for name in subcommands():
        assert f'id="tablebase-{name}"' in commands, name
    reference = (site / "reference" / "python.html").read_text(encoding="utf-8")
    for name in tablebase.__all__:
        assert re.search(rf'id="tablebase\.(core\.ground\.errors\.)?{name}"', reference), name
    for name in dir(tablebase.Tablebase):
        assert name.startswith("_") or f'id="tablebase.Tablebase.{name}"' in reference, name
    for name in ("open_tablebase", "load_table", "find", "read_table", "solve_position"):
        signature = reference.partition(f'id="tablebase.{name}"')[2].partition("</dt>")[0]
        assert 'class="sig-param"' in signature, name


def subcommands():
    """Return the parser of every command, by name."""
    from tablebase.cli.program import make_parser

    parsers = [action.choices for action in make_parser()._actions if action.choices]
    return parsers[0]
