"""The explorer on published tables, in a real browser and below a folder of a plain host."""

import gzip
import os
import re
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from unittest.mock import Mock

import chess
import pytest
from support.browsing import MATE_IN_16, PATIENCE, Page, needs_browser, played, start_browser
from support.hosting import hosted
from support.published import built_later, publish, tables_in, write_checked

from tablebase import open_tablebase
from tablebase.practice.resistance import practical_move
from tablebase.publish.own_files import read_checked
from tablebase.publish.site import STATIC, page_texts

DATA = Path(__file__).parents[2] / "data"
GAME = """[White "Ann"]
[Black "Bob"]
[FEN "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"]

1. Rb7 Kd4 2. Ka2 Kc5 *
"""
MOST_BYTES = 216_600
UPDATE = "navigator.serviceWorker.getRegistration().then((one) => one.update())"


@pytest.fixture(scope="module")
def host(tmp_path_factory, published_dir):
    """Return the folder of a host that has a site below another folder."""
    folder = tmp_path_factory.mktemp("host")
    (folder / "some").mkdir()
    (folder / "some" / "project").symlink_to(published_dir)
    return folder


@pytest.fixture(scope="module")
def knights(tmp_path_factory):
    """Return the folder of a host whose longest win is a mate in one."""
    folder = tmp_path_factory.mktemp("knights")
    publish([DATA / f"{name}.h5" for name in ("KNNK", "KNK", "KK")], folder / "some" / "project")
    return folder


@pytest.fixture(scope="module")
def own_browser():
    """Start a browser of these tests, which may keep tables."""
    driver = start_browser()
    driver.set_script_timeout(PATIENCE)
    yield driver
    driver.quit()


@contextmanager
def visited(host, browser):
    with hosted(host) as address:
        page = Page(browser, f"{address}some/project/")
        browser.get_log("browser")
        yield page


def versions(caches):
    return [name.split(" ")[1] for name in caches]


@pytest.fixture
def page(host, own_browser):
    with visited(host, own_browser) as page:
        yield page
        assert [entry["message"] for entry in page.browser.get_log("browser")] == []


@pytest.mark.thorough
def test_the_pages_are_small(host):
    """The explorer without tables, compressed as hosts do it."""
    site = host / "some" / "project"
    pages = [one for one in site.rglob("*") if one.is_file() and not one.name.startswith("K")]
    assert site / "index.html" in pages
    assert site / "web" / "explorer.js" in pages
    compressed = {one: len(gzip.compress(one.read_bytes())) for one in pages}
    assert compressed.pop(site / "LICENSE")  # no page loads it
    assert sum(compressed.values()) <= MOST_BYTES, compressed


@pytest.mark.thorough
def test_pages_stay_as_they_are_if_nothing_is_new(host):
    site = host / "some" / "project"
    before = {path: path.stat().st_mtime_ns for path in site.rglob("*")}
    publish(tables_in(DATA), site)
    assert {path: path.stat().st_mtime_ns for path in site.rglob("*")} == before


def test_pages_are_as_they_were_written():
    """Each states what it may load, which rules scripts and styles in it out."""
    texts = page_texts()
    pages = sorted(STATIC.rglob("*.html"))
    assert len(pages) >= 3
    for path in pages:
        text = texts[path.relative_to(STATIC).as_posix()]
        assert text == path.read_text(encoding="utf-8")
        policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)[1]
        scripts = "script-src 'self' 'wasm-unsafe-eval'"  # to solve tables, and nothing else
        assert {"default-src 'none'", scripts} < {*policy.split("; ")}
        assert "'unsafe" not in policy
        assert not re.search(r"<style|<script(?![^>]*\bsrc=)|\sstyle=|\son\w+=", text)
        assert 'id="unstarted"' in text


@pytest.mark.parametrize("error", [None, metadata.PackageNotFoundError("chess-tablebase")])
def test_the_licence_of_a_checkout(monkeypatch, error):
    """Where the package is not installed, or was packed without it."""

    class Packed:
        def read_text(self, _):
            return None

    monkeypatch.setattr(metadata, "distribution", Mock(side_effect=error, return_value=Packed()))
    assert page_texts()["LICENSE"] == (DATA.parent / "LICENSE").read_text(encoding="utf-8")


