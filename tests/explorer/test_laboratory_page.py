"""The laboratory of games in a real browser, from our server."""

import re
from pathlib import Path

import pytest

pytest.importorskip("selenium")

from support.browsing import DESKTOP, TELEPHONE, Page, needs_browser, serving, window

from tablebase.core.rules.rule_files import parse_rules

pytestmark = needs_browser

ROOT = Path(__file__).parents[2]
GAME = "laboratory/index.html?a=NW&c=FmD"
SHOWN = "return document.querySelectorAll('#endings tr').length"
NAMES = {"Q": "queen", "R": "rook", "B": "bishop", "N": "knight", "P": "pawn"}


@pytest.fixture(scope="module")
def address(page_modules):  # noqa: ARG001 (they must be there)
    with serving(ROOT / "data") as address:
        yield address


@pytest.fixture
def laboratory(address, browser):
    browser.get_log("browser")  # what earlier tests left
    return Page(browser, address)


def open_game(page, query):
    page.browser.get("about:blank")
    page.browser.get(f"{page.address}{query}")
    page.until(lambda: page.find("#worths").is_displayed() or page.find("#error").text)
    assert page.find("#error").text == ""


def status(page):
    return page.find("#status").text


def wait_for_all(page):
    page.until(lambda: re.fullmatch(r"All 64 endings solved in [\d.]+ s", status(page)))


def row(page, material):
    """Return the texts of the row of an ending."""
    script = """
    const rows = [...document.querySelectorAll("#endings tr")];
    const one = rows.find((row) => row.firstChild.textContent === arguments[0]);
    return [...one.children].map((cell) => cell.innerText.trim());
    """
    return page.browser.execute_script(script, material)


def balance(page):
    """Return the pieces of the balance, best first: letter, score, what they do to a bare king."""
    script = """
    return [...document.querySelectorAll("#balance li")].map((one) => [
      one.querySelector("img").dataset.drawn,
      ...[".figure", ".mates"].map((part) => one.querySelector(part).innerText)]);
    """
    return page.browser.execute_script(script)


def documented():
    """Return the same as the documentation has it."""
    text = (ROOT / "docs" / "laboratory.md").read_text(encoding="utf-8")
    return re.findall(r"^\| (\w+)(?: = `\w+`)? \| (\d+ %) \| (.*?) \|$", text, re.MULTILINE)


def test_the_page_says_at_once_what_it_does(laboratory):
    """Before any script of it has run."""
    text = (ROOT / "tablebase" / "explorer" / "laboratory" / "index.html").read_text("utf-8")
    assert "Loading what solves the endings" in text
    laboratory.browser.get(f"{laboratory.address}laboratory/index.html")
    legend = ["step", "repeated step", "only to take", "never to take"]
    assert laboratory.texts(".key > span") == legend


def test_a_game_is_solved_reported_and_played(laboratory):
    with window(laboratory, *DESKTOP):
        open_game(laboratory, GAME)
        wait_for_all(laboratory)
        assert len(laboratory.find_all("#endings tr")) == 64
        # Those of chess are known, and stand beside those of chess.
        assert row(laboratory, "KRK")[3:] == ["16 moves", "0", "100.0 % won, 16 moves"]
        assert row(laboratory, "KRKN")[4] == "18"
        found = []
        for letter, score, mates in balance(laboratory):
            share = re.search(r"win ([\d.]+ %)", mates)
            own = re.sub(r" \(chess .*", "", score)
            if letter in NAMES:  # the new pieces do not change what those of chess are worth
                assert score == f"{own} (chess {own})"
            found.append((NAMES.get(letter, letter), own, share[1] if share else "none"))
        assert found == documented()
        laboratory.find("#matrix a").click()
        laboratory.until(lambda: laboratory.find_all("#headline"))
        laboratory.until(lambda: " in " in laboratory.headline)
        assert "mates in" in laboratory.headline
        assert laboratory.find("#material").get_attribute("value").startswith("K")
        laboratory.click("#best")
        laboratory.until(lambda: laboratory.find_all("#played .step, #played button"))
        assert not laboratory.find("#about").is_displayed()
        assert laboratory.find("#counted").text == "images by rotation and mirroring included"
        names = laboratory.browser.execute_script("return document.body.outerHTML")
        assert "customPiece" not in names
        assert laboratory.browser.get_log("browser") == []


def test_a_click_changes_the_game_its_link_and_its_file(laboratory):
    with window(laboratory, *TELEPHONE):
        open_game(laboratory, f"{GAME}&stalemate=loss")
        assert laboratory.find("#stalemate").get_attribute("value") == "loss"
        laboratory.click("#pieces .piece:first-child button[aria-label='1 right, 1 up: none']")
        laboratory.until(lambda: "a=NWF" in laboratory.browser.current_url)
        laboratory.click("#pieces .piece:first-child button[aria-label='1 right, 1 up: step']")
        laboratory.until(lambda: "a=NWB" in laboratory.browser.current_url)
        laboratory.click("#goals button[aria-label=e4]")
        laboratory.until(lambda: "goal=d4.d5.e4.e5" in laboratory.browser.current_url)
        laboratory.until(lambda: laboratory.browser.execute_script(SHOWN))
        script = (
            "return document.documentElement.scrollWidth <= document.documentElement.clientWidth"
        )
        assert laboratory.browser.execute_script(script)
        for head in ("#matrix-head", "#endings-title ~ .scroll thead"):
            # Read at once, since the report is drawn anew as endings are solved.
            script = """return [...document.querySelectorAll(arguments[0])]
                .map((one) => one.getBoundingClientRect().bottom)"""
            cells = laboratory.browser.execute_script(script, f"{head} th")
            assert len({*cells}) == 1 < len(cells)
        script = """
        const [done] = arguments;
        import("/laboratory/game.js").then(({ Game }) => done(new Game(location.search).file));
        """
        rules = parse_rules(laboratory.browser.execute_async_script(script))["laboratory"]
        assert rules.stalemate == "loss"
        assert rules.goal == "d4 e4 d5 e5"
        assert laboratory.browser.get_log("browser") == []


@pytest.mark.parametrize(
    ("query", "words", "place"),
    [
        ("a=fN&c=lW", "C moves otherwise to the left than to the right", ".piece:nth-child(2)"),
        ("a=RD&c=N", "A: it reaches a square in two ways", ".piece:nth-child(1)"),
        ("a=N&c=xW", "“x” in “xW” is no direction", ".piece:nth-child(2)"),
        ("a=N&c=N&goal=e4", "goals must be the same squares after each rotation", "fieldset"),
        ("name=a%20b", "the name of a game has letters, digits", "label:has(#name)"),
    ],
)
def test_what_the_page_cannot_solve_is_refused_beside_it(laboratory, query, words, place):
    laboratory.browser.get(f"{laboratory.address}laboratory/index.html?{query}")
    laboratory.until(lambda: words in laboratory.find("#error").text)
    assert words in laboratory.find(f"{place} #error").text
    assert not laboratory.find("#worths").is_displayed()
    assert laboratory.browser.get_log("browser") == []
