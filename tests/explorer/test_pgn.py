"""The game as PGN in a real browser: written, loaded, dropped, annotated."""

import io

import chess.pgn
import pytest

pytest.importorskip("selenium")

from selenium.webdriver.common.keys import Keys
from support.browsing import (
    DESKTOP,
    EACH_SIZE,
    LUMINANCE,
    MATE_IN_16,
    in_view,
    needs_browser,
    play,
    played,
    window,
)

pytestmark = needs_browser
GAME = """[White "Ann <img src=x onerror=alert(1)> \\"Q\\""]
[Black "Bob"]
[SetUp "1"]
[FEN "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"]

1. Rb7 {<b>bold</b>} (1. Rb3+ Kxb3 (1... Kd4)) 1... Kc2 2. Rb8 *
"""
DROP = """
const transfer = new DataTransfer();
if (arguments[1]) transfer.items.add(new File([arguments[0]], "game.pgn"));
else transfer.setData("text/plain", arguments[0]);
const over = new DragEvent("dragover", {bubbles: true, cancelable: true, dataTransfer: transfer});
document.body.dispatchEvent(over);
document.body.dispatchEvent(new DragEvent("drop", {bubbles: true, dataTransfer: transfer}));
return over.defaultPrevented;
"""


def text_of(page):
    return page.find("#pgn").get_attribute("value")


def note(page):
    return page.find("#pgn-note").text


def load(page, text):
    if not page.find("#pgn").is_displayed():
        page.click("#pgn-open")
    page.browser.execute_script(
        "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input'))",
        page.find("#pgn"),
        text,
    )
    page.click("#pgn-load")
    page.until(lambda: note(page) not in {"", "Looking the game up …"})


def test_the_moves_played_are_written(page):
    page.open(f"?fen={MATE_IN_16}")
    page.click("#pgn-open")
    play(page, "b2b7", "c3d3", "b7b8")
    page.click("#first")
    play(page, "a1a2", "c3c4")
    page.click("#back")
    play(page, "c3d3")
    game = chess.pgn.read_game(io.StringIO(text_of(page)))
    assert not game.errors
    assert game.board().fen() == MATE_IN_16.replace("_", " ")
    exporter = chess.pgn.StringExporter(headers=False, columns=None)
    assert game.accept(exporter) == "1. Rb7 ( 1. Ka2 Kc4 ( 1... Kd3 ) ) 1... Kd3 2. Rb8 *"
    assert max(map(len, text_of(page).splitlines())) <= 80


def current(page):
    return page.find("#played [aria-current]").text


def test_a_file_is_opened_by_a_button(page, tmp_path):
    path = tmp_path / "game.pgn"
    path.write_text(GAME, encoding="utf-8")
    with window(page, 390, 844):
        page.open(f"?fen={MATE_IN_16}")
        assert not page.find("#mistake").is_displayed()
        page.click("#pgn-open")
        assert page.find("#pgn-choose").is_displayed()
        for _ in range(2):  # the same file again
            page.find("#pgn-file").send_keys(str(path))
            page.until(lambda: "7 of 7" in note(page))
            assert not page.find("#pgn").is_displayed()
            page.until(lambda: current(page) == "Rb3+?")
            assert page.find("#mistake").is_displayed()
            page.browser.execute_script("document.getElementById('hardest').click()")
            page.until(lambda: note(page) == "")  # what was said of the game is gone with it
            assert not page.find("#mistake").is_displayed()


