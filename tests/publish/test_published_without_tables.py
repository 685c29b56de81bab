"""Sites without table files, whose pages solve the tables: in node and in a browser."""

import json
import random
import re
import zlib
from pathlib import Path
from shutil import copytree

import pytest
from support import commands
from support.browsing import PATIENCE, TELEPHONE, Page, needs_browser, start_browser
from support.commands import refusal
from support.hosting import hosted
from support.published import (
    address_of,
    as_the_reader_answers,
    in_node,
    needs_node,
    probed,
    publish_tables_alone,
    publish_values,
    random_boards,
)

from tablebase import open_tablebase
from tablebase.core.answers.known import look_up
from tablebase.core.positions.chess_position import ChessPosition
from tablebase.core.rules.material import all_materials
from tablebase.publish import listing
from tablebase.publish.own_files import read_checked

PAGE = (Path(__file__).parents[2] / "docs" / "publish.md").read_text(encoding="utf-8")
ROOK = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"
FOUR = [one for men in (3, 4) for one in all_materials(men) if one.groups]
thorough = pytest.mark.thorough
CUSTOM = b"\0\2\1a"  # a section of a module that says nothing
# Ask for a position; give its answer, and what the reader says of tables that are being solved.
ASK = """
const [fen, done] = arguments;
import("/reader/index.js").then(async ({ open }) => {
  const words = [];
  const answer = await (await open("/tables/")).standard(fen, { waits: (one) => words.push(one) });
  done([answer, words]);
}).catch((error) => done(String(error)));
"""
# As ASK, and for each worker that was started whether it has ended.
ASK_COUNTING = """
const ended = [];
globalThis.Worker = class extends Worker {
  #number = ended.push(false) - 1;
  terminate() {
    super.terminate();
    ended[this.#number] = true;
  }
};
""" + ASK.replace("done([answer, words])", "done([answer.category, ended])")
# Give the places of kept tables by their caches, of which something may be made, one by one.
KEPT = """
const [change, done] = arguments;
caches.keys().then(async (names) => {
  const found = {};
  for (const name of names.filter((one) => one.startsWith("solved "))) {
    const store = await caches.open(name);
    const requests = await store.keys();
    found[name] = requests.map(({ url }) => decodeURIComponent(url.split("/").at(-1)));
    for (const request of change ? requests : []) {
      const bytes = new Uint8Array(await (await store.match(request)).arrayBuffer());
      await store.put(request, new Response(new Function("bytes", change)(bytes)));
    }
  }
  done(found);
}).catch((error) => done(String(error)));
"""


@pytest.fixture(scope="module")
def site(zeroing_dir, tmp_path_factory, page_modules):  # noqa: ARG001 (they must be there)
    """Return a folder of publication of up to four men without their tables, and a bare page."""
    folder = tmp_path_factory.mktemp("site")
    page = '<!doctype html><link rel="icon" href="data:,">'
    (folder / "bare.html").write_text(page, encoding="utf-8")
    sources = [path for path in sorted(zeroing_dir.glob("K*.h5")) if path.stem != "KK"]
    return publish_values(sources, folder, solved=True)


def solver_of(site):
    """Return the files by which pages solve tables: the module and the problems."""
    folder = site / "tables"
    stated = read_checked(folder / "tables.json")["solver"]
    return [(folder / stated[name]).resolve() for name in ("module", "problems")]


@pytest.fixture(scope="module")
def own_browser():
    """Start a browser of these tests, which keeps pages."""
    driver = start_browser()
    yield driver
    driver.quit()


