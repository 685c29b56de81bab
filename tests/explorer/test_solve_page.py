"""Positions solved on demand in the explorer, in a real browser."""

import re

import chess
import pytest

pytest.importorskip("selenium")

from selenium.webdriver.common.keys import Keys
from support import in_process
from support.browsing import (
    LUMINANCE,
    MATE_IN_16,
    SIZES,
    Page,
    in_view,
    needs_browser,
    play,
    serving,
    window,
)

from tablebase import open_tablebase
from tablebase.core.ground.errors import UnsupportedPositionError
from tablebase.serve.server import create_app
from tablebase.solve.answers import solve_position
from tablebase.solve.budget import read_budget
from tablebase.solve.places import check_solvable

pytestmark = needs_browser
BUDGET = "10h,1GB"
TREBUCHET = "8/8/8/3pK3/2kP4/8/8/8_w_-_-_0_1"
BLOCKED = "8/8/3k4/1p1p4/1P1P4/3K4/8/8_w_-_-_0_1"
ENDLESS = "8/1p3kpp/8/8/8/1P6/P4KPP/8_w_-_-_0_1"  # takes minutes


@pytest.fixture(scope="module")
def solving_address(tmp_path_factory):
    """Serve an empty folder, and solve; the kernels are compiled before."""
    solve_position(chess.Board(TREBUCHET.replace("_", " ")), BUDGET)
    with serving(tmp_path_factory.mktemp("empty"), "--solve", BUDGET) as address:
        yield address


@pytest.fixture
def solver(browser, solving_address):
    browser.get_log("browser")
    browser.get(f"{solving_address}tables/course.html")
    browser.execute_script("localStorage.clear()")  # what was solved before
    return Page(browser, solving_address)


def note(page):
    return page.find("#solve-note").text


def groups(page):
    """Return how many moves do what."""
    return page.texts("#moves h3")


def solve(page, fen):
    page.open(f"?fen={fen}")
    assert page.headline == "Unknown: no table of these pieces"
    page.until(lambda: page.find("#solve").is_displayed())
    assert page.find("#solve").text == "Solve this position"
    assert note(page) == "At most 600 min and 1.0 GB"
    page.click("#solve")


def test_a_position_without_table_is_solved(solver):
    solve(solver, TREBUCHET)
    solver.until_headline("Black wins")
    detail = r"White to move · proven in [\d.]+ (?:s|min) without the 50-move rule"
    assert re.fullmatch(detail, solver.find("#detail").text)
    assert groups(solver) == ["5 moves lose"]
    solver.until(lambda: not solver.find("#solve").is_displayed())
    assert not solver.find("#practise").is_enabled()
    assert "only tables and saved proofs" in solver.find("#practise").get_attribute("title")
    solver.until(lambda: solver.find_all("#line li"))  # the plan is shown at once
    line = solver.texts("#line button")
    assert line[-1].endswith("#")
    assert solver.find("#line-card h2").text == "Winning line"
    solver.click("#watch")
    solver.until(lambda: len(solver.find_all("#played li")) == len(line))
    solver.until_headline("Black wins")  # along the line, too
    solver.click("#watch")
    solver.click("#last")
    solver.until_headline("Checkmate: Black has won")
    assert solver.browser.get_log("browser") == []


def test_what_is_solved_outlives_a_reload(solver):
    solve(solver, TREBUCHET)
    solver.until_headline("Black wins")
    solver.until(lambda: solver.find_all("#line li"))
    solver.browser.refresh()
    solver.until_headline("Black wins")
    assert groups(solver) == ["5 moves lose"]
    solver.open(f"?fen={TREBUCHET}")  # by a link, too
    assert solver.headline == "Black wins"
    solver.browser.execute_script("localStorage.clear()")
    solver.open(f"?fen={TREBUCHET}")
    assert solver.headline == "Unknown: no table of these pieces"


def test_every_move_can_be_proven_by_keyboard(solver):
    solve(solver, BLOCKED)
    solver.until_headline("Draw")
    assert groups(solver) == ["3 moves draw", "2 moves draw or lose"]
    solver.until(lambda: solver.find("#solve").text == "Prove every move")
    solver.browser.execute_script("document.getElementById('solve').focus()")
    solver.keys(Keys.ENTER)
    solver.until(lambda: groups(solver) == ["3 moves draw", "2 moves lose"])
    focused = "return document.activeElement.id"  # the button has gone
    solver.until(lambda: solver.browser.execute_script(focused) == "verdict")
    play(solver, "d3c2")
    solver.until_headline("Black wins")
    solver.click("#back")
    play(solver, "d3e3")
    # The headline was "Draw" before, so it does not tell that the answer has come.
    solver.until(lambda: solver.find("#solve").is_displayed())
    assert solver.headline == "Draw"


def test_solving_can_be_stopped(solver):
    solve(solver, ENDLESS)
    solver.until(lambda: "proven" in note(solver))
    assert solver.find("#solve").text == "Stop"
    solver.click("#solve")
    solver.until(lambda: note(solver).endswith(" · stopped"))
    assert solver.find("#solve").text == "Solve this position"
    assert "nothing proven" in note(solver) or "at least" in note(solver)