def test_a_game_is_loaded_and_annotated(page):
    page.open(f"?fen={MATE_IN_16}")
    load(page, GAME)
    assert page.texts("#played button") == [
        *("Rb7", "Rb3+?", "Kxb3", "Kd4?", "Kc2?!", "Rb8?!"),
    ]
    comments = page.texts("#played .comment")
    assert comments[0] == "<b>bold</b>"
    assert comments[1] == "Draws; Ka2 wins in 16 moves (31 plies)."
    assert "(1\N{HORIZONTAL ELLIPSIS} Kd4?" in played(page)
    assert note(page).startswith("Ann <img src=x onerror=alert(1)>")
    assert "Bob · 7 of 7 positions known" in note(page)
    assert "White: 1 mistake, 1 slow move · Black: 1 mistake, 1 slow move" in note(page)
    assert not page.find("#pgn").is_displayed()  # the game is what one came for
    assert current(page) == "Rb3+?"
    page.until_headline("Draw")
    assert page.find("#mistake").text == "Next mistake · 1 of 2"
    page.click("#mistake")
    page.until(lambda: current(page) == "Kd4?")
    assert page.find("#mistake").text == "Next mistake · 2 of 2"
    page.browser.execute_script("document.activeElement.blur()")
    page.keys("e")  # round again
    page.until(lambda: current(page) == "Rb3+?")
    again = chess.pgn.read_game(io.StringIO(text_of(page)))
    assert again.headers["White"].startswith("Ann <img src=x onerror=alert(1)>")
    page.find_all("#played button")[2].click()
    page.until(lambda: page.fen == "8/8/8/8/8/1k6/8/K7 w - - 0 2")
    rewritten = chess.pgn.read_game(io.StringIO(text_of(page)))
    assert not rewritten.errors
    assert str(rewritten).split() == str(again).split()  # lines may break elsewhere
    page.browser.back()
    page.until(lambda: page.fen == MATE_IN_16.replace("_", " "))
    assert page.browser.get_log("browser") == []


def test_a_mistake_is_practised_from_before_it(page):
    """By the side that made it, whose values are hidden."""
    page.open(f"?fen={MATE_IN_16}")
    load(page, GAME)
    page.until(lambda: current(page) == "Rb3+?")
    page.click("#practise")
    page.until_headline("Win this for White")
    assert page.fen == MATE_IN_16.replace("_", " ")
    assert page.moves == []
    assert not page.find("#again").is_enabled()


def test_a_telephone_shows_the_mistake_on_the_board(page):
    with window(page, 390, 844):
        page.open(f"?fen={MATE_IN_16}")
        assert page.find(".top [href*='course.html']").is_displayed()
        for go in (
            lambda: page.browser.execute_script(DROP, GAME, "as a file"),
            lambda: page.browser.execute_script("document.getElementById('mistake').click()"),
        ):
            page.browser.execute_script("scrollTo(0, document.body.scrollHeight)")
            go()
            page.until(lambda: in_view(page, "#board"))
            page.until(lambda: "7 of 7" in note(page))


def test_what_is_pasted_takes_the_place_of_the_game(page):
    page.open(f"?fen={MATE_IN_16}")
    page.click("#pgn-open")
    page.click("#pgn")
    selected = "return getSelection().toString()"
    page.until(lambda: page.browser.execute_script(selected).startswith("[Event"))
    page.keys("1")
    page.until(lambda: text_of(page) == "1")
    page.click("#pgn")
    page.keys(Keys.END, "2")
    page.until(lambda: text_of(page) == "12")


def test_the_tabs_stay_while_one_goes_through_a_game(page):
    with window(page, 1366, 768):
        page.open(f"?fen={MATE_IN_16}")
        load(page, GAME)
        page.until(lambda: current(page) == "Rb3+?")
        tops = set()
        page.click("#first")
        for _ in range(4):
            page.until(lambda: page.headline != "Loading …")
            tops.add(page.find(".tabs").rect["y"])
            page.browser.execute_script("document.getElementById('forward').click()")
        assert len(tops) == 1


def test_the_first_known_position_of_a_game_is_shown(page):
    page.open(f"?fen={MATE_IN_16}")
    load(page, '[FEN "8/8/8/8/3q4/2k1N3/1R6/K7 w - - 0 1"]\n\n1. Nc2 Qd1+ 2. Rb1 Qxc2 3. Rb3+')
    assert page.fen.startswith("8/8/8/8/3q4/2k1N3")  # none is known
    assert note(page).startswith("0 of 6 positions known · no tables of ")
    load(page, '[FEN "8/8/8/8/2n5/2kn4/1R6/K7 w - - 0 1"]\n\n1. Rb3+ Kxb3 2. Kb1 *')
    assert page.fen == "8/8/8/8/2n5/1k1n4/8/K7 w - - 0 2"