class TestInABrowser:
    """Pages as a person sees them."""

    pytestmark = needs_browser

    def test_letters_can_be_the_pieces(self, page):
        page.open(f"?fen={MATE_IN_16}")
        page.until_headline("White mates in 16")
        page.click("#piece-set")
        images = page.find_all("#board img")
        page.until(lambda: all(int(image.get_attribute("naturalWidth")) for image in images))
        drawn = {image.get_attribute("src").removeprefix(page.address) for image in images}
        assert drawn == {"discs/bK.svg", "discs/wK.svg", "discs/wR.svg"}

    def test_the_tables_resist_as_on_the_server(self, page):
        board = chess.Board("8/8/8/2k2p2/8/4K3/8/8 w - - 0 1")
        with open_tablebase(DATA) as tables:
            after = board.copy()
            after.push_uci("e3f3")
            ranked = tables.rank_moves(after)
            chosen = practical_move(tables, after, ranked)
        assert chosen.move != ranked[0].move
        expected = f"1. Kf3 {after.san(chosen.move)}"
        page.open(f"?fen={board.fen().replace(' ', '_')}")
        page.until_headline("Draw")
        page.click("#practise")
        page.until_my_move()
        page.square("e3").click()
        page.square("f3").click()
        page.until(lambda: played(page) == expected)
        assert "longest defence" not in page.find("#score").text

    def test_what_takes_a_server_is_named(self, page):
        page.open("?fen=8/8/8/8/8/2k5/QR6/K5q1_w_-_-_0_1")
        page.until_headline("Unknown: no table of these pieces")
        lack = "there is no table of king, queen and rook against king and queen here (KQRKQ)"
        assert page.find("#detail").text.endswith(lack)
        assert "tablebase serve --solve" in page.find("#solve-note").text
        assert not page.find("#solve").is_displayed()
        assert page.find_all("#api, [href*=api]")
        assert not [one for one in page.find_all("#api, [href*=api]") if one.is_displayed()]

    def test_castling_is_told_in_the_words_of_the_server(self, page):
        page.open("?fen=4k3/8/8/8/8/8/8/4K2R_w_K_-_0_1")
        page.until_headline("White mates in 11")  # each of the moves gives up the right
        page.open("?fen=4k3/8/8/8/8/8/8/4K2R_b_K_-_0_1")
        page.until_headline("Unknown: castling is not covered")
        assert "need a server" in page.find("#detail").text
        page.click("#remedy button")
        page.until(lambda: page.headline.startswith("White mates"))

    def test_a_game_in_and_out(self, page):
        page.open(f"?fen={MATE_IN_16}")
        page.click("#pgn-open")
        page.browser.execute_script("document.getElementById('pgn').value = arguments[0]", GAME)
        page.click("#pgn-load")
        page.until(lambda: "of 5 positions known" in page.find("#pgn-note").text)
        assert "Ann" in page.find("#pgn-note").text
        text = page.find("#pgn").get_attribute("value")
        assert "[%eval #16]" in text
        assert '[White "Ann"]' in text

    def test_the_page_of_a_material(self, page):
        page.open(f"?fen={MATE_IN_16}")
        page.click("#more")
        page.until(lambda: page.find("#about").is_displayed())
        page.click("#about")
        page.until(lambda: page.find_all("#charts .bar, #charts g"))
        assert page.find("#title").text == "King and rook against king"
        page.until(lambda: "Looking" not in page.find("#zugzwangs-note").text)
        page.find("#charts").find_element("css selector", "[role=button], g[tabindex]").click()
        page.until(lambda: "fen=" in page.browser.current_url)
        page.until(lambda: page.find_all(".move"))
        assert "/some/project/" in page.browser.current_url
        assert page.headline.startswith("White mates")

    def test_no_such_page_of_a_material(self, page):
        page.browser.get(f"{page.address}tables/material.html?material=KQRKQ")
        page.until(lambda: page.find("#title").text == "No such page")
        told = page.find("#error").text
        assert "no table of king, queen and rook against king and queen here (KQRKQ)" in told
        assert "publish" not in told  # which is for whoever published it

    @pytest.mark.parametrize("name", ["index.html", "tables/material.html", "tables/course.html"])
    def test_a_page_from_a_file_says_what_it_needs(self, host, own_browser, name):
        page = Page(own_browser, (host / "some" / "project").as_uri())
        own_browser.get(f"{page.address}/{name}")
        page.until(lambda: page.find("#unstarted").is_displayed())
        assert "opened from a file, where browsers do not run it" in page.find("#unstarted").text
        own_browser.get_log("browser")  # what a browser says of it
        with visited(host, own_browser) as page:
            own_browser.get(f"{page.address}{name}?material=KRK")
            page.until(lambda: not page.find_all("#unstarted"))

    def test_an_old_service_worker_gives_way(self, own_browser, tmp_path):
        """The next visit shows the new pages, and the old ones are forgotten."""
        site = tmp_path / "some" / "project"
        publish([DATA / "KRK.h5"], site)
        new = {name: (site / name).read_bytes() for name in ("index.html", "offline.js")}
        worker = new["offline.js"].decode().partition("\n\n")[2]
        (site / "index.html").write_text('<html id="old"><link rel="icon" href="data:,">')
        head = 'const VERSION = "old";\nconst PAGES = ["index.html"];'
        (site / "offline.js").write_text(f"{head}\n\n{worker}")
        for name in new:  # hosts tell files apart by the second
            os.utime(site / name, (0, 0))
        register = """
        const [done] = arguments;
        navigator.serviceWorker.register("offline.js").then(() => navigator.serviceWorker.ready)
          .then(() => caches.keys()).then((names) => done(names.map((name) => name.split(" ")[1])));
        """
        kept = "caches.keys().then(arguments[0])"
        with visited(tmp_path, own_browser) as page:
            own_browser.get(f"{page.address}index.html")
            assert own_browser.execute_async_script(register) == ["old"]
            for name, data in new.items():
                (site / name).write_bytes(data)
            own_browser.execute_script(UPDATE)
            page.until(lambda: versions(own_browser.execute_async_script(kept)) != ["old"])
            page.until(lambda: len(own_browser.execute_async_script(kept)) == 1)
            own_browser.get(f"{page.address}index.html?fen={MATE_IN_16}")
            page.until_headline("White mates in 16")
            (name,) = own_browser.execute_async_script(kept)
            assert name.startswith("pages ")

    def test_no_course_where_no_win_takes_two_moves(self, knights, own_browser):
        with visited(knights, own_browser) as page:
            page.open("?fen=8/8/8/8/8/8/2KN4/k1N5_w_-_-_0_1")
            page.until_headline("White mates in 1")
            links = page.find_all("[href*='course.html']")
            assert len(links) == 3
            page.until(lambda: all(one.get_property("hidden") for one in links))

    def test_the_longest_loss_may_be_a_mate_on_the_board(self, knights, own_browser):
        with visited(knights, own_browser) as page:
            own_browser.get(f"{page.address}tables/material.html?material=KNNK")
            page.until(lambda: page.find_all("#longest .words"))
            told = page.texts("#longest .words")
            assert told[:2] == [
                "White to move, White wins: mate in 1 move (1 ply)",
                "Black to move, White wins: checkmate",
            ]
            assert told[3] == "Black to move, White wins: checkmate"

    def test_tables_that_are_published_later_are_kept_too(self, own_browser, tmp_path):
        site = tmp_path / "some" / "project"
        publish([DATA / f"{name}.h5" for name in ("KQK", "KRK")], site)
        with visited(tmp_path, own_browser) as page:
            page.open(f"?fen={MATE_IN_16}")
            page.until(lambda: page.find("#keep").is_displayed())
            page.click("#keep")
            page.until(lambda: "2 tables" in page.find("#keep-note").text)
            index = read_checked(site / "tables" / "KQK.json")
            del index["crc32"]
            write_checked(site / "tables" / "KQK.json", {**index, "added": "later"})
            publish([DATA / "KBK.h5"], site)
            page.open(f"?fen={MATE_IN_16}")
            page.until(lambda: page.find("#keep").is_displayed())
            page.click("#keep")
            page.until(lambda: "3 tables" in page.find("#keep-note").text)
            kept = """
            const [name, done] = arguments;
            const address = new URL(`tables/${name}`, location.href);
            caches.match(address).then((one) => one.text()).then(done);
            """
            text = own_browser.execute_async_script(kept, "KQK.json")
            assert text == (site / "tables" / "KQK.json").read_text(encoding="utf-8")

    def test_tables_of_other_games_are_kept_too(self, games_dir, own_browser, tmp_path):
        site = tmp_path / "some" / "project"
        paths = [DATA / "KRK.h5", *games_dir.glob("shatranj-*/KQK.h5")]
        publish(paths, site)
        kept = """
        const [done] = arguments;
        const paths = (keys) => keys.map(({ url }) => new URL(url).pathname);
        caches.keys().then((names) => caches.open(names.find((name) => name.startsWith("tables "))))
          .then((store) => store.keys()).then((keys) => done(paths(keys)));
        """
        with visited(tmp_path, own_browser) as page:
            page.open(f"?fen={MATE_IN_16}")
            page.until(lambda: page.find("#keep").is_displayed())
            page.click("#keep")
            page.until(lambda: "2 tables" in page.find("#keep-note").text)
            found = set(own_browser.execute_async_script(kept))
        files = {
            f"/{path.relative_to(tmp_path).as_posix()}"
            for path in (site / "tables").rglob("*")
            if path.is_file() and path.suffix != ".html"
        }
        assert len(files) == 2 * (3 + 5)
        assert found == files | {"/some/project/kept.json"}

    def test_a_table_replaced_by_one_of_the_same_size_is_offered_again(self, own_browser, tmp_path):
        site, source = tmp_path / "some" / "project", tmp_path / "KRK.h5"
        source.write_bytes((DATA / "KRK.h5").read_bytes())
        publish([source], site)
        kept = """
        const [done] = arguments;
        caches.match(new URL("tables/KRK.h5", location.href))
          .then((one) => one.arrayBuffer()).then((bytes) => done([...new Uint8Array(bytes)]));
        """
        with visited(tmp_path, own_browser) as page:
            page.open(f"?fen={MATE_IN_16}")
            page.until(lambda: page.find("#keep").is_displayed())
            page.click("#keep")
            page.until(lambda: "1 table" in page.find("#keep-note").text)
            page.open(f"?fen={MATE_IN_16}")
            page.until(lambda: page.find("#forget").is_displayed())
            assert not page.find("#keep").is_displayed()
            before = source.read_bytes()
            data = built_later(source)
            assert len(data) == len(before)
            publish([source], site, force=True)
            page.open(f"?fen={MATE_IN_16}")
            page.until(lambda: page.find("#keep").is_displayed())
            assert "Newer tables are published." in page.find("#keep-note").text
            assert bytes(own_browser.execute_async_script(kept)) == before
            page.click("#keep")
            page.until(lambda: not page.find("#keep").is_displayed())
            assert bytes(own_browser.execute_async_script(kept)) == data
            page.click("#forget")
            page.until(lambda: not page.find("#forget").is_displayed())

    def test_tables_that_are_not_kept_come_from_the_host(self, page):
        page.open(f"?fen={MATE_IN_16}")
        page.until(lambda: page.find("#keep").is_displayed())
        whole = page.find("#keep").text
        options = "#keep-men option[value='3']"
        page.find(options).click()
        assert page.find(options).text == "up to 3 pieces"
        assert page.find("#keep").text != whole
        page.click("#keep")
        page.until(lambda: "5 tables" in page.find("#keep-note").text)
        page.open("?fen=8/8/8/8/8/2k5/1R6/K3N3_w_-_-_0_1")
        page.until(lambda: page.headline.startswith("White mates"))
        page.until(lambda: page.find("#forget").is_displayed())
        page.click("#forget")
        page.until(lambda: page.find("#keep").is_displayed())

    def test_kept_tables_work_without_a_host(self, host, own_browser):
        site = host / "some" / "project"
        with visited(host, own_browser) as page:
            page.open(f"?fen={MATE_IN_16}")
            page.until(lambda: page.find("#keep").is_displayed())
            listed = read_checked(site / "tables" / "tables.json")["tables"]
            size = sum(one["bytes"] for one in listed.values())
            assert page.find("#keep").text == (
                f"Keep these tables on this device ({size / 1e6:.1f} MB)"
            )
            page.click("#keep")
            page.until(lambda: page.find("#keep-note").text.startswith("Kept on this device"))
            assert f"{len(listed)} tables" in page.find("#keep-note").text
            assert not page.find("#keep").is_displayed()
        # The host is gone; the browser keeps nothing else of it.
        own_browser.execute_cdp_cmd("Network.clearBrowserCache", {})
        page.open("?fen=8/8/8/8/8/1k6/8/KQ6_b_-_-_0_1")
        page.until(lambda: len(page.find_all(".move")) > 0)
        page.until(lambda: page.find("#hardest").is_enabled())
        page.click("#hardest")
        page.until(lambda: "mates in" in page.headline)
        page.browser.get(f"{page.address}tables/material.html?material=KRNK")
        page.until(lambda: page.find("#title").text == "King, rook and knight against king")
        page.open(f"?fen={MATE_IN_16}")
        page.until_headline("White mates in 16")
        page.until(lambda: page.find("#forget").is_displayed())
        page.click("#forget")
        page.until(lambda: not page.find("#forget").is_displayed())
        left = """
        const [done] = arguments;
        Promise.all([caches.keys(), navigator.serviceWorker.getRegistrations()])
          .then((found) => done(found.map((list) => list.length)));
        """
        assert own_browser.execute_async_script(left) == [0, 0]
