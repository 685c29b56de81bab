"""Keys, wheel, hover, touch and the tray of men, in a real browser."""

import random

import chess
import pytest

pytest.importorskip("selenium")

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from support.browsing import (
    LAPTOP,
    MATE_IN_16,
    TELEPHONE,
    arrows,
    in_view,
    needs_browser,
    play,
    played,
    window,
)

pytestmark = needs_browser
START = MATE_IN_16.replace("_", " ")


def current(page):
    """Return the move of the list that is shown, None at the first position."""
    found = page.find_all("#played [aria-current]")
    return found[0].text if found else None


def pressed(page, *keys):
    page.browser.execute_script("document.activeElement.blur()")
    page.keys(*keys)


# Keys


def test_keys_go_through_the_game(page):
    page.open(f"?fen={MATE_IN_16}")
    play(page, "b2b7", "c3c4", "b7b8")
    for key, move in [
        (Keys.HOME, None),
        (Keys.END, "Rb8"),
        (Keys.ARROW_UP, None),
        (Keys.ARROW_DOWN, "Rb8"),
        (Keys.ARROW_LEFT, "Kc4"),
        (Keys.ARROW_RIGHT, "Rb8"),
    ]:
        pressed(page, key)
        page.until(lambda move=move: current(page) == move)
    assert page.browser.execute_script("return scrollY") == 0


def test_shift_and_arrows_go_to_other_variations(page):
    page.open(f"?fen={MATE_IN_16}")
    play(page, "b2b7")
    pressed(page, Keys.HOME)
    play(page, "a1a2")
    ActionChains(page.browser).key_down(Keys.SHIFT).send_keys(Keys.ARROW_UP).key_up(
        Keys.SHIFT
    ).perform()
    page.until(lambda: current(page) == "Rb7")
    ActionChains(page.browser).key_down(Keys.SHIFT).send_keys(Keys.ARROW_DOWN).key_up(
        Keys.SHIFT
    ).perform()
    page.until(lambda: current(page) == "Ka2")


def test_letters_and_the_space_bar(page):
    page.open(f"?fen={MATE_IN_16}")
    page.until(lambda: page.find("#best").is_enabled())
    pressed(page, Keys.SPACE)
    page.until(lambda: played(page) == "1. Ka2")
    pressed(page, Keys.ARROW_LEFT)
    page.until(lambda: page.fen == START)
    pressed(page, "f")
    assert "Black below" in page.find("#board").get_attribute("aria-label")
    pressed(page, "f")
    pressed(page, "x")
    page.until(lambda: page.fen == "8/8/8/8/8/2k5/1R6/K7 b - - 0 1")
    pressed(page, "?")
    assert page.find("#help").is_displayed()
    assert "distance to zeroing" in page.find("#help").text
    page.keys(Keys.ARROW_LEFT, "f")  # not while the list is open
    assert "White below" in page.find("#board").get_attribute("aria-label")
    page.keys(Keys.ESCAPE)
    assert not page.find("#help").is_displayed()


def test_the_space_bar_after_a_click_plays_the_best_move(page):
    """What was clicked has the focus: the space bar is still for the move."""
    page.open(f"?fen={MATE_IN_16}")
    page.click("#flip")
    page.until(lambda: page.find("#best").is_enabled())
    page.keys(Keys.SPACE)
    page.until(lambda: played(page) == "1. Ka2")
    assert page.find("#flip").get_attribute("aria-pressed") == "true"
    page.until(lambda: "Black to move" in page.find("#detail").text)
    page.square("c3").click()
    page.square("c4").click()
    page.until(lambda: played(page) == "1. Ka2 Kc4")
    page.until(lambda: page.find("#best").is_enabled())
    page.keys(Keys.SPACE)
    page.until(lambda: len(page.find_all("#played button")) == 3)


def test_the_space_bar_presses_a_button_reached_by_keyboard(page):
    page.open(f"?fen={MATE_IN_16}")
    page.browser.execute_script("document.querySelector('header nav a').focus()")
    page.keys(Keys.TAB, Keys.TAB)
    assert page.browser.switch_to.active_element == page.find("#flip")
    page.keys(Keys.SPACE)
    assert page.find("#flip").get_attribute("aria-pressed") == "true"
    assert played(page) == ""


