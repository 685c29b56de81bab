"""The element <chess-ending>: one script, several boards, in a real browser."""

import re
from pathlib import Path

import pytest
from support.browsing import Page, needs_browser
from support.hosting import hosted
from support.published import publish, tables_in
from tablebase.web.bundle import bundled

DATA = Path(__file__).parents[2] / "data"
ROOK = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"
PAGE = f"""<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">
<style>#blue {{ --chess-dark: rgb(1, 2, 3); --chess-width: 200px; }}</style>
<script type="module" src="SCRIPT"></script>
<chess-ending id="plain" fen="{ROOK}" ATTRIBUTES></chess-ending>
<chess-ending id="blue" fen="{ROOK}" practise ATTRIBUTES></chess-ending>
<chess-ending id="pawn" fen="8/5P1k/8/8/8/8/8/K7 w - - 0 1" ATTRIBUTES></chess-ending>
<chess-ending id="broken" fen="nonsense" ATTRIBUTES></chess-ending>
"""


@pytest.mark.parametrize(
    ("modules", "message"),
    [
        ({"a.js": 'import { b } from "./b.js";\n'}, "a.js imports b.js"),
        ({"a.js": 'import { a } from "./a.js";\n'}, "a.js imports a.js"),
        ({"a.js": 'import { c } from "./b.js";\n', "b.js": "const c = 1;\n"}, "a.js imports c"),
        ({"a.js": "export default 1;\n"}, "cannot be bundled: export default"),
        ({"a.js": "export const one = 1, two = 2;\n"}, "exports two names"),
        ({"a.js": 'import * as b from "./b.js";\n', "b.js": ""}, "cannot be bundled: import"),
    ],
)
def test_other_modules_are_refused(modules, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        bundled("a.js", modules)


def test_names_are_handed_on():
    modules = {
        "web/a.js": 'import {\n  one as uno, two,\n} from "../lib/b.js";\nuno(two);\n',
        "lib/b.js": 'export * from "./c.js";\nexport { two };\nconst two = 2;\n',
        "lib/c.js": "export async function* one() {}\nexport class Three {}\n",
    }
    text = bundled("web/a.js", modules)
    assert "const { one: uno, two } = module1;" in text
    assert "return { ...module0, two };" in text
    assert "return { one, Three };" in text
    assert not re.search(r"^(import|export)\b", text, re.MULTILINE)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Return a site, with its script once more alone in a folder."""
    folder = tmp_path_factory.mktemp("site")
    publish(tables_in(DATA), folder)
    (folder / "alone").mkdir()
    (folder / "alone" / "ending.js").write_bytes((folder / "ending.js").read_bytes())
    pages = {
        "beside.html": PAGE.replace("SCRIPT", "ending.js").replace("ATTRIBUTES", ""),
        "alone/far.html": PAGE.replace("ATTRIBUTES", 'tables="../tables/"').replace(
            "SCRIPT", "ending.js"
        ),
    }
    for name, text in pages.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


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

    @pytest.mark.parametrize("path", ["beside.html", "alone/far.html"])
    def test_several_boards_on_a_page(self, site, browser, path):
        with hosted(site) as address:
            page = Boards(browser, address)
            browser.get_log("browser")
            browser.get(f"{address}{path}")
            page.until(lambda: page.part("plain", ".headline") is not None)
            page.until_told("plain", "White mates in 16")
            page.until_told("pawn", "White mates in 9")
            page.until_told("blue", "Your move")
            page.until_told("broken", "This FEN cannot be read")
            self.require_free_play(page)
            self.require_practice(page)
            self.require_promotion(page)
            self.require_looks(page)
            assert browser.get_log("browser") == []

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
        """The tables answer good moves; a mistake can be taken back."""
        page.pull("blue", "b2", "b7")
        page.until(lambda: page.position_of("blue").split()[5] == "2")
        page.until_told("blue", "Your move")
        assert page.part("blue", ".detail").text == "Rb7 is right."
        page.part("blue", ".again").click()
        page.until(lambda: page.position_of("blue") == ROOK)
        page.until_told("blue", "Your move")
        page.pull("blue", "b2", "b3")
        page.until_told("blue", "A mistake")
        assert "loses the win" in page.part("blue", ".detail").text
        page.part("blue", ".back").click()
        page.until_told("blue", "Your move")
        page.part("blue", ".reveal").click()
        page.until_told("blue", "White mates in 16")

    def require_promotion(self, page):
        page.pull("pawn", "f7", "f8")
        page.until(lambda: page.part("pawn", ".choices").is_displayed())
        page.part("pawn", ".choices [data-uci$=r]").click()
        page.until(lambda: page.position_of("pawn").startswith("5R2/"))
        page.until(lambda: "is slower" in page.part("pawn", ".detail").text)

    def require_looks(self, page):
        """Variables of the page style a board, and another FEN replaces its position."""
        dark = page.part("blue", "[data-square=a1]").value_of_css_property("background-color")
        assert dark == "rgba(1, 2, 3, 1)"
        assert page.part("blue", ".board").size["width"] == 200
        script = "document.getElementById('broken').setAttribute('fen', arguments[0])"
        page.browser.execute_script(script, "8/8/8/8/8/1k6/8/K7 w - - 0 1")
        page.until_told("broken", "Draw")
