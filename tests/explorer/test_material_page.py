"""The page of a material in a real browser."""

import shlex

import pytest

pytest.importorskip("selenium")

from selenium.webdriver.common.keys import Keys
from support.browsing import EACH_SIZE, LUMINANCE, MATE_IN_16, ROOT, Page, needs_browser, window
from support.in_process import serving

from tablebase import open_tablebase
from tablebase.cli.program import main
from tablebase.publish.materials import summary_of
from tablebase.serve.server import create_app

pytestmark = needs_browser


@pytest.fixture(scope="module", autouse=True)
def compiled():
    """Compile the kernels before a server's time to answer counts."""
    with open_tablebase(ROOT / "data") as tables:
        assert summary_of(tables.available_tables["KPK"]).survey  # compiled before the time counts


def open_material(page, name):
    page.browser.get(f"{page.address}tables/{name}")
    page.until(lambda: page.find("#title").text != "Loading …")
    page.until(lambda: "Looking" not in page.find("#zugzwangs-note").text)
    return page


def test_what_is_told_of_a_material(page):
    open_material(page, "KPK")
    assert page.find("#title").text == "King and pawn against king"
    assert page.browser.title == "KPK · Endgame explorer"
    assert page.find("#facts").text.startswith("KPK · 165,676 positions up to symmetry · ")
    cells = page.texts("#results td")
    assert cells == [
        *("62,480 (76.5 %)", "19,184 (23.5 %)", "0"),
        *("0", "35,210 (41.9 %)", "48,802 (58.1 %)"),
    ]
    charts = [chart.get_attribute("aria-label") for chart in page.find_all(".chart")]
    mate, zeroing = "moves to mate, most often", "plies to zeroing, most often"
    assert charts == [
        f"White to move, White wins: 1 to 28 {mate} 11",
        f"Black to move, White wins: 1 to 28 {mate} 10",
        f"White to move, White wins: 1 to 19 {zeroing} 1",
        f"Black to move, White wins: 2 to 20 {zeroing} 2",
    ]
    assert len(page.find(".chart").find_elements("css selector", "g")) == 28
    assert "80: White to move draws, Black to move loses" in page.find("#zugzwangs-note").text
    assert len(page.find_all("#zugzwangs .small")) == 8
    assert page.browser.get_log("browser") == []


def test_links_lead_into_the_explorer(page):
    open_material(page, "KPK")
    page.click("#longest .small")
    page.until_headline("White mates in 28")
    page.browser.back()
    page.until(lambda: page.find_all("#zugzwangs .small"))
    words = page.find("#zugzwangs .words").text
    page.browser.execute_script("document.querySelector('#zugzwangs .small').focus()")
    page.keys(Keys.ENTER)
    page.until_headline("Draw")
    page.click("#setup")
    page.click("#other-side")
    page.click("#done")
    lost = words.split("Black to move loses in ")[1]
    page.until_headline(f"White mates in {lost}")


def bar(chart, distance):
    return f"#charts figure:nth-child({chart}) [data-distance='{distance}']"


def test_a_bar_opens_a_position_of_it(page):
    open_material(page, "KPK")
    assert page.find(bar(1, 28)).accessible_name.startswith("28 moves to mate: ")
    page.click(bar(1, 28))
    page.until_headline("White mates in 28")
    assert "White to move" in page.find("#detail").text
    open_material(page, "KPK")
    page.click(bar(2, 5))
    page.until_headline("White mates in 5")
    assert "Black to move" in page.find("#detail").text
    open_material(page, "KPK")
    page.click(bar(4, 20))
    page.until(lambda: "DTZ 20" in page.find("#detail").text)
    assert page.browser.get_log("browser") == []


def test_bars_are_chosen_by_keyboard(page):
    open_material(page, "KPK")
    stops = page.find_all("#charts [tabindex='0']")
    assert len(stops) == 4  # one for each chart
    page.browser.execute_script("arguments[0].focus()", stops[0])
    page.keys(Keys.END, Keys.ARROW_LEFT, Keys.ARROW_LEFT, Keys.ARROW_RIGHT)
    assert len(page.find_all("#charts [tabindex='0']")) == 4
    page.keys(Keys.ENTER)
    page.until_headline("White mates in 27")


def test_checkmates_are_a_bar_too(page):
    open_material(page, "KRK")
    page.click(bar(2, 0))
    page.until_headline("Checkmate: White has won")