@pytest.mark.parametrize("as_file", [True, False])
def test_a_game_is_dropped_onto_the_page(page, as_file):
    page.open(f"?fen={MATE_IN_16}")
    assert page.browser.execute_script(DROP, GAME, as_file)
    page.until(lambda: "7 of 7" in note(page))
    assert played(page).startswith("1. Rb7")
    assert "[%eval" in text_of(page)


def test_one_of_several_games_is_chosen(page):
    where = '[Event "Club"]\n[Date "2001.??.??"]\n[Result "1-0"]\n'
    other = where + GAME.replace("Ann", "Zoe")
    page.open(f"?fen={MATE_IN_16}")
    page.browser.execute_script(DROP, f"{GAME}\n{other}\n1. e4 *\n", "as a file")
    page.until(lambda: note(page).startswith("game 1 of 3 · Ann"))
    options = page.texts("#pgn-games option")
    assert options[1] == '2. Zoe <img src=x onerror=alert(1)> "Q" \N{EN DASH} Bob, 1-0, Club, 2001'
    assert options[2] == "3. game 3"
    assert page.find("#pgn-choice label").text == "Game"
    page.browser.execute_script("document.getElementById('pgn-games').focus()")
    page.keys(Keys.ARROW_DOWN)
    page.until(lambda: note(page).startswith("game 2 of 3 · Zoe"))
    assert text_of(page).count("[White") == 1
    assert "[%eval" in text_of(page)
    page.keys(Keys.ARROW_DOWN)
    page.until(lambda: note(page).startswith("game 3 of 3 · 0 of 2 positions"))
    assert played(page).startswith("1. e4")
    assert page.browser.execute_script("return document.activeElement.id") == "pgn-games"
    page.browser.back()  # through the games, too
    page.until(lambda: played(page).startswith("1. Rb7"))
    load(page, GAME)
    assert not page.find("#pgn-choice").is_displayed()
    assert not note(page).startswith("game")


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "utf-16", "utf-16-be"])
def test_files_in_other_encodings_keep_their_letters(page, encoding):
    page.open(f"?fen={MATE_IN_16}")
    script = DROP.replace("[arguments[0]]", "[new Uint8Array(arguments[0])]")
    page.browser.execute_script(script, list(GAME.replace("Ann", "Zoë").encode(encoding)), "file")
    page.until(lambda: note(page).startswith("Zoë"))


@pytest.mark.parametrize("size", EACH_SIZE)
def test_many_long_games_fit_the_window(page, size):
    with window(page, *size):
        page.open(f"?fen={MATE_IN_16}")
        load(page, "\n".join([GAME.replace("Ann", "A" * 200)] * 20))
        assert len(page.find_all("#pgn-games option")) == 20
        assert page.browser.execute_script("return document.documentElement.scrollWidth") <= size[0]
        assert page.browser.execute_script(LUMINANCE) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<script>alert(1)</script>", "there is no game in the text"),
        ("1. e4 " * 50_000, "game.pgn is longer than 262144 bytes"),
        (
            '[FEN "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"]\n\n1. Rb7 Ke8 *',
            "reading stopped: 'Ke8' is not a legal move",
        ),
    ],
)
def test_what_is_wrong_with_a_text_is_told(page, text, message):
    page.open(f"?fen={MATE_IN_16}")
    page.browser.execute_script(DROP, text, "as a file")
    page.until(lambda: message in note(page))
    assert page.headline == "White mates in 16"


def test_variations_of_variations_are_set_in_only_so_far(page):
    game = chess.pgn.Game()
    game.setup(MATE_IN_16.replace("_", " "))
    node = game
    for _ in range(150):  # a line that begins as a variation each move
        moves = list(node.board().legal_moves)
        node.add_main_variation(moves[0])
        node = node.add_variation(moves[1])
    page.open(f"?fen={MATE_IN_16}")
    load(page, str(game))
    assert len(page.find_all("#played button")) == 300
    assert len(page.find_all(".variation")) == 6
    with window(page, 390, 844):
        assert page.browser.execute_script("return document.documentElement.scrollWidth") <= 390


