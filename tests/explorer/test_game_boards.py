"""The explorer of other games: boards of other sizes, walls, pieces with captures of their own."""

import pytest

pytest.importorskip("selenium")

from selenium.webdriver.common.keys import Keys
from support.browsing import Page, arrows, needs_browser, play, serving

from tablebase.core.building.generator import generate
from tablebase.core.rules.material import Material
from tablebase.core.rules.rule_files import parse_rules

pytestmark = needs_browser

SMALL = """
    [small:chess]
    maxFile = f
    maxRank = 5
    startFen = kqrrqk/pppppp/2**2/PPPPPP/KQRRQK w - - 0 1
    customPiece1 = d:mKcQ
"""
FEN = "5k/6/2**2/6/KD4 w - - 0 1"


@pytest.fixture(scope="module")
def board_page(browser, tmp_path_factory):
    folder = tmp_path_factory.mktemp("boards")
    generate([Material.from_name("KDK", parse_rules(SMALL)["small"])], folder)
    with serving(folder) as address:
        yield Page(browser, address)


def test_a_small_board_with_walls(board_page):
    page = board_page
    page.open(f"?rules=small&fen={FEN.replace(' ', '_')}")
    page.until(lambda: page.headline.startswith("White mates in"))
    assert len(page.find_all("#board [data-square]")) == 30
    walls = [one.get_attribute("data-square") for one in page.find_all("#board .wall")]
    assert sorted(walls) == ["c3", "d3"]
    rules = page.find("#rules-note").get_attribute("textContent")
    assert "Nothing stands on c3 d3" in rules
    assert page.square("b1").accessible_name == "b1, white D"
    note = page.find("#kinds figcaption").text
    assert "red: only captures" in note
    assert page.find_all("#kinds .squares .takes")
    assert arrows(page)[0] == {"a1a2", "a1b2", "b1c1", "b1c2"}
    play(page, "b1c2")
    page.until(lambda: "/2**2/" in page.fen and " b " in page.fen)
    page.until(lambda: page.headline.startswith("White mates in"))
    assert page.browser.get_log("browser") == []


def test_fens_have_the_walls(board_page):
    page = board_page
    page.open(f"?rules=small&fen={FEN.replace(' ', '_')}")
    page.until(lambda: page.headline.startswith("White mates in"))
    page.click("#setup")
    for fen, message in (
        ("5k/6/6/6/KD4 w", "does not have the walls of small"),
        ("6/5k/6/2**2/6/KD4 w", "has 6 ranks, not 5"),
    ):
        page.find("#fen").clear()
        page.find("#fen").send_keys(fen, Keys.ENTER)
        page.until(lambda message=message: message in page.find("#fen-error").text)
    page.find("#fen").clear()
    page.find("#fen").send_keys("5k/6/2**2/6/DK4 b", Keys.ENTER)
    page.until(lambda: "Black to move" in page.find("#detail").text)
    assert "/2**2/" in page.fen
