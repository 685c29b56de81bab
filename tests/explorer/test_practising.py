"""Practising against the tables, in a real browser."""

import json
import re

import pytest

pytest.importorskip("selenium")

from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.select import Select
from support.browsing import (
    EACH_SIZE,
    LUMINANCE,
    MATE_IN_16,
    PROMOTION,
    TELEPHONE,
    arrows,
    in_view,
    needs_browser,
    on_both_hosts,
    on_both_hosts_slowly,
    played,
    window,
)

from tablebase.publish.own_files import checked_text

pytestmark = needs_browser


def move(page, start, end):
    page.until(lambda: "movable" in page.square(start).get_attribute("class"))
    page.square(start).click()
    page.square(end).click()


def score(page):
    return page.find("#score").text


@pytest.fixture
def practice(page):
    page.open(f"?fen={MATE_IN_16}")
    page.click("#practise")
    page.until_my_move()
    return page


@on_both_hosts_slowly
def test_values_are_hidden_until_asked_for(practice):
    page = practice
    assert page.moves == []
    assert arrows(page)[0] == set()
    assert not page.find("#line-card").is_displayed()
    assert not page.find("#moves-card").is_displayed()
    assert page.find("#best").is_enabled() is False
    page.square("b2").click()
    marks = page.find_all(".square.target")
    assert {one.get_attribute("class").split()[-1] for one in marks} <= {"plain", "target"}
    assert page.square("b4").accessible_name == "b4, empty, Rb4: legal"
    hidden = page.browser.title + "".join(
        page.find(css).text for css in ("#verdict", ".controls", "#game-card", "#moves-card")
    )
    assert not any(word in hidden for word in ("mates", "16 ", "DTZ 31", "White wins with"))
    page.click("#reveal")
    page.until_headline("White mates in 16")
    assert len(page.moves) == 16
    assert arrows(page)[0]
    seen = "0 moves · 0 mistakes · 0 slow moves · values shown 1 time"
    assert score(page) == seen
    assert page.find("#reveal").text == "Hide values"
    page.click("#reveal")
    page.until_my_move()
    assert page.moves == []
    assert arrows(page)[0] == set()
    assert page.find("#reveal").text == "Show values"
    assert score(page) == seen
    move(page, "a1", "a2")
    page.until(lambda: played(page).count("K") == 2)
    page.until_my_move()
    assert page.moves == []
    page.click("#game")
    page.until(lambda: page.moves)
    assert page.headline == "White mates in 15"


@on_both_hosts
def test_the_tables_answer(practice):
    move(practice, "a1", "a2")
    practice.until(lambda: practice.find("#detail").text == "Ka2 is best")
    practice.until(lambda: played(practice) == "1. Ka2 Kd4")
    assert score(practice) == "1 move · 0 mistakes · 0 slow moves"
    move(practice, "b2", "h2")
    practice.until(lambda: practice.find("#detail").text.startswith("Rh2 keeps the win"))
    practice.until_my_move()
    # One move more than with the best one: what counts as no slow move is not called one.
    assert practice.find("#detail").text == "Rh2 keeps the win · mate in 15 from here"
    assert score(practice) == "2 moves · 0 mistakes · 0 slow moves"
    assert practice.find_all("#played .marked") == []


MARKED = """
const marks = [...document.querySelectorAll(".square .worth")];
return marks.map((one) => [
  one.parentElement.dataset.square, one.className, getComputedStyle(one, "::after").content,
]);
"""


def marked(page):
    """Return the squares of the move that is marked on the board, how it is, and its signs."""
    found = page.browser.execute_script(MARKED)
    return {(square, *names.split()[1:], content) for square, names, content in found}


def until_marked(page, worth, sign, start, end):
    """Wait until the squares of a move have a colour, and the second one a sign."""
    expected = {(start, *worth, "none"), (end, *worth, "sign", f'"{sign}"')}
    page.until(lambda: marked(page) == expected)


def test_a_move_of_a_pawn_is_told_in_small_letters(page):
    page.open("?fen=8/8/1K6/8/P7/8/8/7k_w_-_-_0_1")
    page.click("#practise")
    page.until_my_move()
    move(page, "a4", "a5")
    page.until(lambda: page.find("#detail").text.startswith("a5 is best"))
    first = "return getComputedStyle(arguments[0], '::first-letter').textTransform"
    assert page.browser.execute_script(first, page.find("#detail")) == "none"


@on_both_hosts_slowly
def test_the_board_shows_what_a_move_was_worth(practice):
    page = practice
    assert marked(page) == set()
    move(page, "a1", "a2")
    until_marked(page, [], "✓", "a1", "a2")
    page.until(lambda: played(page) == "1. Ka2 Kd4")
    until_marked(page, [], "✓", "a1", "a2")  # beside the answer
    move(page, "b2", "h2")
    until_marked(page, [], "✓", "b2", "h2")  # slower, but by less than a good move may be
    page.until(lambda: len(page.find_all("#played li")) == 4)
    page.until_my_move()
    page.click("#first")
    page.until(lambda: marked(page) == set())
    move(page, "b2", "b3")
    until_marked(page, ["mistake"], "?", "b2", "b3")
    page.click("#play-on")
    page.until(lambda: "Kxb3)" in played(page))
    page.until(lambda: marked(page) == set())  # which would lie on the king that took the rook
    page.click("#back")
    until_marked(page, ["mistake"], "?", "b2", "b3")


@on_both_hosts
def test_a_slow_move_is_marked(page):
    page.open("?fen=7k/8/5K2/8/8/8/8/R7_w_-_-_0_1")
    page.click("#practise")
    page.until_my_move()
    move(page, "f6", "g5")
    until_marked(page, ["slower"], "?!", "f6", "g5")
    page.until(lambda: "keeps the win, 3 moves slower" in page.find("#detail").text)
    page.until_my_move()
    assert score(page) == "1 move · 0 mistakes · 1 slow move"
    assert page.find("#task").text == "Mate in 2 with best play. Solved when you mate."
    told = (
        "The method has another move (Kf7 or Kg6), by rule 2: if every answer lets you mate next "
    )
    assert page.find("#why").text == f"{told}move, play for that."