def test_letters_typed_into_a_box_are_text(page):
    page.open(f"?fen={MATE_IN_16}")
    page.find("#search").send_keys("fx?", Keys.HOME, Keys.SPACE)
    assert page.find("#search").get_attribute("value") == " fx?"
    assert page.fen == START
    assert not page.find("#help").is_displayed()


# The wheel


def turn_wheel(page, css, pixels):
    box = page.find(css).rect
    page.browser.execute_cdp_cmd(
        "Input.dispatchMouseEvent",
        {
            "type": "mouseWheel",
            "x": box["x"] + box["width"] / 2,
            "y": box["y"] + box["height"] / 2,
            "deltaX": 0,
            "deltaY": pixels,
        },
    )


def test_the_wheel_goes_through_the_moves(page):
    page.open(f"?fen={MATE_IN_16}")
    play(page, "b2b7", "c3c4")
    page.browser.execute_script("scrollTo(0, 0)")
    for pixels, move in [(-100, "Rb7"), (-100, None), (100, "Rb7"), (100, "Kc4"), (100, "Kc4")]:
        turn_wheel(page, "#board", pixels)
        page.until(lambda move=move: current(page) == move)
    assert page.browser.execute_script("return scrollY") == 0
    page.click("#setup")
    turn_wheel(page, "#board", -100)
    page.click("#setup")
    assert current(page) == "Kc4"


# Hovering


def hinted(page):
    return page.browser.execute_script("return document.querySelectorAll('.hint polygon').length")


def test_a_move_of_the_list_is_shown_on_the_board(page):
    with window(page, *LAPTOP):
        page.open(f"?fen={MATE_IN_16}")
        page.until(lambda: page.moves)
        assert hinted(page) == 0
        over = ActionChains(page.browser)
        over.move_to_element(page.find("[data-uci=b2b7]")).perform()
        page.until(lambda: page.find_all(".hint polygon.win"))
        tip, goal = page.find(".hint polygon").rect, page.square("b7").rect
        assert goal["y"] < tip["y"] < goal["y"] + goal["height"]
        assert goal["x"] < tip["x"] + tip["width"] / 2 < goal["x"] + goal["width"]
        page.browser.execute_script("document.querySelector('[data-uci=b2b3]').scrollIntoView()")
        over.move_to_element(page.find("[data-uci=b2b3]")).perform()
        page.until(lambda: page.find_all(".hint polygon.draw"))
        over.move_to_element(page.find("#headline")).perform()
        page.until(lambda: hinted(page) == 0)
        over.click(page.find("[data-uci=b2b7]")).perform()
        page.until(lambda: "Black to move" in page.find("#detail").text and page.moves)
        assert hinted(page) == 0  # of what came to lie under the pointer
        page.click("#back")
        page.until(lambda: "White to move" in page.find("#detail").text and page.moves)
        page.browser.execute_script("document.getElementById('game').focus()")
        for _ in range(30):  # backwards, into the list
            over.key_down(Keys.SHIFT).send_keys(Keys.TAB).key_up(Keys.SHIFT).perform()
            if hinted(page):
                break
        assert hinted(page) == 1
        assert page.browser.switch_to.active_element == page.find_all(".move")[-1]


# Setting up


def test_the_tray_is_there_while_setting_up(page):
    page.open(f"?fen={MATE_IN_16}")
    page.until(lambda: arrows(page)[0])
    assert not page.find("#tray").is_displayed()
    page.click("#setup")
    assert arrows(page)[0] == set()  # of the position before
    page.drag(page.find("[data-man=n]"), page.square("h8"))
    page.until(lambda: page.fen == "7n/8/8/8/8/2k5/1R6/K7 w - - 0 1")
    page.click("#erase")
    page.square("h8").click()
    page.until(lambda: page.fen == START)
    page.click("[data-man=R]")
    page.square("h1").click()
    page.until(lambda: page.fen == "8/8/8/8/8/2k5/1R6/K6R w - - 0 1")
    page.click("[name=turn][value=b]")
    page.until(lambda: page.fen == "8/8/8/8/8/2k5/1R6/K6R b - - 0 1")
    page.until(lambda: "Black to move" in page.find("#detail").text)
    page.click("#done")
    assert not page.find("#tray").is_displayed()
    page.until(lambda: page.moves)