@thorough
def test_a_site_has_no_table_and_as_little_else_as_the_page_says(site, page_modules):
    assert not [*site.rglob("*.h5")]
    (told,) = re.findall(r"both distances, take\s(\d+) kB", PAGE)
    sizes = [path.stat().st_size / 1000 for path in solver_of(site)]
    assert sum(sizes) == pytest.approx(int(told), rel=0.05)
    (of_modules,) = re.findall(r"need only the first: (\d+) kB and (\d+) kB", PAGE)
    for solver, kilobytes in zip(("chess", "every_game"), of_modules, strict=True):
        (module,) = page_modules.glob(f"{solver}-*.bin")
        assert module.stat().st_size / 1000 == pytest.approx(int(kilobytes), rel=0.05)
    assert len(read_checked(site / "tables" / "tables.json")["tables"]) == 35


@needs_node
@thorough
def test_answers_are_those_of_tables(site, zeroing_dir):
    boards = random_boards(random.Random(5), FOUR, 300)
    answers = probed(address_of(site), [one.fen() for one in boards])
    with open_tablebase(zeroing_dir) as tables:
        for board, answer in zip(boards, answers, strict=True):
            answer.pop("cost")
            known = look_up(tables, ChessPosition(board))
            assert answer == as_the_reader_answers(board, known), board.fen()


@needs_node
@thorough
def test_who_can_still_win_is_as_with_tables(site, helped_by_four, tmp_path):
    """By helpmates, which are solved where nobody wins or the loser might yet mate."""
    fens = [one.fen() for one in random_boards(random.Random(6), FOUR, 200)]
    addresses = address_of(site), publish_tables_alone(helped_by_four, tmp_path / "tables")
    told, wanted = (
        [
            [json.loads(line).get(name) for name in ("dead", "can_win")]
            for line in in_node("standard_published.mjs", address, lines=fens)
        ]
        for address in addresses
    )
    assert told == wanted
    assert {dead for dead, _ in told} == {True, False, None}  # None where the game is over


@needs_node
@thorough
@pytest.mark.parametrize("number", [0, 1], ids=["module", "problems"])
@pytest.mark.parametrize("place", [0.2, 0.9])
def test_a_damaged_file_gives_a_line_and_no_value(site, number, place, tmp_path):
    damaged = copytree(site, tmp_path / "site")
    path = solver_of(damaged)[number]
    data = bytearray(path.read_bytes())
    data[int(place * len(data))] ^= 1
    path.write_bytes(data)
    (answer,) = probed(address_of(damaged), [ROOK])
    assert answer["error"] == "CorruptTableError"
    assert answer["message"] == f"{path.as_uri()} is damaged: publish the tables again"


@needs_node
@thorough
def test_what_a_device_lacks_is_told_in_words(site):
    """Vectors, permission, memory; in words, with what helps."""
    told = [json.loads(line) for line in in_node("unable_in_node.mjs", address_of(site), ROOK)]
    assert [one["name"] for one in told] == ["SolvingError"] * 4
    vectors, permission, memory, small = (one["message"] for one in told)
    assert "take Chromium 91, Firefox 89, Safari 16.4 or newer" in vectors
    assert "needs script-src 'wasm-unsafe-eval'" in permission
    assert "solving KRK takes 4 MiB of memory, which this device does not have" in memory
    assert "takes 4 MiB of memory, more than half of the 0.00390625 GiB of this device" in small


@needs_node
@thorough
def test_an_ending_that_is_left_is_dropped_where_room_is_short(site):
    """Its sub-tables stay with it."""
    left, other, part = "8/8/8/8/8/2k5/1r6/K2Q4 w - - 0 1", "8/8/8/8/8/2k5/1R6/K5N1 w - - 0 1", ROOK
    for room, again in ((1, {"KQK", "KQKR"}), (2**30, set())):
        fens = [left, part, left, other, left]
        told = [json.loads(line) for line in
                in_node("leaving_in_node.mjs", address_of(site), str(room), *fens)]  # fmt: skip
        assert [{*one} >= {"KQKR"} for one in told] == [True, False, False, False, bool(again)]
        assert again <= {*told[-1]}