def test_a_text_being_written_is_left_alone(page):
    page.open(f"?fen={MATE_IN_16}")
    page.click("#pgn-open")
    page.find("#pgn").clear()
    page.find("#pgn").send_keys("1. e4 ")
    play(page, "b2b7")
    assert text_of(page) == "1. e4 "


def test_a_mistake_has_its_sign_and_no_arrow_of_another_position(page):
    """A mistake is marked on its square; the text tells the right move, and no arrow does."""
    page.open(f"?fen={MATE_IN_16}")
    load(page, GAME)
    page.until_headline("Draw")
    assert [one.get_attribute("class") for one in page.find_all("[data-square=b3] .worth")] == [
        "worth mistake sign",
    ]
    assert not page.find_all(".hint polygon")
    page.click("#back")
    page.until_headline("White mates in 16")
    assert not page.find_all(".worth, .hint polygon")
    page.open(f"?fen={MATE_IN_16}")
    play(page, "b2b3")
    page.until_headline("Draw")
    assert not page.find_all(".hint polygon")
    assert "Ka2" in page.find("#remark").text
    assert page.find("[data-square=b3] .worth.mistake.sign")
    page.click("#setup")
    assert not page.find_all(".worth, .hint polygon")


LONG = " ".join(f"{n}. Rb{7 - n % 2} K{'cd'[n % 2]}3" for n in range(1, 30))


def test_a_long_game_has_one_place_to_scroll(page):
    with window(page, 1366, 800):
        page.open(f"?fen={MATE_IN_16}")
        load(page, GAME[: GAME.index("1. Rb7")] + LONG)
        page.browser.execute_script("scrollTo(0, 0)")
        sizes = "return [arguments[0].clientHeight, arguments[0].scrollHeight]"
        height, needed = page.browser.execute_script(sizes, page.find("#lines"))
        assert needed > height > 120  # four lines or more
        height, needed = page.browser.execute_script(sizes, page.find("#game-card"))
        assert needed <= height


def test_the_current_move_stays_in_sight(page):
    """With the choice of a game and the mating line, which is played."""
    hidden = "return arguments[0].scrollHeight - arguments[0].clientHeight"
    with window(page, 1366, 768):
        page.open(f"?fen={MATE_IN_16}")
        load(page, GAME[: GAME.index("1. Rb7")] + LONG + "\n\n" + GAME)
        page.click("#last")
        page.click("#line-card summary")
        page.until(lambda: page.find_all("#line li"))
        page.browser.execute_script("scrollTo(0, 0)")
        page.until(lambda: in_view(page, "#played [aria-current]"))
        shown = len(page.find_all("#played li"))
        page.click("#watch")
        page.until(lambda: len(page.find_all("#played li")) > shown)
        page.click("#watch")
        page.until(lambda: in_view(page, "#played [aria-current]"))
        assert page.browser.execute_script(hidden, page.find("#game-card")) <= 0


@pytest.mark.parametrize("size", EACH_SIZE)
def test_a_loaded_game_fits_the_window(page, size):
    with window(page, *size):
        page.open(f"?fen={MATE_IN_16}")
        load(page, GAME.replace("bold", "b" * 300))
        page.browser.execute_script("scrollTo(0, 0)")
        for css in ("#board", "#verdict", "#best"):
            assert in_view(page, css), css
        assert page.browser.execute_script("return document.documentElement.scrollWidth") <= size[0]
        lines = page.browser.execute_script(
            "const box = document.getElementById('lines');"
            "return [box.scrollWidth, box.clientWidth, box.getBoundingClientRect().height]"
        )
        assert lines[0] <= lines[1]
        assert lines[2] < (600 if size == DESKTOP else 300)
        assert page.browser.execute_script(LUMINANCE) == []
