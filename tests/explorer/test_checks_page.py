"""Three-check on pages, in a real browser: checks left are shown, chosen, kept and practised."""

import pytest

pytest.importorskip("selenium")

from selenium.webdriver.support.select import Select
from support.browsing import Page, needs_browser, play
from support.hosting import hosted
from support.published import publish, tables_in

pytestmark = needs_browser

ROOK = "8/8/8/8/8/2k5/1R6/K7_w_-_-_"
BOARD = f"""<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">
<script type="module" src="ending.js"></script>
<chess-ending rules="3check" fen="{ROOK}2+3_0_1" practise></chess-ending>
"""


@pytest.fixture(scope="module")
def address(checks_dir, tmp_path_factory):
    """Return the address of published tables of a rook, with exercises."""
    folder = tmp_path_factory.mktemp("site")
    (inside,) = checks_dir.glob("3check-*")
    publish([one for one in tables_in(inside) if one.stem == "KRK"], folder)
    (folder / "board.html").write_text(BOARD, encoding="utf-8")
    with hosted(folder) as address:
        yield address


@pytest.fixture
def counting(address, browser):
    browser.get_log("browser")  # what earlier tests left
    return Page(browser, address)


def goals(page):
    return page.find("#checks").text


def left(page):
    return [Select(one).first_selected_option.text for one in page.find_all("[name=checks]")]


def test_checks_left_are_shown_and_counted(counting):
    counting.open(f"index.html?rules=3check&fen={ROOK}2+3_0_1")
    counting.until_headline("White wins in 3")
    assert goals(counting) == "White wins by mate or 2 more checks."
    assert counting.fen == f"{ROOK}2+3 0 1".replace("_", " ")
    assert "the third check" in counting.find("#rules-note").get_attribute("textContent")
    counting.find("#typed").send_keys("Rc8\n")
    counting.until(lambda: counting.find("#typed-error").text == "Rc8 is not legal here")
    counting.find("#typed").clear()
    counting.find("#typed").send_keys("Rc2\n")
    counting.until(lambda: counting.headline.startswith("Draw"))
    assert goals(counting) == "White wins by mate or the next check."
    assert counting.fen.split()[3:5] == ["-", "1+3"]
    assert "_1%2B3_" in counting.browser.current_url
    counting.browser.refresh()  # the link has the checks left
    counting.until(lambda: counting.headline.startswith("Draw"))
    counting.click("#back")
    counting.until_headline("White wins in 3")
    play(counting, "b2h2", "c3b3")
    counting.until_headline("White wins in 2")
    play(counting, "h2h3", "b3b4", "h3h4")
    counting.until_headline("Third check: White has won")
    assert (goals(counting), counting.moves) == ("", [])
    assert counting.browser.get_log("browser") == []


def test_checks_left_are_set_up(counting):
    counting.open(f"index.html?rules=3check&fen={ROOK}0_1_+0+2")
    counting.until_headline("White wins in 4")
    counting.click("#setup")
    assert left(counting) == ["3", "1"]
    white, _ = counting.find_all("[name=checks]")
    Select(white).select_by_visible_text("1")
    counting.until_headline("White wins in 1")
    assert counting.fen.split()[4] == "1+1"
    counting.click("#swap-colours")
    counting.until_headline("Black wins in 1")
    assert goals(counting) == "Black wins by mate or the next check."
    _, black = counting.find_all("[name=checks]")
    Select(black).select_by_visible_text("3")
    counting.until_headline("Black wins in 4")
    assert left(counting) == ["1", "3"]
    assert counting.browser.get_log("browser") == []


def test_checks_are_counted_in_exercises(counting):
    counting.open("index.html?rules=3check&exercise=KRK:1")
    counting.until(lambda: counting.find("#task").text)
    assert counting.headline == "Win this for White"
    assert counting.find("#task").text.endswith("Solved when you have won.")
    assert goals(counting).startswith("White wins by mate or ")
    counting.open(f"index.html?rules=3check&exercise={ROOK}2+3_0_1")
    counting.until_headline("Win this for White")
    counting.square("b2").click()
    counting.square("h2").click()
    counting.until(lambda: len(counting.find_all("#played li")) == 2)  # the tables answer
    assert goals(counting) == "White wins by mate or 2 more checks."
    assert counting.browser.get_log("browser") == []


def test_figures_say_how_many_checks_are_left(counting):
    counting.browser.get(f"{counting.address}tables/material.html?rules=3check&material=KRK")
    counting.until(lambda: counting.find_all("#longest figcaption"))
    first = counting.find("#longest figcaption").text
    assert first.endswith("White wins: end in 5 moves (9 plies) · checks left 3+3")
    counting.click("#longest a")
    counting.until_headline("White wins in 5")
    counting.browser.get(f"{counting.address}tables/course.html?rules=3check")
    counting.until(lambda: len(counting.find_all(".lessons b")) == 1)
    assert counting.browser.get_log("browser") == []


def test_a_board_on_any_page(counting):
    counting.browser.get(f"{counting.address}board.html")
    shadow = "return document.querySelector('chess-ending').shadowRoot.querySelector('{}')"
    told = shadow.format(".checks") + "?.textContent"
    goal = "White wins by mate or 2 more checks."
    counting.until(lambda: counting.browser.execute_script(told) == goal)
    headline = shadow.format(".headline") + ".textContent"
    counting.until(lambda: counting.browser.execute_script(headline) == "Win this for White")