def test_a_missed_mate_is_slow(page):
    """However few moves it costs."""
    page.open(f"?fen={MATE_IN_ONE.replace(' ', '_')}")
    page.click("#practise")
    page.until_my_move()
    move(page, "b6", "c7")
    until_marked(page, ["slower"], "?!", "b6", "c7")
    assert page.find("#detail").text.startswith("Kc7 keeps the win, but Rh8# mates at once")
    page.until_my_move()
    move(page, "h1", "a1")
    page.until(lambda: summary(page).startswith("Solved in 2 moves, 1 is enough."))
    assert score(page) == "2 moves · 0 mistakes · 1 slow move"


@pytest.mark.parametrize(("square", "praise"), [("e3", "is best"), ("f3", "keeps the win")])
def test_a_move_no_slower_than_that_of_the_method_is_right(page, square, praise):
    """It is faster, or as fast as Rg5, which is the method's."""
    page.open("?fen=8/8/8/R7/2k5/8/5K2/8_w_-_-_0_1")
    page.click("#practise")
    page.until_my_move()
    move(page, "f2", square)
    until_marked(page, [], "✓", "f2", square)
    assert page.find("#detail").text.startswith(f"K{square} {praise}")
    assert page.find("#why").text == ""


@on_both_hosts
def test_a_mistake_is_counted_and_can_be_tried_again(practice):
    page = practice
    start = page.fen
    move(page, "b2", "b3")
    page.until_headline("Rb3+ is a mistake")
    assert page.find("#detail").text == "It was a win, now Kxb3 draws"
    page.until(lambda: page.find_all(".hint polygon.loss"))  # the move that shows it
    assert score(page) == "1 move · 1 mistake · 0 slow moves"
    page.click("#again")
    page.until(lambda: page.fen == start)
    page.until_my_move()
    assert not page.find("#again").is_enabled()
    move(page, "b2", "d2")
    page.until_headline("Rd2 is a mistake")
    page.click("#play-on")
    page.until(lambda: played(page) == "1. Rb3+ (1. Rd2 Kxd2)")
    page.until_headline("Draw")  # there is nothing to play for
    assert score(page) == "2 moves · 2 mistakes · 0 slow moves"
    page.click("#again")
    page.until(lambda: page.fen == start)


@on_both_hosts_slowly
def test_going_back_does_not_make_the_tables_move(practice):
    page = practice
    move(page, "a1", "a2")
    page.until(lambda: played(page) == "1. Ka2 Kd4")
    page.click("#back")
    page.until_headline("Your opponent's move")
    page.square("c3").click()
    assert page.find_all(".square.target") == []
    assert page.find("#play-on").is_enabled()
    page.click("#play-on")
    page.until_my_move()
    assert played(page) == "1. Ka2 Kd4"


@on_both_hosts_slowly
def test_practising_by_keyboard_up_to_mate(page):
    page.open("?fen=7k/8/5K2/8/8/8/8/R7_w_-_-_0_1")
    page.until(lambda: page.find("#practise").is_enabled())
    page.browser.execute_script("document.getElementById('practise').focus()")
    page.keys(Keys.ENTER)
    page.until_my_move()
    page.browser.execute_script("document.querySelector('[data-square=f6]').focus()")
    page.keys(Keys.ENTER, Keys.ARROW_DOWN, Keys.ARROW_UP, Keys.ARROW_UP, Keys.ENTER)
    page.until(lambda: played(page) == "1. Kf7 Kh7")
    page.until_my_move()
    page.browser.execute_script("document.querySelector('[data-square=a1]').focus()")
    page.keys(Keys.ENTER, *[Keys.ARROW_RIGHT] * 7, Keys.ENTER)
    page.until_headline("Solved")
    assert page.find("#detail").text == "Checkmate: White has won · take the next exercise"
    assert score(page) == "2 moves · 0 mistakes · 0 slow moves"


@on_both_hosts_slowly
def test_a_new_position_is_a_new_exercise(practice):
    move(practice, "b2", "b3")
    practice.until_headline("Rb3+ is a mistake")
    practice.find("#material").send_keys("KQK")
    practice.until(lambda: level(practice).startswith("KQK · level 1 of "))
    practice.click("#hardest")
    practice.until(lambda: "Q" in practice.fen)
    practice.until_my_move()
    assert score(practice) == "0 moves · 0 mistakes · 0 slow moves"
    practice.click("#setup")  # ends it
    practice.until_headline("White mates in 10")


@on_both_hosts_slowly
def test_going_back_to_another_exercise(practice):
    move(practice, "b2", "b3")
    practice.until_headline("Rb3+ is a mistake")
    practice.browser.execute_script("document.getElementById('swap-colours').click()")
    practice.until_my_move()
    practice.browser.back()
    practice.until(lambda: practice.fen == "8/8/8/8/8/1Rk5/8/K7 b - - 1 1")
    practice.until_headline("Rb3+ is a mistake")
    assert score(practice) == "1 move · 1 mistake · 0 slow moves"


@on_both_hosts_slowly
def test_what_cannot_be_practised(page):
    page.open("?fen=8/8/8/8/8/2kq4/1R6/K7_w_-_-_0_1")
    page.until(lambda: page.moves)
    assert not page.find("#practise").is_enabled()


@pytest.mark.parametrize(
    ("fen", "pawn", "square"),
    [(PROMOTION, "f7", "f8"), ("8/1P6/k7/8/1K6/8/8/8_w_-_-_0_1", "b7", "b8")],
)
def test_the_choice_of_a_promotion_tells_nothing(page, fen, pawn, square):
    """Neither by words nor by its order: in one position the rook is best."""
    page.open(f"?fen={fen}")
    page.click("#practise")
    page.until_my_move()
    move(page, pawn, square)
    page.until(lambda: len(page.find_all("dialog[open] .promote")) == 4)
    assert page.texts(".promote") == [""] * 4
    names = [one.accessible_name for one in page.find_all(".promote")]
    assert names == ["white queen", "white rook", "white bishop", "white knight"]
    page.find(".promote[aria-label='white bishop']").click()
    page.until_headline(f"{square}=B is a mistake")


@pytest.mark.parametrize("size", EACH_SIZE)
def test_practising_fits_the_window(page, size):
    with window(page, *size):
        page.open(f"?fen={MATE_IN_16}")
        page.click("#practise")
        page.until_my_move()
        move(page, "b2", "b3")
        page.until_headline("Rb3+ is a mistake")
        page.browser.execute_script("scrollTo(0, 0)")
        for css in ("#board", "#verdict", "#again", "#play-on"):
            assert in_view(page, css), css
        assert page.browser.execute_script("return document.documentElement.scrollWidth") <= size[0]
        assert page.browser.execute_script(LUMINANCE) == []


