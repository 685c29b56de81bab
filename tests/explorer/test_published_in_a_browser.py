"""The reader in a real browser, from plain hosts."""

import random
import re
from pathlib import Path

import pytest
from support.browsing import PATIENCE, needs_browser, start_browser
from support.hosting import hosted
from support.published import as_the_reader_answers, publish_values, random_boards

from tablebase import open_tablebase
from tablebase.core.answers.known import look_up
from tablebase.core.positions.chess_position import ChessPosition
from tablebase.core.rules.material import all_materials

pytestmark = needs_browser

ROOT = Path(__file__).parents[2]
PROBE = """
const [fens, done] = arguments;
import("/reader/index.js").then(async ({ open }) => {
  const tables = await open("tables");
  const failed = ({ name, message }) => ({ error: name, message });
  done(await Promise.all(fens.map((fen) => tables.probe(fen).catch(failed))));
}, (error) => done(String(error)));
"""


@pytest.fixture(scope="module")
def site(zeroing_dir, tmp_path_factory):
    """Return a folder of publication with all tables of up to four men."""
    return publish_values(sorted(zeroing_dir.glob("K*.h5")), tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="module")
def browser():
    browser = start_browser()
    browser.set_script_timeout(PATIENCE)
    yield browser
    browser.quit()


@pytest.mark.parametrize("ranges", [True, False])
def test_values_in_a_browser_are_as_in_python(site, zeroing_dir, browser, ranges):
    materials = [one for men in (3, 4) for one in all_materials(men) if one.groups]
    boards = random_boards(random.Random(21), materials, 80)
    with hosted(site, ranges=ranges) as address:
        browser.get(address)
        answers = browser.execute_async_script(PROBE, [one.fen() for one in boards])
    with open_tablebase(zeroing_dir) as tables:
        for board, answer in zip(boards, answers, strict=True):
            assert answer == as_the_reader_answers(board, look_up(tables, ChessPosition(board))), (
                board.fen()
            )


def test_errors_in_a_browser_have_words(site, browser):
    with hosted(site) as address:
        browser.get(address)
        (no_fen, no_table) = browser.execute_async_script(
            PROBE, ["nonsense", "8/8/8/8/8/2k5/QR6/K5q1 w - - 0 1"]
        )
    assert no_fen["error"] == "UnsupportedPositionError"
    assert "the table of KQRKQ is not published here" in no_table["message"]


def test_the_page_of_the_documentation_works(site, browser):
    text = (ROOT / "docs" / "js-api.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```html\n(.*?)```", text, re.DOTALL)
    (script,) = (one for one in blocks if "import { open }" in one)
    page = site / "example.html"
    page.write_text(f"<!doctype html><meta charset=utf-8><body>{script}</body>", encoding="utf-8")
    with hosted(site) as address:
        browser.get(f"{address}example.html")
        shown = browser.execute_async_script(
            """
            const [done] = arguments;
            const look = () => /^.+ mates in .+ plies$/.test(document.body.textContent);
            if (look()) done(document.body.textContent);
            new MutationObserver(() => look() && done(document.body.textContent))
              .observe(document.body, { childList: true, subtree: true });
            """
        )
    assert re.fullmatch(r"\S+ mates in 31 plies", shown)
