"""The element <chess-ending>: several boards on a page, also of another host, in a real browser."""

import gzip
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.browsing import Page, needs_browser
from support.hosting import hosted
from support.published import publish, tables_in

DATA = Path(__file__).parents[2] / "data"
ROOK = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"
DIAMOND = "8/8/8/3k4/8/1KQ5/8/q7 w - - 0 1"
PAGE = f"""<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">
<link rel="stylesheet" href="page.css">
<script type="module" src="SCRIPT"></script>
<chess-ending id="plain" fen="{ROOK}" ATTRIBUTES></chess-ending>
<chess-ending id="blue" fen="{ROOK}" practise ATTRIBUTES></chess-ending>
<chess-ending id="pawn" fen="8/5P1k/8/8/8/8/8/K7 w - - 0 1" ATTRIBUTES></chess-ending>
<chess-ending id="broken" fen="nonsense" ATTRIBUTES></chess-ending>
<chess-ending id="diamond" rules="shatranj" fen="{DIAMOND}" practise ATTRIBUTES></chess-ending>
<chess-ending id="none" rules="makruk" fen="{DIAMOND}" ATTRIBUTES></chess-ending>
"""

LOOK = "#blue { --chess-dark: rgb(1, 2, 3); --chess-width: 200px; }"
# What a board may fetch before table files and pieces.
MOST_REQUESTS, MOST_BYTES = 22, 75_950


@pytest.fixture(scope="module")
def site(tmp_path_factory, games_dir):
    """Return a site with a page that has boards, of shatranj, too."""
    folder = tmp_path_factory.mktemp("site")
    (shatranj,) = (path.parent for path in games_dir.rglob("KQKQ.h5"))
    publish([*tables_in(DATA), *tables_in(shatranj)], folder)
    page = PAGE.replace("SCRIPT", "ending.js").replace("ATTRIBUTES", "")
    (folder / "beside.html").write_text(page, encoding="utf-8")
    (folder / "page.css").write_text(LOOK, encoding="utf-8")
    return folder


@contextmanager
def opened(browser, site, tmp_path, *, is_foreign, requests):
    """Give a page with boards: of the site, or of another host under a policy that is strict."""
    with hosted(site, all_read=is_foreign, requests=requests) as address:
        if not is_foreign:
            browser.get(f"{address}beside.html")
            yield Boards(browser, address)
            return
        policy = f"default-src 'self'; script-src {address}; connect-src {address}; img-src * data:"
        head = f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        page = PAGE.replace("SCRIPT", f"{address}ending.js").replace("ATTRIBUTES", "")
        (tmp_path / "far.html").write_text(page.replace("<link", f"{head}<link", 1))
        (tmp_path / "page.css").write_text(LOOK, encoding="utf-8")
        with hosted(tmp_path) as elsewhere:
            browser.get(f"{elsewhere}far.html")
            yield Boards(browser, elsewhere)


class Boards(Page):
    """A page with boards of <chess-ending>."""

    def part(self, board, css):
        script = (
            "return document.getElementById(arguments[0]).shadowRoot.querySelector(arguments[1])"
        )
        return self.browser.execute_script(script, board, css)

    def headline_of(self, board):
        return self.part(board, ".headline").text

    def position_of(self, board):
        return self.browser.execute_script(
            "return document.getElementById(arguments[0]).position", board
        )

    def until_told(self, board, text):
        self.until(lambda: self.headline_of(board) == text)

    def pull(self, board, start, end):
        squares = (self.part(board, f"[data-square={one}]") for one in (start, end))
        self.drag(*squares)