@pytest.mark.parametrize("has_bars", [False, True])
def test_a_telephone_shows_all_of_an_exercise(page, has_bars):
    """Nothing lies beside the window, and nothing over the choice of the opponent."""
    with window(page, *TELEPHONE, has_bars=has_bars):
        page.open(f"?fen={MATE_IN_16}")
        page.click("#practise")
        page.until_my_move()
        widths = "const { clientWidth, scrollWidth } = document.documentElement;"
        width, needed = page.browser.execute_script(f"{widths} return [clientWidth, scrollWidth]")
        assert needed == width
        assert (width < TELEPHONE[0]) == has_bars
        page.browser.execute_script("scrollTo(0, 0)")
        assert in_view(page, "#resistance")


def test_no_room_is_left_between_the_task_and_the_tabs(page):
    with window(page, 1280, 800):
        page.open(f"?fen={MATE_IN_16}")
        page.click("#practise")
        page.until_my_move()
        task = page.find("#practising").rect
        assert 0 < page.find(".tabs").rect["y"] - task["y"] - task["height"] < 20


# Exercises

KEPT = "return localStorage.getItem('progress')"
STUB = """
const [texts, real] = [arguments[0], window.fetch];
window.asked = [];
window.fetch = (path, options) => {
  const [, material] = /\\/(\\w+)\\.exercises\\.json$/.exec(String(path)) ?? [];
  if (!material) return real(path, options);
  window.asked.push(material);
  return Promise.resolve(new Response(texts.shift()));
};
"""
COLOUR = "return getComputedStyle(arguments[0]).backgroundColor"
MATE_IN_ONE = "k7/8/1K6/8/8/8/8/7R w - - 0 1"


def is_emphasised(page, css):
    """Return whether a button has the colour of the tab that is chosen."""
    chosen, one = (page.find(each) for each in (".tabs [aria-pressed=true]", css))
    return len({page.browser.execute_script(COLOUR, each) for each in (chosen, one)}) == 1


def weight(page, css):
    return page.find(css).value_of_css_property("font-weight")


@pytest.fixture
def fresh(page):
    """Give the page of a browser in which nothing was practised, and leave it so."""
    page.open(f"?fen={MATE_IN_16}")
    page.browser.execute_script("localStorage.clear()")
    yield page
    page.browser.execute_script("localStorage.clear()")


def begin(page, fens, fen=MATE_IN_16):
    """Practise; the exercises to come are given."""
    page.open(f"?fen={fen}")
    texts = [record_of([[one]] * 9) for one in fens]
    page.browser.execute_script(STUB, texts)
    page.click("#practise")
    page.until(lambda: page.find("#task").text)


def record_of(levels, *, moves=6, why=None):
    """Return the text of the exercises of an ending, whose levels are given by their FENs."""
    listed = [[{"fen": one, "moves": moves, "difficulty": 0.1} for one in some] for some in levels]
    return checked_text({"levels": listed, "why": why})


def asked(page):
    return page.browser.execute_script("return window.asked")


def level(page):
    return page.find("#level").text


def summary(page):
    return page.find("#summary").text


def solved(page):
    return page.headline.startswith("Solved")


def blur(page):
    page.browser.execute_script("document.activeElement.blur()")


ENOUGH = "Solved when you win the pawn, stop it on its sixth rank, or are stalemated, "


@on_both_hosts_slowly
@pytest.mark.parametrize(
    ("fen", "goal", "task"),
    [
        (MATE_IN_16, "Win this for White", "Mate in 16 with best play."),
        ("8/8/8/8/8/2k5/1R6/K7_b_-_-_0_1", "Hold out with Black", "The position is lost"),
        ("8/8/8/4k3/8/4P3/8/4K3_b_-_-_0_1", "Hold the draw with Black", ENOUGH),
        ("8/8/8/8/4k3/4p3/8/4K3_w_-_-_0_1", "Hold the draw with White", ENOUGH),
    ],
)
def test_the_task_is_told(page, fen, goal, task):
    page.open(f"?fen={fen}")
    page.click("#practise")
    page.until_headline(goal)
    assert page.find("#task").text.startswith(task)
    assert level(page) in {"KRK", "KPK"}  # none of the exercises, so it has no level


@on_both_hosts
def test_the_task_says_what_is_enough(fresh):
    page = fresh
    page.open(f"?fen={MATE_IN_16}")
    page.click("#practise")
    page.until(lambda: page.find("#task").text)
    told = "Mate in 16 with best play. Solved when you mate."
    assert page.find("#task").text == told
    page.open("?fen=8/8/8/4k3/8/4P3/8/4K3_b_-_-_0_1")
    page.click("#practise")
    page.until(lambda: page.find("#task").text)
    assert page.find("#task").text == f"{ENOUGH}and after 12 moves at the latest."
    page.browser.execute_script(STUB, [record_of([[MATE_IN_16.replace("_", " ")]], moves=2)])
    page.click("#exercise")
    page.until(
        lambda: page.find("#task").text.endswith("2 moves that keep the win and lose no time.")
    )
    for squares in (("a1", "a2"), ("b2", "b1")):
        page.until_my_move()
        move(page, *squares)
        page.until(lambda: page.find("#detail").text.endswith("1 of 2 good moves") or solved(page))
    page.until_headline("Solved")
    page.until(lambda: played(page).count("K") > 2 and " w " in page.fen)
    assert page.headline == "Solved"  # while one plays on, too
    assert "take the next exercise, or play on" in page.find("#detail").text


def test_a_mistake_can_be_put_right(fresh):
    page = fresh
    page.open(f"?fen={MATE_IN_16}")
    page.browser.execute_script(STUB, [record_of([[MATE_IN_16.replace("_", " ")]] * 3, moves=2)])
    page.click("#practise")
    page.click("#exercise")
    page.until(lambda: level(page) == "KRK · level 1 of 3")
    page.until_my_move()
    move(page, "b2", "b3")
    page.until_headline("Rb3+ is a mistake")
    page.click("#play-on")
    page.until_headline("Draw")
    told = "From the start: mate in 16 with best play. To solve it, take your mistake back."
    assert page.find("#task").text == told
    page.click("#again")
    page.until(lambda: page.find("#task").text.startswith("Mate in 16 with best play. Solved "))
    for squares in (("a1", "a2"), ("b2", "b1")):
        page.until_my_move()
        move(page, *squares)
        page.until(lambda: "of 2 good moves" in page.find("#detail").text or solved(page))
    page.until_headline("Solved at the second try")
    # The tables' answer to the last move may be there already.
    assert re.fullmatch(r"1\. Ka2 \(1\. Rb3\+ Kxb3\) 1… K\w+ 2\. Rb1( K\w+)?", played(page))
    assert summary(page) == "Solved at the second try. Next: level 1."
    assert is_emphasised(page, "#exercise")


