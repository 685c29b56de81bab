"""Racing kings on published pages, in a real browser: goals in sight, two orders of the sides."""

import pytest

pytest.importorskip("selenium")

from support.browsing import Page, needs_browser, play
from support.hosting import hosted
from support.published import publish_values, tables_in

pytestmark = needs_browser

RACE = "8/8/1K4k1/8/8/8/R7/8_w_-_-_0_1"
BOARD = f"""<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">
<script type="module" src="ending.js"></script>
<chess-ending rules="racingkings" fen="{RACE}"></chess-ending>
"""


@pytest.fixture(scope="module")
def address(racing_dir, tmp_path_factory):
    """Return the address of published tables of a rook of either side."""
    folder = tmp_path_factory.mktemp("site")
    (inside,) = racing_dir.iterdir()
    publish_values([one for one in tables_in(inside) if "R" in one.stem], folder)
    (folder / "board.html").write_text(BOARD, encoding="utf-8")
    with hosted(folder) as address:
        yield address


@pytest.fixture
def race(address, browser):
    browser.get_log("browser")  # what earlier tests left
    return Page(browser, address)


def test_white_has_won_unless_black_answers(race):
    race.open(f"index.html?rules=racingkings&fen={RACE}")
    race.until_headline("White wins in 4")
    assert race.find("#line-card h2").text == "Winning line"
    framed = race.find_all("#board .goal")
    assert sorted(one.get_attribute("data-square") for one in framed) == [
        f"{f}8" for f in "abcdefgh"
    ]
    assert not race.find("#swap-colours").is_displayed()
    assert race.find("#material").get_attribute("value") == "KRK"
    assert "No move may give check." in race.find("#rules-note").get_attribute("textContent")
    legal = {move for _, moves in race.values for move in moves}
    assert "Ra7" in legal
    assert "Rg2" not in legal  # which would give check
    play(race, "b6b7", "g6h7", "b7b8")
    race.until_headline("Draw")
    assert ("draw", ["Kg8", "Kh8"]) in race.values
    play(race, "h7h8")
    race.until_headline("Draw: both kings are at the goal")
    race.click("#back")
    play(race, "h7h6")
    race.until_headline("Goal: White has won")
    assert race.moves == []
    assert race.browser.get_log("browser") == []


def test_each_order_of_the_sides_has_a_table(race):
    race.open("index.html?rules=racingkings&fen=8/8/1k4K1/8/8/8/r7/8_w_-_-_0_1")
    race.until_headline("Black wins in 3")
    race.until(lambda: race.find("#material").get_attribute("value") == "KKR")
    names = [one.get_attribute("value") for one in race.find_all("#material option")]
    assert names == ["KKR", "KRK"]
    race.browser.get(f"{race.address}tables/material.html?rules=racingkings&material=KKR")
    race.until(lambda: race.find("#title").text == "King against king and rook")
    race.until(lambda: race.find_all("#longest figcaption"))
    told = race.texts("#longest figcaption")
    assert any("Black wins: end in" in one for one in told)
    race.browser.get(f"{race.address}tables/course.html?rules=racingkings")
    race.until(lambda: len(race.find_all(".lessons b")) == 2)
    race.open("index.html?rules=racingkings&fen=8/8/1k4K1/8/8/8/r7/8_b_-_-_0_1")
    race.click("#practise")
    race.until_headline("Win this for Black")
    assert race.find("#task").text == "Win in 2 with best play. Solved when you have won."
    assert race.browser.get_log("browser") == []


def test_a_board_on_any_page(race):
    race.browser.get(f"{race.address}board.html")
    shadow = "return document.querySelector('chess-ending').shadowRoot.querySelector('{}')"
    headline = shadow.format(".headline")
    race.until(lambda: race.browser.execute_script(f"{headline}?.textContent") == "White wins in 4")
    assert race.browser.execute_script(shadow.format("[data-square=a8].goal"))
