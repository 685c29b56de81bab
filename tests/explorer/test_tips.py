"""Terms that explain themselves by keyboard and by touch, in a real browser."""

from contextlib import contextmanager

import pytest

pytest.importorskip("selenium")

from selenium.webdriver.common.keys import Keys
from support.browsing import EACH_SIZE, LUMINANCE, TELEPHONE, needs_browser, window

from tablebase import open_tablebase
from tablebase.publish.materials import summary_of

pytestmark = needs_browser

KPK = "?fen=8/8/8/1k6/8/8/K5P1/8_w_-_-_0_1"
CURSED = "?fen=8/8/8/1k6/8/8/K5P1/8_w_-_-_82_1"
DTM_55 = "distance to mate (DTM): 55 plies (single moves) to checkmate, if both sides play best"
DTZ_19 = "19 plies to the next capture, pawn move or mate"
CURSED_WIN = "a win, if there were no 50-move rule: the rule makes it a draw"
BLESSED_LOSS = "a loss, if there were no 50-move rule: the rule makes it a draw"


def shown(page):
    """Return what is explained, None if nothing is."""
    (tip,) = page.find_all("#tip")
    return tip.text.split("\n") if tip.is_displayed() else None


def focused(page):
    return page.browser.switch_to.active_element


def tab_to(page, css):
    """Press Tab from the beginning of the page until an element has the focus."""
    page.browser.execute_script("document.activeElement.blur()")
    for _ in range(150):
        page.keys(Keys.TAB)
        if focused(page) in page.find_all(css):
            return focused(page)
    raise AssertionError(css)


@contextmanager
def touch(page):
    """Give the page a finger."""
    page.browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
    try:
        yield
    finally:
        page.browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})


def finger(page, kind, element=None):
    points = []
    if element:
        page.browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
        box = page.browser.execute_script(
            "const [box] = arguments[0].getClientRects();"
            "return [box.left + box.width / 2, box.top + box.height / 2]",
            element,
        )
        points = [dict(zip("xy", box, strict=True))]
    page.browser.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


def tap(page, element):
    finger(page, "touchStart", element)
    finger(page, "touchEnd")


def is_in_window(page):
    """Return whether the explanation is in the window, which nothing scrolls sideways."""
    return page.browser.execute_script(
        "const box = document.getElementById('tip').getBoundingClientRect();"
        "const root = document.documentElement;"
        "return box.left >= 0 && box.top >= 0 && box.right <= root.clientWidth"
        " && box.bottom <= innerHeight && root.scrollWidth <= innerWidth"
    )


def open_known(page, query):
    page.open(query)
    page.until(lambda: page.moves)
    return page


def test_terms_of_the_result_by_keyboard(both_page):
    page = open_known(both_page, KPK)
    assert shown(page) is None
    term = tab_to(page, "#detail .term")
    assert term.text == "55 plies with best play"
    assert shown(page) == [DTM_55]
    page.keys(Keys.TAB)
    assert focused(page).text == "DTZ 19"
    assert shown(page) == [DTZ_19]
    page.keys(Keys.ESCAPE)
    assert shown(page) is None
    assert focused(page).text == "DTZ 19"  # the focus stays
    for key in (Keys.ENTER, Keys.SPACE):  # once more, and away again
        page.keys(key)
        assert shown(page) == [DTZ_19]
        page.keys(key)
        assert shown(page) is None
    assert page.fen.split()[0] == "8/8/8/1k6/8/8/K5P1/8"  # no move was played by the space bar
    page.keys(Keys.ENTER, Keys.TAB)
    assert focused(page).get_attribute("data-uci") == "a2b3"


@pytest.mark.parametrize("css", ["#detail .term", "#moves h3 .term"])
def test_cursed_wins_and_blessed_losses_by_keyboard(both_page, css):
    page = open_known(both_page, CURSED)
    tab_to(page, css)
    assert shown(page) == [CURSED_WIN]
    page.click("[data-uci=a2b3]")
    page.until(lambda: "blessed loss" in page.find("#detail").text)
    page.until(lambda: "blessed loss" in page.find("#moves").text)
    assert shown(page) is None
    tab_to(page, css)
    assert shown(page) == [BLESSED_LOSS]


def test_values_of_the_list_by_keyboard(both_page):
    page = open_known(both_page, CURSED)
    assert tab_to(page, "#moves .plies .term").text == "55 plies"
    assert shown(page) == [DTM_55]
    page.keys(Keys.TAB)
    assert shown(page) == [DTZ_19]
    page.keys(Keys.TAB)
    assert shown(page) is None
    assert focused(page).get_attribute("data-uci") == "a2b3"
    page.keys(Keys.ENTER)
    page.until(lambda: "Black to move" in page.find("#detail").text)


def test_screen_readers_are_told_the_meaning(both_page):
    page = open_known(both_page, KPK)
    tree = page.browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    described = {
        node["name"]["value"]: node["description"]["value"]
        for node in tree
        if node.get("role", {}).get("value") == "button"
        and node.get("description", {}).get("value")
    }
    assert described["55 plies with best play"] == DTM_55
    assert described["DTZ 19"] == DTZ_19


def test_a_tap_explains_a_term_and_another_one_ends_it(both_page):
    page = both_page
    with window(page, *TELEPHONE), touch(page):
        open_known(page, KPK)
        mate, zeroing = page.find_all("#detail [title]")
        tap(page, zeroing)
        page.until(lambda: shown(page) == [DTZ_19])
        assert is_in_window(page)
        tap(page, mate)
        page.until(lambda: shown(page) == [DTM_55])
        tap(page, mate)
        page.until(lambda: shown(page) is None)
        tap(page, mate)
        page.until(lambda: shown(page) == [DTM_55])
        tap(page, page.find("#headline"))
        page.until(lambda: shown(page) is None)


@pytest.mark.parametrize("size", EACH_SIZE)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_explanations_fit_the_window_and_have_contrast(both_page, size, theme):
    page = both_page
    with window(page, *size):
        open_known(page, CURSED)
        page.browser.execute_script("document.documentElement.dataset.theme = arguments[0]", theme)
        for css in ("#detail .term", "#moves abbr"):
            tab_to(page, css)
            assert shown(page)
            assert is_in_window(page)
            page.until(lambda: page.browser.execute_script(LUMINANCE) == [])


def test_terms_on_the_page_of_a_material(page):
    with open_tablebase("data") as tables:
        assert summary_of(tables.available_tables["KPK"]).survey  # compiled before time counts
    page.browser.get(f"{page.address}tables/KPK")
    page.until(lambda: page.find_all("#zugzwangs .small"))
    assert tab_to(page, "#longest abbr").text == "DTZ 19"
    assert shown(page) == [DTZ_19]
    link = page.find("#longest a")
    assert link.accessible_name == "White to move, White wins: mate in 28 moves (55 plies)"
    assert page.browser.get_log("browser") == []


def test_terms_on_the_page_of_other_games(games_page):
    page = games_page
    page.browser.get(f"{page.address}game?rules=shatranj")
    page.until(lambda: page.find_all("#detail .term"))
    tab_to(page, "#detail .term")
    (told,) = shown(page)
    assert told.startswith("distance to mate (DTM): ")