def test_repeating_a_position_loses_time_and_at_last_the_win(practice):
    page, told = practice, []
    Select(page.find("#resistance")).select_by_value("longest")
    for number, squares in enumerate([("a1", "a2"), ("a2", "a1")] * 12, start=2):
        move(page, *squares)
        page.until(lambda n=number: "mistake" in page.headline or page.fen.endswith(f" {n}"))
        page.until(lambda: page.find("#detail").text)
        told.append(page.find("#detail").text.partition(" · ")[0])
        if "mistake" in page.headline:
            break
    assert any(
        text.endswith("keeps the win, but this position was on the board before") for text in told
    )
    third = "It was a win, now it is a draw: this position is on the board for the third time"
    assert told[-1] == third
    assert summary(page) == "Not solved yet."


def test_slow_moves_do_not_solve(fresh):
    page, fen = fresh, "7k/8/5K2/8/8/8/8/R7 w - - 0 1"
    page.open(f"?fen={MATE_IN_16}")
    page.browser.execute_script(STUB, [record_of([[fen]], moves=1)])
    page.click("#practise")
    page.click("#exercise")
    page.until_my_move()
    page.until(lambda: page.find("#task").text.startswith("Mate in 2 "))
    move(page, "f6", "g5")  # slower by three moves
    page.until(lambda: "0 of 1 good move" in page.find("#detail").text)
    assert not solved(page)


def test_stalemate_is_called_so(page):
    page.open("?fen=8/2Q5/5K2/7k/8/8/8/8_w_-_-_0_1")
    page.click("#practise")
    page.until_my_move()
    move(page, "c7", "f4")
    page.until_headline("Qf4 is a mistake")
    page.until(lambda: page.find("#detail").text == "It was a win, now it is stalemate")
    page.click("#game")
    told = "Qf4 throws away the win: it is now stalemate."
    page.until(lambda: page.find("#remark").text.startswith(told))


def test_the_goal_is_that_of_the_position(page):
    """Played on after a mistake, a draw is to be held, or a loss to be put off."""
    page.open("?fen=8/8/4k3/8/4PK2/8/8/8_b_-_-_0_1")
    page.click("#practise")
    page.until_headline("Hold the draw with Black")
    move(page, "e6", "d6")
    page.until_headline("Kd6 is a mistake")
    page.click("#play-on")
    page.until_headline("Hold out with Black")


@on_both_hosts
def test_two_successes_lead_to_the_next_level_and_failures_come_again(fresh):
    page, mate_in_16 = fresh, MATE_IN_16.replace("_", " ")
    other = "7k/8/6K1/8/8/8/8/R7 w - - 0 1"
    level_1 = [MATE_IN_ONE, other]
    page.browser.execute_script(STUB, [record_of([level_1, [mate_in_16, MATE_IN_ONE]])] * 6)
    page.click("#practise")
    page.click("#exercise")
    moves = {MATE_IN_ONE: ("h1", "h8"), other: ("a1", "a8")}
    page.until(lambda: page.fen in moves)
    assert level(page) == "KRK · level 1 of 2"
    first = page.fen
    page.until(lambda: page.find("#task").text.startswith("Mate in "))
    move(page, *moves[first])
    page.until_headline("Solved")
    assert summary(page) == "Solved. 1 more, and level 2 is next."
    page.until(lambda: is_emphasised(page, "#exercise"))
    assert score(page) == "1 move · 0 mistakes · 0 slow moves"
    blur(page)
    page.keys("n")  # the key for the next one, which was not seen
    page.until(lambda: page.fen in set(moves) - {first})
    assert summary(page) == ""
    page.until(lambda: not is_emphasised(page, "#exercise"))
    assert weight(page, "#exercise") == weight(page, "#hint")
    move(page, *moves[page.fen])
    page.until(lambda: summary(page) == "Solved. Next: level 2.")
    page.click("#exercise")
    page.until(lambda: level(page) == "KRK · level 2 of 2")
    failing = {mate_in_16: ("b2", "b3"), MATE_IN_ONE: ("h1", "b1")}
    page.until(lambda: page.fen in failing)
    failed = page.fen
    page.until_my_move()
    move(page, *failing[failed])
    page.until(lambda: summary(page) == "Not solved yet. Next: level 2.")
    assert not is_emphasised(page, "#exercise")
    page.until(lambda: is_emphasised(page, "#again"))
    page.click("#exercise")
    page.until(lambda: page.fen in set(failing) - {failed})
    page.until_my_move()
    page.click("#exercise")  # the one that failed, whatever else there is
    page.until(lambda: page.fen == failed)
    assert asked(page) == ["KRK"] * 5


def test_the_next_exercise_is_another_one(fresh):
    page, pair = fresh, [MATE_IN_ONE, MATE_IN_16.replace("_", " ")]
    page.browser.execute_script(STUB, [record_of([pair])] * 6)
    page.click("#practise")
    for fen in pair * 3:  # one of two each time
        page.until_my_move()
        page.click("#exercise")
        page.until(lambda fen=fen: page.fen == fen)


@on_both_hosts_slowly
@pytest.mark.parametrize(
    ("fen", "moves", "material"),
    [
        ("8/1P6/k7/8/8/8/8/1K6_w_-_-_0_1", [("b7", "b8")], "KPK"),  # a queen by now
        (MATE_IN_16, [("b2", "b3"), "#play-on"], "KRK"),  # a rook less
    ],
)
def test_the_ending_stays_that_of_the_exercise(fresh, fen, moves, material):
    page = fresh
    begin(page, [MATE_IN_ONE], fen)
    for one in moves:
        if isinstance(one, str):
            page.click(one)
            page.until(lambda: played(page) == "1. Rb3+ Kxb3")
            continue
        move(page, *one)
        page.until(lambda: page.find_all(".promote") or "mistake" in page.headline)
        for queen in page.find_all("dialog[open] .promote[aria-label='white queen']"):
            queen.click()
        page.until(lambda: page.find_all("#played button"))
    page.click("#exercise")
    page.until(lambda: asked(page) == [material])