class TestInABrowser:
    """Boards as a person sees them."""

    pytestmark = needs_browser

    @pytest.mark.parametrize("is_foreign", [False, True])
    def test_several_boards_on_a_page(self, site, browser, tmp_path, is_foreign):
        browser.get_log("browser")
        requests = []
        with opened(browser, site, tmp_path, is_foreign=is_foreign, requests=requests) as page:
            page.until(lambda: page.part("plain", ".headline") is not None)
            page.until_told("plain", "White mates in 16")
            page.until_told("pawn", "White mates in 9")
            page.until_told("blue", "Win this for White")
            page.until_told("diamond", "Win this for White")
            page.until_told("none", "No result for this position")
            page.until_told("broken", "This FEN cannot be read")
            self.require_few_requests(site, requests)
            self.require_free_play(page)
            self.require_practice(page)
            self.require_promotion(page)
            self.require_other_game(page)
            self.require_looks(page)
            assert browser.get_log("browser") == []

    def require_few_requests(self, site, requests):
        """Modules and what numbers positions; table files and pieces come after them."""
        once = [one for one in requests if not one.endswith(".h5")]  # tables are read in parts
        assert len(once) == len(set(once))
        others = (
            "/pieces/",
            "/discs/",
            "/tables/K",
            "/tables/shatranj",
            "/beside.html",
            "/page.css",
        )
        modules = [one for one in requests if not one.startswith(others)]
        assert {"/ending.js", "/tables/tables.json"} < set(modules)
        packed = sum(len(gzip.compress((site / one[1:]).read_bytes())) for one in modules)
        assert len(modules) <= MOST_REQUESTS, modules
        assert packed <= MOST_BYTES

    def require_free_play(self, page):
        """Moves by drag, by the list, and back."""
        moves = "return document.getElementById('plain').shadowRoot.querySelectorAll('.move')"
        assert len(page.browser.execute_script(moves)) == 16
        page.pull("plain", "b2", "b7")
        page.until_told("plain", "White mates in 15")
        page.part("plain", ".best").click()
        page.until(lambda: page.position_of("plain").split()[1] == "w")
        for _ in range(2):
            page.part("plain", ".back").click()
        page.until_told("plain", "White mates in 16")
        assert page.position_of("plain") == ROOK

    def require_practice(self, page):
        """The task is told, the tables answer good moves; a mistake can be taken back."""
        task = page.part("blue", ".detail").text
        assert task == "Mate in 16 with best play. Solved when you mate."
        page.pull("blue", "b2", "b7")
        page.until(lambda: page.position_of("blue").split()[5] == "2")
        page.until_told("blue", "Your move")
        assert page.part("blue", ".detail").text == "Rb7 is best"
        page.part("blue", ".again").click()
        page.until(lambda: page.position_of("blue") == ROOK)
        page.until_told("blue", "Win this for White")
        page.pull("blue", "b2", "b3")
        page.until_told("blue", "Rb3+ is a mistake")
        assert page.part("blue", "[data-square=b3] .worth.mistake.sign")
        assert page.part("blue", ".detail").text == "It was a win, now Kxb3 draws"
        assert page.part("blue", ".why").text.startswith("Rule 4 came first (Ka2 or Kb1): step")
        page.part("blue", ".back").click()
        page.until_told("blue", "Win this for White")
        page.part("blue", ".reveal").click()
        page.until_told("blue", "White mates in 16")

    def require_promotion(self, page):
        page.pull("pawn", "f7", "f8")
        page.until(lambda: page.part("pawn", ".choices").is_displayed())
        page.part("pawn", ".choices [data-uci$=r]").click()
        page.until(lambda: page.position_of("pawn").startswith("5R2/"))
        page.until(lambda: "slower than the best" in page.part("pawn", ".detail").text)

    def require_other_game(self, page):
        """A board of another game stands beside those of chess, and each speaks of its own."""
        assert page.part("diamond", ".detail").text.startswith("Win in 20 with best play.")
        assert "no tables of makruk here" in page.part("none", ".detail").text
        label = page.part("diamond", "[data-square=c3]").get_attribute("aria-label")
        assert label == "c3, white fers"
        page.pull("diamond", "b3", "b4")
        page.until(lambda: page.position_of("diamond").split()[1] == "w")
        page.until_told("diamond", "Your move")
        page.part("plain", ".again").click()
        page.until_told("plain", "White mates in 16")
        label = page.part("plain", "[data-square=b2]").get_attribute("aria-label")
        assert label == "b2, white rook"

    def require_looks(self, page):
        """Variables of the page style a board, and another FEN replaces its position."""
        dark = page.part("blue", "[data-square=a1]").value_of_css_property("background-color")
        assert dark == "rgba(1, 2, 3, 1)"
        assert page.part("blue", ".board").size["width"] == 200
        script = "document.getElementById('broken').setAttribute('fen', arguments[0])"
        page.browser.execute_script(script, "8/8/8/8/8/1k6/8/K7 w - - 0 1")
        page.until_told("broken", "Draw")
