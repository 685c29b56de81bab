"""Make all pictures of the documentation: ``make pictures``.

Usage: python scripts/pictures.py [FOLDER]

Drawings come from ``draw_images.py``, butterfly boards from ``tablebase butterfly``. Pictures of
the explorer and of reports are taken by chromium, driven by what the browser's tests use. Without a
folder all of them go to ``docs/images``.
"""

from __future__ import annotations

import io
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import draw_images

ROOT = Path(__file__).parents[1]
DATA = ROOT / "data"
MATE_IN_16 = "8/8/8/8/8/2k5/1R6/K7_w_-_-_0_1"
KEEP_THE_DRAW = """[White "Ann"]
[Black "Bob"]
[SetUp "1"]
[FEN "8/8/4k3/8/4P3/4K3/8/8 w - - 0 1"]

1. Kf4 Kf6 2. e5+ Ke6 3. Ke4 Ke7 4. Kd5 Kd7 5. e6+ Ke7 6. Ke5 Kd8 7. Kd6 Ke8 8. e7 1-0
"""
DIAMOND = "8/8/8/3k4/8/1KQ5/8/q7_w_-_-_0_1"
LASKER_REICHHELM = "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7_w_-_-_0_1"


def save(png: bytes, path: Path) -> None:
    """Write a picture with a palette of 256 colours, a third as large."""
    from PIL import Image

    with Image.open(io.BytesIO(png)) as image:
        image.convert("RGB").quantize(256).save(path, optimize=True)


def position(page: Any) -> None:
    """Show a position with its line and its moves."""
    page.open(f"?fen={MATE_IN_16}")
    page.click("#line-card summary")
    page.until(lambda: page.find_all("#line li"))


def practice(page: Any) -> None:
    """Show a mistake in practice."""
    page.open(f"?fen={MATE_IN_16}")
    page.click("#practise")
    page.until(lambda: "movable" in page.square("b2").get_attribute("class"))
    page.square("b2").click()
    page.square("b3").click()
    page.until(lambda: "mistake" in page.headline)


def game(page: Any) -> None:
    """Show a game of somebody with its mistakes."""
    page.open(f"?fen={MATE_IN_16}")
    page.click("#pgn-open")
    page.browser.execute_script(
        "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input'))",
        page.find("#pgn"),
        KEEP_THE_DRAW,
    )
    page.click("#pgn-load")
    page.until(lambda: page.find("#pgn-note").text not in {"", "Looking the game up …"})
    next(one for one in page.find_all("#played button") if one.text.startswith("Kd8")).click()
    page.until_headline("White mates in 10")


def solved(page: Any) -> None:
    """Show a position that no table has, solved."""
    page.open(f"?fen={LASKER_REICHHELM}")
    page.until(lambda: page.find("#solve").is_displayed())
    page.click("#solve")
    page.until(lambda: page.headline.startswith("White wins"))
    if not page.find("#line-card").get_attribute("open"):
        page.click("#line-card summary")
    page.until(lambda: page.find_all("#line li"))


def laboratory(page: Any) -> None:
    """Show the report on two pieces of somebody's own."""
    page.browser.get(f"{page.address}laboratory/index.html?a=NW&c=FmD")
    page.until(
        lambda: (
            page.find("#status").text.startswith("All 64")
            and not page.find("#progress").is_displayed()
        )
    )


LAPTOP = (1440, 760)
EXPLORER: dict[str, tuple[Callable[[Any], None], tuple[int, int]]] = {
    "explorer": (position, LAPTOP),
    "practice": (practice, LAPTOP),
    "game": (game, LAPTOP),
    "solved": (solved, LAPTOP),
    "laboratory": (laboratory, (1100, 1120)),
}
# Files, and which part of the report of a material they show.
REPORTS = {
    "distances": "h2#distances ~ figure img",
    "squares": "h2#squares ~ figure img",
}


@contextmanager
def browsing() -> Iterator[Any]:
    """Start a browser, as the tests do."""
    sys.path.insert(0, str(ROOT / "tests"))
    from support.browsing import start_browser

    browser = start_browser()
    browser.set_window_size(1200, 1000)
    browser.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": True})
    at_rest = [{"name": "prefers-reduced-motion", "value": "reduce"}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": at_rest})
    try:
        yield browser
    finally:
        browser.quit()


def take_explorer(browser: Any, folder: Path) -> None:
    """Take the pictures of the explorer."""
    from support.browsing import Page, serving, window

    with serving(DATA, "--solve", "2m,4GB") as address:
        page = Page(browser, address)
        for name, (show, size) in EXPLORER.items():
            with window(page, *size):
                show(page)
                browser.execute_script("scrollTo(0, 0)")
                save(browser.get_screenshot_as_png(), folder / f"{name}.png")


def take_diamond(browser: Any, folder: Path, games: Path) -> None:
    """Take the explorer with al-Suli's Diamond, whose table is in a folder."""
    from support.browsing import Page, serving, window

    with serving(games) as address, window(page := Page(browser, address), *LAPTOP):
        page.open(f"?rules=shatranj&fen={DIAMOND}")
        page.until(lambda: page.moves)
        page.click("#line-card summary")
        page.until(lambda: page.find_all("#line li"))
        browser.execute_script("scrollTo(0, 0)")
        save(browser.get_screenshot_as_png(), folder / "shatranj-page.png")


def take_reports(browser: Any, folder: Path, reports: Path) -> None:
    """Take parts of a report, which `tablebase report` has written."""
    from selenium.webdriver.common.by import By

    browser.get((reports / "KPK.html").as_uri())
    for name, selector in REPORTS.items():
        figure = browser.find_element(By.CSS_SELECTOR, selector)
        save(figure.screenshot_as_png, folder / f"report-{name}.png")


def main(folder: Path) -> None:
    """Write all pictures to a folder."""
    from tablebase.cli.program import main as command_line

    draw_images.main(folder)
    butterflies = folder / "butterfly"
    butterflies.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as made:
        where = ("--dir", str(DATA), "--out", made)
        command_line(["butterfly", "KRK", *where])
        command_line(["report", "KPK", *where])
        games = Path(made) / "games"
        command_line(["build", "KQKQ", "--rules", "shatranj", "--dir", str(games)])
        for path in Path(made).glob("*.svg"):
            (butterflies / path.name).write_bytes(path.read_bytes())
        with browsing() as browser:
            take_explorer(browser, folder)
            take_diamond(browser, folder, games)
            take_reports(browser, folder, Path(made))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else ROOT / "docs" / "images")