@on_both_hosts
def test_a_hint_is_a_key_away_and_counted(fresh):
    page = fresh
    begin(page, [MATE_IN_ONE])
    page.click("#exercise")
    page.until(lambda: page.find("#task").text.startswith("Mate in 1 "))
    blur(page)
    page.keys("h")
    page.until(lambda: page.find("#why").text == "Hint: rule 1: give mate if you can.")
    assert not page.find_all(".hint circle, .hint polygon")
    page.keys("h")
    page.until(lambda: page.find_all(".hint circle"))
    assert page.find("#why").text == "Hint: the rook on h1"
    page.keys("h")
    page.until(lambda: page.find_all(".hint polygon"))
    assert page.find("#why").text == "Hint: Rh8#"
    assert score(page) == "0 moves · 0 mistakes · 0 slow moves · 3 hints"
    move(page, "h1", "h8")
    page.until(lambda: summary(page) == "Solved with help. Next: level 1.")
    kept = json.loads(page.browser.execute_script(KEPT))
    counts = {"level": 1, "of": 9, "solved": 0, "played": 1, "row": 0, "at": 1}
    assert kept == {"KRK": {**counts, "seen": {MATE_IN_ONE.removesuffix(" 0 1"): False}}}
    page.keys("?")
    keys = page.find("#help").text
    assert "a hint" in keys
    assert "next exercise" in keys
    page.keys(Keys.ESCAPE)


@on_both_hosts
@pytest.mark.parametrize(
    ("named", "men", "shown"),
    [
        ("KPK", "KPk", "KPK · level 1 of "),
        ("KPK:3", "KPk", "KPK · level 3 of "),
        ("KPK:99", "KPk", "KPK · level {of} of "),
        (MATE_IN_16, "KRk", "KRK"),
    ],
)
def test_a_link_begins_an_exercise(fresh, named, men, shown):
    page = fresh
    page.open(f"?exercise={named}")
    page.until_my_move()
    assert sorted(filter(str.isalpha, page.fen.split()[0])) == sorted(men)
    shown = shown.format(of=level(page).split()[-1])
    assert level(page).startswith(shown)
    fen = page.fen
    is_turned = page.find("#flip").get_attribute("aria-pressed")
    assert is_turned == str(" b " in fen).lower()  # one's own side is below
    page.click("#flip")
    page.browser.refresh()
    page.until_my_move()
    page.until(lambda: level(page).startswith(shown))
    assert page.fen == fen
    assert page.find("#flip").get_attribute("aria-pressed") != is_turned
    assert page.find("#practise").get_attribute("aria-pressed") == "true"
    page.click("#game")
    page.until(lambda: page.moves)
    assert "exercise" not in page.browser.current_url
    assert page.browser.get_log("browser") == []


@on_both_hosts
@pytest.mark.parametrize(
    ("named", "ending", "reason"),
    [
        ("KQKR", "KQKR", "there is no table of king and queen against king and rook here"),
        ("kqkr:2", "KQKR", "there is no table of king and queen against king and rook here"),
        ("KXK", "KXK", "KXK is not a material"),
        ("KNNK:1", "KNNK", "Nothing in KNNK can be practised"),
    ],
)
def test_a_link_to_an_ending_that_is_not_there_says_so(fresh, named, ending, reason):
    page = fresh
    page.open(f"?exercise={named}")
    page.until_headline(f"No exercise of {ending}")
    told = page.find("#detail").text
    assert told.startswith(reason)
    assert "publish" not in told
    is_served = page.find("#api").get_attribute("hidden") is None
    assert ("tablebase build" in told) == (is_served and ending == "KQKR")
    assert not page.find_all(".square img")  # no other exercise
    assert page.find("#remedy a").text == "Course"
    page.browser.execute_script("document.activeElement.blur()")
    page.keys(Keys.ARROW_DOWN, Keys.ARROW_LEFT)  # there is no game, either
    assert page.browser.get_log("browser") == []


@on_both_hosts
def test_a_look_elsewhere_keeps_an_exercise(fresh):
    page = fresh
    page.open("?exercise=KRK:3")
    page.until_my_move()
    page.click("#hint")
    told = level(page), score(page), page.find("#task").text, page.fen
    assert level(page).startswith("KRK · level 3 of ")
    for tabs in (["#practise"], ["#more", "#more", "#practise"], ["#game"], ["#setup"]):
        for tab in tabs:
            page.click(tab)
            is_on = tab in {"#practise", "#more"}
            if is_on:
                assert page.headline.startswith("Win this for ")
                assert not page.find_all(".move, .arrows polygon")
                assert page.find("#practising").is_displayed() == (tab == "#practise")
        if not is_on:
            page.until(lambda: page.moves)
            page.browser.back()
            page.until_my_move()
        assert (level(page), score(page), page.find("#task").text, page.fen) == told
        assert page.find("#practise").get_attribute("aria-pressed") == "true"


@on_both_hosts_slowly
@pytest.mark.parametrize("tab", ["#game", "#setup"])
def test_practise_returns_to_the_exercise_that_was_left(fresh, tab):
    """Also after a mistake, to the same side; what was seen meanwhile is counted."""
    page = fresh
    begin(page, [MATE_IN_16.replace("_", " ")])
    page.click("#exercise")
    page.until(lambda: page.find("#task").text.startswith("Mate in 16 "))
    page.until_my_move()
    told = level(page), page.find("#task").text
    page.click(tab)
    page.until_headline("White mates in 16")
    page.click("#practise")
    page.until_my_move()
    assert (level(page), page.find("#task").text) == told
    assert score(page) == "0 moves · 0 mistakes · 0 slow moves · values shown 1 time"
    move(page, "b2", "b3")
    page.until_headline("Rb3+ is a mistake")
    page.click(tab)
    page.until_headline("Draw")
    page.click("#practise")
    page.until_headline("Rb3+ is a mistake")
    assert level(page) == told[0]


def test_another_position_is_not_of_the_exercise_that_was_left(fresh):
    page = fresh
    page.open("?exercise=KRK:3")
    page.until_my_move()
    page.click("#game")
    page.browser.execute_script("document.getElementById('mirror').click()")
    page.until(lambda: page.moves)
    page.click("#practise")
    page.until_my_move()
    assert level(page) == "KRK"