@needs_node
@thorough
@pytest.mark.usefixtures("page_modules")
def test_publishing_again_changes_nothing_and_tables_may_come_later(folders_by_metric, tmp_path):
    sources = [folders_by_metric["both"] / f"{name}.h5" for name in ("KRK", "KQK")]
    site = publish_values(sources, tmp_path / "site", solved=True)
    before = {path: path.stat().st_mtime_ns for path in site.rglob("*")}
    publish_values(sources, site, solved=True)
    assert {path: path.stat().st_mtime_ns for path in site.rglob("*")} == before
    publish_values(sources[:1], site)
    listed = read_checked(site / "tables" / "tables.json")["tables"]
    assert listed["KRK"]["bytes"] == (site / "tables" / "KRK.h5").stat().st_size
    assert listed["KQK"]["bytes"] == 0
    answers = probed(address_of(site), [ROOK, "8/8/8/8/8/3k4/1Q6/K7 w - - 0 1"])
    assert [one["wdl"] for one in answers] == [1, 1]
    publish_values(sources, site, solved=True)
    assert not [*site.rglob("*.h5")]


def test_materials_are_needed(tmp_path, capsys):
    command = ["publish", tmp_path / "site", "--no-tables"]
    line = refusal(capsys, *map(str, command))
    assert "--no-tables needs materials, like KRK, or --men 4" in line