def test_another_position_ends_what_is_solved(solver):
    solve(solver, ENDLESS)
    solver.until(lambda: "proven" in note(solver))
    solver.browser.execute_script("document.activeElement.blur()")
    solver.keys("x")
    solver.until(lambda: "Black to move" in solver.find("#detail").text)
    assert solver.find("#solve").text == "Solve this position"
    solver.open(f"?fen={TREBUCHET}")
    solver.until(lambda: solver.find("#solve").is_displayed())

    def is_solved():
        if "another position" in note(solver):  # the process has just been told to end
            solver.click("#solve")
        return solver.headline == "Black wins"

    solver.click("#solve")
    solver.until(is_solved)


@pytest.mark.parametrize(
    "fen",
    [
        chess.STARTING_FEN,  # too many pieces
        "4k2r/8/8/8/8/8/PPPPPPPP/4K3 w k - 0 1",  # castling
        "qrk5/8/8/8/8/8/8/KBN5 w - - 0 1",  # four pieces
    ],
)
def test_solving_is_not_offered_where_it_cannot_work(solver, fen):
    solver.open(f"?fen={fen.replace(' ', '_')}")
    solver.until(lambda: solver.headline.startswith("Unknown: "))
    assert not solver.find("#solve").is_displayed()
    with pytest.raises(UnsupportedPositionError):
        check_solvable(chess.Board(fen))


STUB = """
const [lines, real] = [arguments[0], window.fetch];
window.fetch = (path, options) => String(path).includes("/solve")
  ? Promise.resolve(new Response(lines.map((line) => `${JSON.stringify(line)}\\n`).join("")))
  : real(path, options);
"""


def test_compiling_is_told(solver):
    solver.open(f"?fen={TREBUCHET}")
    solver.until(lambda: solver.find("#solve").is_displayed())
    line = {"done": False, "seconds": 3.0, "compiling": True, "problem": None, "solution": None}
    stopped = line | {"done": True, "problem": "stopped"}
    solver.browser.execute_script(STUB, [line, stopped])
    solver.click("#solve")
    solver.until(lambda: note(solver) == "compiling the solver, once per version (3.0 s) · stopped")


def test_only_a_server_that_solves_offers_it(page):
    page.open(f"?fen={TREBUCHET}")
    assert page.headline == "Unknown: no table of these pieces"
    page.until(lambda: "tablebase build" in page.find("#detail").text)
    assert not page.find("#solve").is_displayed()


def test_known_positions_are_not_to_be_solved(browser, mate_dir):
    with (
        open_tablebase(mate_dir) as tables,
        in_process.serving(create_app(tables, solve=read_budget(BUDGET))) as address,
    ):
        page = Page(browser, f"{address}/").open(f"?fen={MATE_IN_16}")
        assert page.headline == "White mates in 16"
        assert not page.find("#solve").is_displayed()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_fits_the_window(solver, theme):
    features = [{"name": "prefers-color-scheme", "value": theme}]
    solver.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    run = solver.browser.execute_script
    try:
        solve(solver, BLOCKED)
        solver.until_headline("Draw")
        for size in SIZES:
            with window(solver, *size):
                solver.until(lambda size=size: run("return [innerWidth, innerHeight]") == [*size])
                for css in ("#board", "#verdict", "#solve", "#best", "#setup"):
                    # A browser may scroll once more after it got another size.
                    solver.until(lambda css=css: run("scrollTo(0, 0)") or in_view(solver, css))
                assert run("return document.documentElement.scrollWidth") <= size[0]
                assert run(LUMINANCE) == []
    finally:
        solver.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_a_position_that_was_saved_is_known(browser, tmp_path):
    board = chess.Board("2k5/8/p1P5/P2K4/8/8/8/8 w - - 0 1")
    solve_position(board, BUDGET, moves=True, save=tmp_path / "fahrni.region")
    with serving(tmp_path) as address:
        page = Page(browser, address)
        page.open(f"?fen={board.fen().replace(' ', '_')}")
        page.until_headline("White wins")
        told = "proven: DTZ 11 without the 50-move rule"
        assert told in page.find("#detail").text
        page.until(lambda: page.find_all("#moves abbr"))
        told = page.find("#moves abbr").get_attribute("title")
        assert told == "11 plies to the next capture, pawn move or mate"
        assert groups(page) == ["7 moves win", "1 move only draws"]
        assert "DTZ 11\nno 50-move rule" in page.find("#moves .plies").text
        page.click("#line-card summary")
        page.until(lambda: page.find_all("#line li"))
        assert page.find_all("#line button")[-1].text.endswith("#")
        page.click("#practise")
        page.until_my_move()
        page.square("d5").click()
        page.square("d4").click()
        page.until(lambda: len(page.find_all("#played button")) == 2)  # it is answered
        page.until_my_move()
        assert "Kd4 is best" in page.find("#detail").text
        assert browser.get_log("browser") == []