@on_both_hosts_slowly
def test_a_pawn_is_to_be_queened(fresh):
    """Good moves alone do not solve it, but the promotion does."""
    page = fresh
    begin(page, ["8/8/2K5/3P1k2/8/8/8/8 w - - 0 1"])
    page.click("#exercise")
    start, end = "Queen the pawn (mate in ", "Solved when you have promoted and still win."
    page.until(lambda: page.find("#task").text.startswith(start))
    assert page.find("#task").text.endswith(f" with best play). {end}")
    while not solved(page):
        page.until(lambda: page.headline.startswith("Win this for") or solved(page))
        for _ in range(3):
            page.click("#hint")
        name = page.find("#why").text.removeprefix("Hint: ")
        page.browser.execute_script(
            "document.getElementById('typed').value = arguments[0];"
            "document.getElementById('typed-form').requestSubmit()",
            name,
        )
        page.until(lambda name=name: name in played(page))
        page.until(lambda: page.headline.startswith("Win this for") or "=" in played(page))
        assert solved(page) == ("=" in played(page))
        if not solved(page):
            page.until(lambda: "mate in" in page.find("#detail").text)


@on_both_hosts_slowly
def test_a_draw_by_the_answer_of_the_tables_solves(fresh):
    page = fresh
    page.open("?exercise=8/8/8/8/8/4k3/3p4/4K3_w_-_-_0_1")
    page.until_my_move()
    move(page, "e1", "d1")
    page.until(lambda: played(page) == "1. Kd1 Kd3")
    page.until_headline("Solved")
    assert summary(page) == "Solved. A position of your own counts for no level."


def test_a_pawn_that_begins_on_its_sixth_rank_is_not_stopped_at_once(page):
    """Three moves hold anyhow; what is to be learnt, the only moves, comes after them."""
    page.open("?fen=k7/8/P7/1K6/8/8/8/8_b_-_-_0_1")
    page.click("#practise")
    for squares in (("a8", "a7"), ("a7", "a8"), ("a8", "b8")):
        page.until_my_move()
        move(page, *squares)
    page.until(lambda: played(page).endswith("Kb8 4. a7+"))
    page.until_my_move()
    assert summary(page) == ""
    move(page, "b8", "a8")
    page.until(lambda: summary(page) == "Solved. A position of your own counts for no level.")


def test_what_explains_stays_after_a_mistake(practice):
    """A mistake can be tried again, a good move is taken back; the buttons keep their places."""
    page = practice
    assert not page.find("#again").is_enabled()
    top = page.find("#hint").rect["y"]
    move(page, "a1", "a2")
    page.until(lambda: page.find("#again").text == "Take back")
    rule = (
        "ule 4: step with the king towards the inner corner of the box, while the rook stands "
        "between the kings or beside your king when they face each other, but not onto the edge on "
        "which his king stands."
    )
    assert page.find("#why").text == f"R{rule}"
    page.until_my_move()
    page.click("#again")
    page.until(lambda: not page.find("#again").is_enabled())
    move(page, "b2", "b3")
    page.until(lambda: page.find("#again").text == "Try again")
    assert page.find("#why").text == "R" + rule.replace(":", " came first (Ka2 or Kb1):", 1)
    assert page.find("#method").is_displayed()
    page.click("#method .term")  # a word of the rules
    told = "the part of the board that file and rank of the rook, or queen, leave to his king"
    assert page.find("#tip").text == told
    page.click("#play-on")
    page.until_headline("Draw")
    assert page.find("#again").text == "Try again"
    assert page.find("#method").is_displayed()
    assert summary(page) == "Not solved yet."
    page.click("#again")
    page.until(lambda: page.headline.startswith("Win this"))
    assert summary(page) == ""
    assert page.find("#hint").rect["y"] == top


def test_a_mistake_is_punished_by_a_line(page):
    """The first moves that show it, in an ending in which no rule is known to decide."""
    page.open("?fen=8/8/8/7k/8/K3P3/8/8_w_-_-_0_1")
    page.click("#practise")
    page.until_my_move()
    move(page, "e3", "e4")
    page.until_headline("e4 is a mistake")
    line = "It was a win, now Kg4 draws: 1… Kg4 2. e5 Kf5 3. e6 Kxe6"
    page.until(lambda: page.find("#detail").text == line)
    assert page.find("#why").text == "Right was Kb4, Kb3 or Kb2."


@pytest.mark.parametrize(
    ("fen", "squares", "right"),
    [
        ("8/8/8/2P5/5k2/8/8/6K1_b_-_-_0_1", ("f4", "g5"), r"K[ef]5 or K[ef]5"),
        ("8/6K1/8/8/8/5Pk1/8/8_b_-_-_0_1", ("g3", "g2"), r"any of 4 moves, like Kx?\w\d"),
    ],
)
def test_the_moves_that_were_right_are_named(page, fen, squares, right):
    page.open(f"?fen={fen}")
    page.click("#practise")
    page.until_my_move()
    move(page, *squares)
    page.until(lambda: re.fullmatch(rf"Right was {right}\.", page.find("#why").text))


def test_what_the_method_allows_is_never_slow(page):
    """King and rook step by step after the rules, up to mate: as told by the hints."""
    page.open("?fen=8/8/8/8/5k2/8/8/KR6_w_-_-_0_1")
    page.click("#practise")
    page.until_my_move()
    for number in range(1, 36):
        page.until(lambda: page.headline.startswith("Win this for") or solved(page))
        for _ in range(3):
            page.click("#hint")
        name = page.find("#why").text.removeprefix("Hint: ")
        page.browser.execute_script(
            "document.getElementById('typed').value = arguments[0];"
            "document.getElementById('typed-form').requestSubmit()",
            name,
        )
        page.until(lambda n=number: score(page).startswith(f"{n} move"))
        assert page.find("#why").text.startswith("Rule ")
        if name.endswith("#"):
            break
    page.until(lambda: summary(page).startswith("Solved"))
    assert " 0 mistakes · 0 slow moves" in score(page)


def test_what_is_told_at_the_end_moves_no_button(fresh):
    page = fresh
    with window(page, 1366, 800):
        begin(page, [MATE_IN_ONE])
        page.click("#exercise")
        page.until(lambda: page.find("#task").text.startswith("Mate in 1 "))
        page.until_my_move()
        top = page.find("#exercise").rect["y"] - page.find("#practising").rect["y"]
        move(page, "h1", "h8")
        page.until(lambda: summary(page))
        assert page.find("#exercise").rect["y"] - page.find("#practising").rect["y"] == top