def test_charts_have_axes(page):
    open_material(page, "KPK")
    ticks = page.texts("#charts figure:first-child .axis span")
    assert ticks == ["5", "10", "15", "20", "25"]
    levels = page.texts("#charts figure:first-child .levels span")
    assert levels == ["1", "100"]  # of 8,601, on a logarithmic scale
    assert len(page.find_all("#charts figure:first-child .level")) == len(levels)
    for tick in ("5", "25"):  # it stands below its bar
        left, right, middle = page.browser.execute_script(
            "const bar = document.querySelector(arguments[0]).getBoundingClientRect();"
            "const ticks = [...document.querySelectorAll('#charts figure:first-child .axis span')];"
            "const box = ticks.find((one) => one.textContent === arguments[1])"
            ".getBoundingClientRect();"
            "return [bar.left, bar.right, (box.left + box.right) / 2]",
            bar(1, tick), tick,
        )  # fmt: skip
        assert left <= middle <= right


def test_the_hardest_positions_as_boards(page):
    open_material(page, "KPK")
    page.until(lambda: page.find_all("#difficult .small"))
    assert "overlooks" in page.find("#difficult-note").text
    words = page.texts("#difficult .words")
    assert words[0] == "White to win: difficulty 0.90"
    assert {one.split(":")[0] for one in words} == {"White to win", "Black to draw"}
    page.click("#difficult .small")
    page.until(lambda: page.headline.startswith("White mates in "))
    assert page.browser.get_log("browser") == []


def test_the_command_for_a_report_leads_back_here(page, tmp_path):
    open_material(page, "KPK")
    page.until(lambda: page.find("#report").is_displayed())
    command = page.find("#report-command").text
    folder = shlex.quote(str((ROOT / "data").resolve()))
    assert command == f"tablebase report KPK --dir {folder} --explorer {page.address}"
    page.click("#report-copy")
    page.until(lambda: page.find("#report-copy").text != "Copy")
    pytest.importorskip("jinja2")
    pytest.importorskip("matplotlib")
    words = shlex.split(command)[1:]
    assert main([*words, "--out", str(tmp_path), "--no-butterfly"]) == 0
    page.browser.get((tmp_path / "KPK.html").as_uri())
    page.find("nav a:nth-of-type(2)").click()
    page.until(lambda: page.browser.current_url.startswith(page.address))
    page.until(lambda: page.find("#title").text == "King and pawn against king")
    page.browser.back()
    board = page.find("#hardest ~ .boards a")
    link = board.get_attribute("href")
    board.click()
    page.until(lambda: page.browser.current_url == link)
    page.until(lambda: page.moves)
    assert link == f"{page.address}?fen={page.fen.replace(' ', '_')}"


def test_a_distance_that_is_not_found_is_told(page):
    open_material(page, "KRK")
    page.browser.execute_script("arguments[0].dataset.distance = '99'", page.find(bar(1, 16)))
    page.click(bar(1, 99))
    page.until(lambda: page.find("#error").text == "KRK has no such position")
    assert page.find("body").get_attribute("aria-busy") is None


def test_positions_by_button_and_the_way_there(page):
    page.open(f"?fen={MATE_IN_16}")
    page.until(lambda: page.find("#about").text == "About KRK")
    page.click("#about")
    page.until(lambda: page.find("#title").text == "King and rook against king")
    page.until(lambda: page.find("#hardest").is_displayed())
    page.click("#hardest")
    page.until_headline("White mates in 16")
    page.until(lambda: page.find_all("#table-rows .about"))
    page.click("#table-rows tr:last-child .about")
    page.until(lambda: page.find("#title").text == "King, rook and knight against king")


@pytest.mark.parametrize("name", ["KQKQ", "nonsense", "%3Cscript%3E", "%E4%B8"])
def test_a_page_that_is_not_there(page, name):
    page.browser.get(f"{page.address}tables/{name}")
    page.until(lambda: page.find("#title").text == "No such page")
    assert page.find("#error").text
    assert not page.find("#content").is_displayed()


def test_a_material_without_a_win(page):
    open_material(page, "KK")
    assert page.find("#charts").text == "No position is won."
    assert page.find("#zugzwangs-note").text == "There are none."
    assert len(page.find_all("#results tr")) == 1  # both sides are alike
    assert not page.find("#hardest").is_enabled()


def test_a_table_that_is_not_looked_through(browser, zeroing_only_dir):
    with open_tablebase(zeroing_only_dir) as tables, serving(create_app(tables)) as address:
        page = open_material(Page(browser, f"{address}/"), "KRK")
        assert page.find("#zugzwangs-note").text.startswith("Not counted: the table of KRK was too")
        assert len(page.find_all(".chart")) == 2


@pytest.mark.parametrize("size", EACH_SIZE)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_page_of_a_material_fits_the_window(page, size, theme):
    features = [{"name": "prefers-color-scheme", "value": theme}]
    page.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    try:
        with window(page, *size):
            open_material(page, "KRNK")
            run = page.browser.execute_script
            assert run("return document.documentElement.scrollWidth") <= size[0]
            assert run(LUMINANCE) == []
            assert page.find("#longest .small").rect["width"] >= 100
            box = page.find(".scroll")
            assert run("return arguments[0].scrollWidth - arguments[0].clientWidth", box) == 0
    finally:
        page.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