def test_without_a_module_nothing_is_built(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(listing, "MODULES", tmp_path / "none")
    command = ["publish", tmp_path / "site", "KRK", "--no-tables"]
    line = refusal(capsys, *map(str, command))
    assert "python scripts/make_modules.py" in line


@thorough
@pytest.mark.usefixtures("page_modules")
def test_tables_need_not_be_built(tmp_path, capsys, monkeypatch):
    """The command builds what describes them, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    code, out, err = commands.run(
        capsys, "publish", "site", "KRK", "--no-tables", "--rules", "shatranj"
    )
    assert code == 0, err
    assert out.endswith("site: 1 table in all\n")
    assert re.search(r"^ *KRK +0 ", out, re.MULTILINE)  # no bytes of a table
    assert [path.name for path in tmp_path.iterdir()] == ["site"]
    (place,) = (tmp_path / "site" / "tables").glob("shatranj-*")
    assert read_checked(place / "KRK.exercises.json")["material"] == "KRK"


class TestInABrowser:
    pytestmark = needs_browser

    def test_a_position_is_solved_and_works_without_a_network(self, own_browser, site):
        own_browser.set_window_size(*TELEPHONE)
        with hosted(site) as address:
            page = Page(own_browser, address)
            own_browser.get(f"{address}?fen={ROOK.replace(' ', '_')}")
            page.until(lambda: page.find("#verdict").text.startswith("White mates in 16"))
            page.until(lambda: "35 tables" in page.find("#keep-note").get_attribute("textContent"))
            others = [
                f"{kind} {address}{folder}"
                for kind, folder in (
                    ("tables", "other/"),
                    ("pages 1", "other/"),
                    ("solved 1", "other/tables/"),
                    ("solved 1", "tables/of-others/tables/"),
                )
            ]
            own_browser.execute_async_script(
                "Promise.all(arguments[0].map((one) => caches.open(one))).then(arguments[1])",
                others,
            )
        pawn = "8/8/8/8/8/k7/4P3/4K3_w_-_-_0_1"
        own_browser.get(f"{address}?fen={pawn}")  # the host has gone
        page.until(lambda: page.find("#verdict").text.startswith("White mates in 21"))
        # Forgetting leaves what other sites of the same host keep.
        keys = "const [done] = arguments; caches.keys().then(done)"
        assert {*own_browser.execute_async_script(keys)} > {*others}
        own_browser.execute_script("document.getElementById('forget').click()")
        page.until(lambda: page.find("#forget").get_attribute("hidden"))
        assert {*own_browser.execute_async_script(keys)} == {*others}
        assert not [one for one in own_browser.get_log("browser") if one["level"] == "SEVERE"]

    def test_the_next_visit_solves_nothing_unless_what_was_kept_is_damaged(
        self, own_browser, site, tmp_path
    ):
        folder = copytree(site, tmp_path / "site")
        won = "8/8/8/8/8/2k5/1n6/K3R3 w - - 0 1"
        own_browser.set_script_timeout(PATIENCE)

        def ask(fen):
            own_browser.get(f"{address}bare.html")
            return own_browser.execute_async_script(ASK, fen)

        def kept(change=""):
            return own_browser.execute_async_script(KEPT, change)

        with hosted(folder) as address:
            page = Page(own_browser, address)
            answers = {}
            wanted = {"KRK dtm", "KRK dtz", "KRKN dtm", "KRKN dtz", "KRKN black_mates"}
            for fen in (ROOK, won):
                answers[fen], words = ask(fen)
                assert words[0].startswith("Solving "), words
            page.until(lambda: wanted <= {one for keys in kept().values() for one in keys})
            assert answers[won]["category"] == "win"
            assert answers[won]["can_win"] == {"white": True, "black": True}
            assert [ask(fen) for fen in answers] == [[answer, []] for answer in answers.values()]
            ((name, keys),) = kept().items()
            assert "KRKN white_mates" not in keys  # who wins can mate
            damages = (
                "bytes[bytes.length >> 1] ^= 1; return bytes",
                "return bytes.subarray(0, bytes.length / 2)",
                "return ''",
            )
            for change in damages:
                kept(change)
                for fen, answer in answers.items():
                    again, words = ask(fen)
                    assert again == answer
                    assert any(word.startswith("Solving K") for word in words)
                page.until(lambda: ask(won)[1] == [])
            # Another module has other tables, and those of this one are deleted.
            module, _ = solver_of(folder)
            module.write_bytes(zlib.compress(zlib.decompress(module.read_bytes()) + CUSTOM, 9))
            own_browser.execute_cdp_cmd("Network.clearBrowserCache", {})
            assert ask(ROOK)[1]
            page.until(lambda: {*kept()} != {name} and len(kept()) == 1)
            own_browser.execute_cdp_cmd(
                "Storage.overrideQuotaForOrigin", {"origin": address.rstrip("/"), "quotaSize": 1}
            )
            assert ask(won)[0] == answers[won]
            assert ask(won)[1]

    @pytest.mark.parametrize(
        ("fen", "workers"),
        [
            pytest.param(ROOK, 0, id="three men"),
            pytest.param("8/8/8/8/8/2k5/1n6/K3R3 w - - 0 1", 3, id="four men"),
        ],
    )
    def test_workers_end_with_their_work(self, own_browser, site, fen, workers):
        """So that their memory is free again; what takes little is solved without them."""
        with hosted(site) as address:
            own_browser.set_script_timeout(PATIENCE)
            own_browser.get(f"{address}bare.html")
            told = own_browser.execute_async_script(ASK_COUNTING, fen)
        assert told == ["win", [True] * workers]  # both distances, and a helpmate

    def test_a_board_of_another_page_solves_its_ending(self, own_browser, site, tmp_path):
        with hosted(site, all_read=True) as address, hosted(tmp_path) as elsewhere:
            (tmp_path / "page.html").write_text(
                f'<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">'
                f'<script type="module" src="{address}ending.js"></script>'
                f'<chess-ending fen="{ROOK}"></chess-ending>',
                encoding="utf-8",
            )
            own_browser.get(f"{elsewhere}page.html")
            page = Page(own_browser, elsewhere)
            script = "return document.querySelector('chess-ending').shadowRoot?.textContent ?? ''"
            page.until(lambda: "White mates in 16" in own_browser.execute_script(script))
        assert not [one for one in own_browser.get_log("browser") if one["level"] == "SEVERE"]