def test_a_failure_raises_no_level(fresh):
    """A level that was chosen far above stays for a second try, and one's own level as it was."""
    page = fresh
    begin(page, [MATE_IN_16.replace("_", " ")] * 2)
    page.click("#exercise")
    page.until(lambda: level(page) == "KRK · level 1 of 9")
    page.click("#dots [aria-label='Level 7']")
    page.until(lambda: level(page) == "KRK · level 7 of 9")
    page.until_my_move()
    move(page, "b2", "b3")
    page.until(lambda: summary(page) == "Not solved yet. Next: level 7.")
    assert '"level":1,' in page.browser.execute_script(KEPT)
    told = [one.text for one in lessons(page) if one.text.startswith("KRK ")]
    assert "level 1 of 9 · 1 played, 0 solved · 1 to repeat" in told[0]


def test_progress_of_earlier_versions_counts(fresh):
    fresh.browser.execute_script(
        """localStorage.progress = '{"KPK":{"level":3,"of":9,"solved":2}}'"""
    )
    told = [one.text for one in lessons(fresh) if one.text.startswith("KPK ")]
    assert "level 3 of 9 · 2 played, 2 solved" in told[0]


@on_both_hosts_slowly
def test_a_level_is_chosen_by_its_dot(fresh):
    page = fresh
    page.open("?exercise=KRK")
    page.until(lambda: level(page).startswith("KRK · level 1 of "))
    assert page.find("#dots [aria-current]").accessible_name == "Level 1"
    page.click("#dots [aria-label='Level 4']")
    page.until(lambda: level(page).startswith("KRK · level 4 of "))
    assert page.find("#dots").text.count("●") == 4
    assert page.find("#dots [aria-current]").accessible_name == "Level 4"
    page.until(lambda: "exercise=KRK:4&" in page.browser.current_url)


@on_both_hosts_slowly
def test_a_random_position_is_one_to_play_for(fresh):
    page = fresh
    begin(page, [MATE_IN_ONE] * 2)
    page.click("#random")
    page.until(lambda: page.fen == MATE_IN_ONE)
    assert asked(page) == ["KRK"]
    page.until(lambda: level(page) == "KRK · level 1 of 9")
    Select(page.find("#material")).select_by_visible_text("KQK")
    page.until(lambda: level(page) == "KQK · level 1 of 9")
    assert asked(page) == ["KRK", "KQK"]


@pytest.mark.parametrize("height", [768, 800])
def test_values_and_moves_played_have_room_beside_an_exercise(fresh, height):
    page = fresh
    with window(page, 1366, height):
        page.open("?exercise=KRK:5")
        page.until_my_move()
        page.click("#reveal")
        page.until(lambda: page.moves)
        page.browser.execute_script("scrollTo(0, 0)")
        for css in ("#verdict", "#reveal", "#exercise", "#lines", "#typed", "#best"):
            assert in_view(page, css), css
        assert page.find("#moves").rect["height"] > 70
        hidden = "return arguments[0].scrollHeight - arguments[0].clientHeight"
        for css in (".told", "#game-card"):
            assert page.browser.execute_script(hidden, page.find(css)) <= 0, css


@on_both_hosts_slowly
def test_the_next_exercise_keeps_the_level_of_a_link(fresh):
    page = fresh
    page.open("?exercise=KPK:3")
    page.until(lambda: level(page).startswith("KPK · level 3 of "))
    game = "return history.state.game"
    begun = page.browser.execute_script(game)
    page.until(lambda: page.find("#task").text)
    blur(page)
    page.keys("n")
    page.until(lambda: page.browser.execute_script(game) != begun)
    page.until(lambda: page.find("#task").text)
    assert level(page).startswith("KPK · level 3 of ")
    page.browser.back()
    page.until(lambda: level(page).startswith("KPK · level 3 of ") and page.find("#task").text)
    assert page.find("#practise").get_attribute("aria-pressed") == "true"


@on_both_hosts
def test_a_reload_goes_on_with_an_exercise(fresh):
    page = fresh
    page.open(f"?exercise={MATE_IN_16}")
    page.until_my_move()
    move(page, "a1", "a2")
    page.until(lambda: played(page).count("K") == 2)
    page.until_my_move()
    move(page, "b2", "b1")
    page.until(lambda: len(page.find_all("#played li")) == 4)
    page.until_my_move()
    told = score(page), page.headline, page.find("#task").text, page.fen
    page.browser.refresh()
    page.until_my_move()
    page.until(lambda: page.find("#task").text)
    assert (score(page), page.headline, page.find("#task").text, page.fen) == told
    assert page.find("#detail").text.startswith("Rb1 ")


@on_both_hosts_slowly
def test_the_moves_of_the_tables_are_no_faults(fresh):
    """In a lost position they are hard to answer, not the longest defence."""
    page = fresh
    page.open("?exercise=8/7k/5K2/5P2/8/8/8/8_w_-_-_0_1")
    page.until_my_move()
    move(page, "f6", "e6")
    page.until(lambda: len(page.find_all("#played li")) == 2)
    page.until_my_move()
    assert page.find_all("#played .marked") == []
    page.click("#game")
    page.until(lambda: page.moves)
    page.click("#back")
    page.until(lambda: " b " in page.fen)
    assert (
        page.moves[0] != page.find_all("#played button")[1].text
    )  # it is not the best of the list


# The course


def lessons(page):
    page.browser.get(f"{page.address}tables/course.html")
    page.until(lambda: page.find_all(".lessons > li"))
    return page.find_all(".lessons > li")


