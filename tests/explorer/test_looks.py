"""Light and dark, boards, words that explain themselves, in a real browser."""

import pytest

pytest.importorskip("selenium")

from selenium.webdriver.common.by import By
from support.browsing import LUMINANCE, MATE_IN_16, needs_browser

pytestmark = needs_browser


@pytest.fixture
def fresh(page):
    """Give the page of a browser in which nothing was chosen, and leave it so."""
    page.open(f"?fen={MATE_IN_16}")
    page.browser.execute_script("localStorage.clear()")
    yield page.open(f"?fen={MATE_IN_16}")
    page.browser.execute_script("localStorage.clear()")


def ground(page):
    return page.browser.execute_script("return getComputedStyle(document.body).backgroundColor")


def squares(page):
    return [page.square(name).value_of_css_property("background-color") for name in ("e4", "d4")]


def test_dark_is_switched_on_and_remembered(fresh):
    page = fresh
    light = ground(page)
    assert page.find("#theme").get_attribute("aria-pressed") == "false"
    page.click("#theme")
    dark = ground(page)
    assert dark != light
    assert page.find("#theme").get_attribute("aria-pressed") == "true"
    page.open(f"?fen={MATE_IN_16}")
    assert ground(page) == dark
    page.until(lambda: page.browser.execute_script(LUMINANCE) == [])
    page.browser.get(f"{page.address}tables/KRK")
    page.until(lambda: page.find("#title").text != "Loading …")
    assert ground(page) == dark  # the page of a material, too
    page.open(f"?fen={MATE_IN_16}")
    page.click("#theme")
    assert ground(page) == light


def test_the_board_has_three_colours(fresh):
    page = fresh
    seen = []
    for name in ("brown", "green", "blue"):
        assert page.find("#board-theme").accessible_name == f"Colours of the board: {name}"
        page.open(f"?fen={MATE_IN_16}")  # remembered
        seen.append(tuple(squares(page)))
        page.click("#board-theme")
    assert len(set(seen)) == 3
    assert tuple(squares(page)) == seen[0]


def test_letters_can_be_the_pieces(fresh):
    page = fresh
    page.open(f"?fen={MATE_IN_16}")

    def pictures():
        images = page.browser.find_elements(By.CSS_SELECTOR, "#board img")
        return sorted(image.get_attribute("src").removeprefix(page.address) for image in images)

    figures = ["pieces/bK.svg", "pieces/wK.svg", "pieces/wR.svg"]
    letters = [name.replace("pieces", "discs") for name in figures]
    button = page.find("#piece-set")
    assert (button.accessible_name, pictures()) == ("Letters as pieces", figures)
    page.click("#piece-set")
    assert (button.get_attribute("aria-pressed"), pictures()) == ("true", letters)
    page.open(f"?fen={MATE_IN_16}")
    assert pictures() == letters  # remembered
    page.click("#piece-set")
    assert pictures() == figures


# Contrast of the marks and arrows with both kinds of squares, of all boards in light and in dark.
MARKS = """
const found = [];
const probe = document.body.appendChild(document.createElement("i"));
const linear = (c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
const luminance = (name, kind = "") => {
  probe.className = kind;
  probe.style.color = `var(--${name})`;
  const [r, g, b] = getComputedStyle(probe).color.match(/[\\d.]+/g).map((c) => linear(c / 255));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
for (const theme of ["light", "dark"]) for (const board of ["brown", "green", "blue"]) {
  Object.assign(document.documentElement.dataset, { theme, board });
  for (const kind of ["win", "draw", "loss", "cursed", "blessed", "unknown"]) {
    for (const square of ["light-square", "dark-square"]) {
      const [a, b] = [luminance("mark", kind), luminance(square)];
      const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      found.push([theme, board, kind, square, contrast]);
    }
  }
}
return found;
"""


def test_marks_are_seen_on_every_board(fresh):
    found = fresh.browser.execute_script(MARKS)
    assert len(found) == 72
    assert [one for one in found if one[-1] < 3] == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_list_of_keys_has_contrast(fresh, theme):
    page = fresh
    page.browser.execute_script("document.documentElement.dataset.theme = arguments[0]", theme)
    page.click("#help-open")
    assert page.find("#help").is_displayed()
    page.until(lambda: page.browser.execute_script(LUMINANCE) == [])  # colours change slowly
    page.click("#help-close")
    assert not page.find("#help").is_displayed()


def test_words_explain_themselves(both_page):
    page = both_page.open("?fen=8/8/8/1k6/8/8/K5P1/8_w_-_-_0_1")
    page.until(lambda: page.moves)
    told = {one.text: one.get_attribute("title") for one in page.find_all("#detail [title]")}
    assert told == {
        "55 plies with best play": (
            "distance to mate (DTM): 55 plies (single moves) to checkmate, if both sides play best"
        ),
        "DTZ 19": "19 plies to the next capture, pawn move or mate",
    }
    page.open("?fen=8/8/8/1k6/8/8/K5P1/8_w_-_-_82_1")
    page.until(lambda: page.moves)
    cursed = "a win, if there were no 50-move rule: the rule makes it a draw"
    assert page.find("#detail .term").get_attribute("title") == cursed
    assert page.find("#moves h3 .term").get_attribute("title") == cursed
    assert page.find("#moves .plies .term").get_attribute("title").startswith("distance to mate")
    page.click("[data-uci=a2b3]")
    page.until(lambda: "blessed loss" in page.find("#detail").text)
    assert page.find("#detail .term").get_attribute("title").startswith("a loss, if there")
