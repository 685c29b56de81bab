"""The list of tables in a real browser: sorted, searched, long."""

from itertools import combinations_with_replacement, islice

import pytest

pytest.importorskip("selenium")
pytest.importorskip("starlette")

from selenium.webdriver.common.keys import Keys
from support.browsing import EACH_SIZE, MATE_IN_16, ROOT, Page, in_view, needs_browser, window
from support.in_process import serving

import tablebase
from tablebase.serve import hosting, server

pytestmark = needs_browser


def names(page):
    script = "return [...document.querySelectorAll('#table-rows th')].map((th) => th.textContent)"
    return [text.split()[0] for text in page.browser.execute_script(script)]


def made_up_tables():
    """Return what /tables tells of as many tables as there are up to five men."""
    sides = combinations_with_replacement("QRBNP", 3)
    materials = [f"K{''.join(men)}K{other}" for men in sides for other in ("", "Q", "R", "N", "P")]
    for i, material in enumerate(islice(materials, 145)):
        win = {
            "plies": 2 * i % 37 + 1,
            "moves": i % 37 + 1,
            "fen": "8/8/8/8/8/2k5/1R6/K7 w - - 0 1",
        }
        yield {
            "material": material,
            "men": len(material),
            "metrics": ["dtm"],
            "bytes": 1000 * (i * 7919 % 997 + 1),
            "positions": 10_000 + i,
            "white_to_move": {"win": 5000, "draw": 0, "loss": i},
            "black_to_move": {"win": 0, "draw": 0, "loss": 5000},
            "sha256": "",
            "longest_win": None if i % 10 == 0 else win,
        }


@pytest.fixture
def many(browser, monkeypatch):
    """Give a page with 145 tables, one of them damaged."""
    tables = [*made_up_tables()]
    tables[3] = {"material": tables[3]["material"], "men": 6, "damaged": True}
    monkeypatch.setattr(hosting, "describe_tables", lambda _: tables)
    with (
        tablebase.open_tablebase(ROOT / "data") as opened,
        serving(server.create_app(opened)) as address,
    ):
        page = Page(browser, address).open(f"/?fen={MATE_IN_16}")
        page.until(lambda: len(names(page)) == 145)
        yield page, tables


def test_the_list_is_sorted_by_any_column(many):
    page, tables = many
    damaged = tables[3]["material"]
    assert names(page) == [one["material"] for one in tables]
    page.click("[data-key=bytes]")
    sound = [one for one in tables if "bytes" in one]
    by_size = sorted(sound, key=lambda one: -one["bytes"])
    assert names(page) == [*(one["material"] for one in by_size), damaged]
    assert page.find("th:has([data-key=bytes])").get_attribute("aria-sort") == "descending"
    page.click("[data-key=bytes]")
    assert names(page) == [*(one["material"] for one in reversed(by_size)), damaged]
    page.click("[data-key=mate]")
    longest = [one["longest_win"]["plies"] for one in sound if one["longest_win"]]
    found = {one["material"]: one for one in tables}
    shown = [found[name].get("longest_win") for name in names(page)]
    assert [one["plies"] for one in shown if one] == sorted(longest, reverse=True)
    assert not any(shown[len(longest) :])
    page.click("[data-key=order]")
    assert names(page) == [one["material"] for one in tables]
    assert page.find("th:has([data-key=bytes])").get_attribute("aria-sort") == "none"


def test_the_list_is_searched_by_men(many):
    page, tables = many
    page.find("#search").send_keys("rrn")
    found = [
        name for name in (one["material"] for one in tables) if name.count("R") >= 2 and "N" in name
    ]
    assert names(page) == found
    assert page.find("#found").text == f"{len(names(page))} of 145 tables"
    page.find("#search").send_keys("x")  # no man
    assert names(page) == found
    page.find("#search").send_keys("qqq")
    assert page.find("#table-rows").text == "No table matches."
    page.find("#search").clear()
    page.find("#search").send_keys(Keys.SPACE)
    assert len(names(page)) == 145


@pytest.mark.parametrize("size", EACH_SIZE)
def test_a_long_list_does_not_make_a_long_page(many, size):
    page, _ = many
    with window(page, *size):
        page.until(lambda: page.find("#board").is_displayed())
        run = page.browser.execute_script
        assert run("return document.documentElement.scrollWidth") <= size[0]
        run("document.querySelector('#tables .scroll').scrollIntoView({block: 'end'})")
        assert page.find("#tables .scroll").rect["height"] < 600
        run("document.querySelector('#tables .scroll').scrollTop = 3000")
        assert in_view(page, "[data-key=order]")


def test_sorting_by_keyboard(page):
    page.open()
    page.until(lambda: len(names(page)) == 8)
    page.browser.execute_script("document.getElementById('search').focus()")
    page.keys("k", Keys.TAB, Keys.TAB, Keys.TAB, Keys.ENTER)
    assert names(page)[0] == "KRNK"
    assert page.find("th:has([data-key=positions])").get_attribute("aria-sort") == "descending"