@on_both_hosts
def test_the_course_lists_endings_with_what_is_done(fresh):
    page = fresh
    told = [one.text.split("\n")[0] for one in lessons(page)]
    # No win of KNNK takes more than a move, so it is not there; what can be practised comes first.
    here = ["KQK", "KRK", "KPK", "KRNK"]
    missing = ["KBBK", "KBNK", "KPKP", "KBPK", "KQKP", "KRKP", "KRKN", "KRKB", "KQKR", "KRPKR"]
    assert [one.split()[0] for one in told] == here + missing
    links = [one.get_attribute("href") for one in page.find_all(".lessons a")]
    assert links == [f"{page.address}index.html?exercise={name}" for name in here]
    assert page.texts(".start") == ["Start"] * 4
    group = page.find("#content section:last-child")
    is_served = "There are no tables of them here." not in group.text
    commands = [one.text.rpartition("tablebase build ")[2] for one in page.find_all("code")]
    ends = [" ".join(missing[:-1]), "KRPKR"] * is_served
    assert [one.split(" ", 2)[2] for one in commands] == ends
    assert [one.text for one in group.find_elements("css selector", "button")] == ["Copy"] * len(
        ends
    )
    boards = [
        len(one.find_elements("css selector", ".squares img"))
        for one in page.find_all(".lessons a")
    ]
    assert boards == [3, 3, 3, 4]
    page.until(
        lambda: all(one.get_property("naturalWidth") for one in page.find_all("[href$=KQK] img"))
    )
    assert not page.find("#wipe").is_displayed()
    begin(page, [MATE_IN_ONE])
    page.click("#exercise")
    page.until(lambda: page.find("#task").text.startswith("Mate in 1 "))
    move(page, "h1", "h8")
    page.until(lambda: summary(page))
    done = [one.text for one in lessons(page) if one.text.startswith("KRK")]
    assert "level 1 of 9 · 1 played, 1 solved" in done[0]
    assert "\N{BLACK CIRCLE}\N{WHITE CIRCLE}" in done[0]
    onward = "Continue with KRK, level 1"
    assert page.texts(".start") == [onward, "Start", "Continue", "Start", "Start"]
    assert page.find("#content > p a").get_attribute("href").endswith("?exercise=KRK")
    assert page.find("#done").text == "1 exercise played, 1 solved"
    page.click("#wipe")  # asks first
    page.browser.switch_to.alert.dismiss()
    assert "KRK" in page.browser.execute_script(KEPT)
    page.click("#wipe")
    page.browser.switch_to.alert.accept()
    page.until(lambda: page.find("#done").text == "0 exercises played, 0 solved")
    assert page.browser.execute_script(KEPT) == "{}"
    page.click(".lessons a")
    page.until_my_move()
    assert page.browser.get_log("browser") == []


@on_both_hosts_slowly
def test_the_method_of_a_lesson_stands_beside_its_exercises(fresh):
    """That of the side and the goal: to win for the stronger one, to hold for the other."""
    page = fresh
    notes = {
        one.text.split()[0]: [note.text for note in one.find_elements("css selector", "li > .note")]
        for one in lessons(page)
    }
    told = [note for some in notes.values() for note in some]
    assert len(set(told)) == len(told)
    assert notes["KRNK"] == []
    [_, rook], [_, hold, win] = notes["KRK"], notes["KPK"]
    assert rook == "A method of 5 rules. Proven in all 21,959 positions: at most 35 moves."
    assert win == (
        "A method of 3 rules. Proven where one of these rules decides, in 47,440 positions: at "
        "most 7 moves to the promotion."
    )
    for fen, method in (
        (MATE_IN_16, rook),
        ("8/8/8/4k3/8/4P3/8/4K3_b_-_-_0_1", hold.removeprefix("To hold: ")),
        ("8/8/8/8/4k3/4p3/8/4K3_w_-_-_0_1", hold.removeprefix("To hold: ")),
        ("8/8/8/8/4k3/4p3/8/4K3_b_-_-_0_1", ""),  # the pawn's side, and it is a draw
        ("4k3/8/3K4/4P3/8/8/8/8_w_-_-_0_1", win),
        ("8/8/8/8/8/2k5/1RN5/K7_w_-_-_0_1", ""),
    ):
        page.open(f"?exercise={fen}")
        page.until_my_move()
        told = page.find("#method").text
        if method.startswith("A method of "):
            count, _, proof = method.removeprefix("A method of ").partition(" rules. ")
            assert len(page.find_all("#method .rules li")) == int(count)
            assert told.endswith(proof)
        else:
            assert told == method


@pytest.mark.parametrize("size", EACH_SIZE)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_course_fits_the_window(page, size, theme):
    with window(page, *size):
        lessons(page)
        page.browser.execute_script("document.documentElement.dataset.theme = arguments[0]", theme)
        assert page.browser.execute_script("return document.documentElement.scrollWidth") <= size[0]
        assert page.browser.execute_script(LUMINANCE) == []


def test_mistakes_of_own_games_are_a_lesson(fresh):
    """Of all games of a text, by player; they are kept in the browser, and played like others."""
    page = fresh
    start = '[White "Ann"]\n[Black "{}"]\n[SetUp "1"]\n[FEN "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"]\n\n'
    games = ("Bob", "Rb3+ Kd4"), ("Bob", "Rb3+ Kxb3"), ("Cy", "Ka2 Kd4 2. Kb3 Kd3 3. Rd2+ Kxd2")
    text = "\n".join(f"{start.format(black)}1. {moves} *\n" for black, moves in games)
    page.click("#pgn-open")
    page.browser.execute_script("document.getElementById('pgn').value = arguments[0]", text)
    page.click("#pgn-load")
    told = "Practise the mistakes of Ann: 2 positions · Bob: 1 position"
    page.until(lambda: page.find("#pgn-own").text == told)
    page.find_all("#pgn-own a")[1].click()
    page.until_my_move()
    assert page.fen == "8/8/8/8/8/1Rk5/8/K7 b - - 1 1"
    assert level(page) == "My mistakes · Ann \N{EN DASH} Bob"
    card = lessons(page)[0]
    assert card.text.split("\n")[:3] == ["My mistakes", "Start", "1 position, 0 solved"]
    select = Select(page.find(".lesson select"))
    assert [one.text for one in select.options] == ["all players", "Ann (2)", "Bob (1)"]
    select.select_by_value("Ann")
    page.until(lambda: "2 positions, 0 solved" in page.find(".lesson").text)
    page.click(".lessons a")
    page.until_my_move()
    assert not page.find_all("#dots button")
    while level(page) != "My mistakes · Ann \N{EN DASH} Bob":  # one of two
        page.click("#exercise")
        page.until_my_move()
    assert page.fen == MATE_IN_16.replace("_", " ")
    move(page, "b2", "b3")
    page.until(lambda: summary(page) == "Not solved yet. It comes again.")
    done = page.find(".lesson .done").text if lessons(page) else ""
    assert done == "2 positions, 0 solved"