def finger(page, kind, x=None, y=None):
    points = [] if x is None else [{"x": x, "y": y}]
    page.browser.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


def drag_by_finger(page, start, end):
    (x, y), (to_x, to_y) = (
        (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        for box in (start.rect, end.rect)
    )
    finger(page, "touchStart", x, y)
    for step in range(1, 6):
        finger(page, "touchMove", x + (to_x - x) * step / 5, y + (to_y - y) * step / 5)
    finger(page, "touchEnd")


def test_dragging_by_finger(page):
    with window(page, *TELEPHONE):
        page.browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
        try:
            page.open(f"?fen={MATE_IN_16}")
            page.until(lambda: "movable" in page.square("b2").get_attribute("class"))
            drag_by_finger(page, page.square("b2"), page.square("b7"))
            page.until(lambda: page.fen == "8/1R6/8/8/8/2k5/8/K7 b - - 1 1")
            page.click("#setup")
            page.browser.execute_script("scrollTo(0, 0)")
            assert in_view(page, "[data-man=P]")
            drag_by_finger(page, page.find("[data-man=P]"), page.square("h2"))
            page.until(lambda: page.fen == "8/1R6/8/8/8/2k5/7P/K7 b - - 0 1")
            assert page.browser.execute_script("return scrollY") == 0
        finally:
            page.browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})


def test_castling_rights_count(page):
    page.open("?fen=4k3/8/8/8/8/8/8/4K2R_b_K_-_0_1")
    page.until(lambda: page.headline.startswith("White mates in"))
    assert not page.find("#remedy").is_displayed()


@pytest.mark.parametrize("where", ["address", "box"])
def test_castling_rights_are_removed_by_a_click(page, where):
    fen = "4k3/8/8/8/8/8/PP6/R3K2R b K - 0 1"
    if where == "address":
        page.open(f"?fen={fen.replace(' ', '_')}")
    else:
        page.open(f"?fen={MATE_IN_16}")
        page.click("#setup")
        page.find("#fen").clear()
        page.find("#fen").send_keys(fen, Keys.ENTER)
    page.until_headline("Unknown: castling is not covered")
    button = "#remedy button"
    page.until(lambda: page.find_all(button))
    assert page.find(button).text == "Remove castling rights"
    page.click(button)
    page.until(lambda: page.fen == fen.replace("K -", "- -"))
    assert not [one for one in page.find_all(button) if one.is_displayed()]


def test_the_material_follows_the_board(page):
    page.open("?fen=8/8/8/8/8/2k5/1P6/K7_w_-_-_0_1")
    page.until(lambda: page.find("#material").get_attribute("value") == "KPK")
    assert page.find("#about").text == "About KPK"
    page.open("?fen=8/8/8/8/8/K2k4/1p6/8_w_-_-_0_1")  # Black has the pawn
    page.until(lambda: page.find("#material").get_attribute("value") == "KPK")
    play(page, "a3a2")
    page.until(lambda: page.find_all("[data-uci=b2b1q]"))
    play(page, "b2b1q")
    page.until(lambda: page.find("#material").get_attribute("value") == "KQK")
    page.find("#material").send_keys("KBK")
    play(page, "a2b1")
    page.until(lambda: page.find("#material").get_attribute("value") == "KK")
    page.open("?fen=8/8/8/8/8/2kq4/1R6/K7_w_-_-_0_1")  # there is no table of it
    assert page.find("#material").get_attribute("value") == ""
    assert not page.find("#random").is_enabled()


# Check


def test_check_is_marked_and_said(page):
    page.open("?fen=8/8/8/8/8/2k5/2R5/K7_b_-_-_0_1")
    page.until(lambda: page.find_all(".square.check"))
    assert page.square("c3").accessible_name == "c3, black king, in check"
    assert "Black to move, in check" in page.find("#detail").text
    page.until(lambda: page.moves)
    page.find(".move").click()
    page.until(lambda: "White to move" in page.find("#detail").text)
    assert page.find_all(".square.check") == []
    assert len(page.find_all(".square.last")) == 2


CHECKS = """
const [fens, done] = arguments;
Promise.all([import("/reader/position.js"), import("/reader/rules.js")]).then(
  ([{ readLoosely, isCheck }, { CHESS }]) =>
    done(fens.map((fen) => isCheck(readLoosely(fen, CHESS)))));
"""


def test_check_is_what_python_chess_says(page):
    """In 600 positions of all men; half of them have a check by some kind of man."""
    rng = random.Random(34)
    fens, checks = [], []
    while len(fens) < 600:
        board = chess.Board(None)
        squares = rng.sample(range(64), 6)
        for square, symbol in zip(
            squares, "Kk" + "".join(rng.choices("QRBNPqrbnp", k=4)), strict=True
        ):
            board.set_piece_at(square, chess.Piece.from_symbol(symbol))
        board.turn = rng.random() < 0.5
        if checks.count(board.is_check()) < 300:
            fens.append(board.fen())
            checks.append(board.is_check())
    page.open(f"?fen={MATE_IN_16}")
    assert page.browser.execute_async_script(CHECKS, fens) == checks


# Judged moves


def test_a_mistake_is_told_with_the_right_move_and_the_answer(page):
    page.open(f"?fen={MATE_IN_16}")
    play(page, "b2b3")
    page.until(lambda: "The refutation is" in page.find("#remark").text)
    assert page.find("#remark").text == (
        "Rb3+ throws away the win: it is now a draw. Ka2 mates in 16. The refutation is Kxb3."
    )
    assert page.find("#played button").get_attribute("class") == "mistake marked"
    colour = page.find("#played .mistake").value_of_css_property("color")
    assert played(page) == "1. Rb3+"  # the mark is no text of the move
    pressed(page, Keys.ARROW_LEFT)
    page.until(lambda: page.find("#remark").text == "")
    assert page.find("#played .mistake").value_of_css_property("color") != colour  # not current
    page.browser.refresh()
    page.until(lambda: page.find_all("#played .mistake"))
    page.find("#played .mistake").click()
    page.until(lambda: "The refutation is Kxb3." in page.find("#remark").text)


def test_a_slower_move_is_told_with_the_moves_that_it_lost(page):
    page.open(f"?fen={MATE_IN_16}")
    play(page, "b2e2")
    page.until(lambda: page.find("#remark").text)
    assert (
        page.find("#remark").text
        == "Re2 keeps the win, 1 move slower than the best. Ka2 mates in 16."
    )
    assert page.find("#played button").get_attribute("class") == "slower marked"
    page.open("?fen=8/8/8/8/8/1k6/1R6/K7_b_-_-_0_1")
    play(page, "b3a4")
    page.until(lambda: page.find("#remark").text)
    told = page.find("#remark").text
    assert told == "Ka4 loses 9 moves sooner than the best. Kc3 holds out for 16 moves."


def test_best_moves_are_not_remarked_on(page):
    page.open(f"?fen={MATE_IN_16}")
    play(page, "b2b7")
    page.until(lambda: "Black to move" in page.find("#detail").text)
    assert page.find("#remark").text == ""
    assert page.find("#played button").get_attribute("class") == ""


def test_a_right_move_is_not_told_while_practising(page):
    page.open(f"?fen={MATE_IN_16}")
    page.click("#practise")
    page.until_my_move()
    page.square("b2").click()
    page.square("b3").click()
    page.until_headline("Rb3+ is a mistake")
    assert page.find("#remark").text == ""
    assert page.find("#played .mistake")
    page.click("#game")
    page.until(lambda: "throws away the win" in page.find("#remark").text)
