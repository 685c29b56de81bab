"""The explorer of other games than chess, in a real browser."""

import pytest

pytest.importorskip("selenium")

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from support.browsing import (
    EACH_SIZE,
    IN_VIEW,
    LUMINANCE,
    SIZES,
    Page,
    arrows,
    games_on_both_hosts,
    games_on_both_hosts_slowly,
    in_view,
    needs_browser,
    play,
    played,
    window,
)
from support.hosting import hosted
from support.published import publish, publish_values, tables_in

pytestmark = needs_browser

WIDTH = "return document.documentElement.scrollWidth"
DIAMOND = "?rules=shatranj&fen=8/8/8/3k4/8/1KQ5/8/q7_w_-_-_0_1"


def click_move(page, start, end):
    page.until(lambda: "movable" in page.square(start).get_attribute("class"))
    page.square(start).click()
    page.square(end).click()


@pytest.fixture
def diamond(games_page):
    games_page.open(DIAMOND)
    games_page.until_headline("White wins in 20")
    return games_page


@games_on_both_hosts
def test_a_position_with_its_moves(diamond):
    page = diamond
    assert page.find("#detail").text == "White to move · 39 plies with best play"
    assert page.find("#rules").get_attribute("value") == "shatranj"
    assert page.values[:2] == [
        ("wins in 20", ["Kb4"]), ("wins in 21", ["Kc2"])
    ]  # fmt: skip
    assert page.texts("#moves h3") == [
        "4 moves win", "4 moves only draw", "1 move loses"
    ]  # fmt: skip
    assert arrows(page) == ({"b3b4"}, {"win"})
    pictures = [page.find(f"[data-square={at}] img").get_attribute("src") for at in ("b3", "c3")]
    assert [one.rpartition("/")[2] for one in pictures] == ["wK.svg", "wQ.svg"]
    assert "/discs/" in pictures[1]
    assert page.square("c3").accessible_name == "c3, white fers"
    assert page.find_all("#kinds figcaption")[0].text == "Q fers"
    course = page.find("header a").get_attribute("href")
    assert course.endswith("tables/course.html?rules=shatranj")
    assert page.browser.get_log("browser") == []


def test_the_course_where_there_is_no_chess_is_of_the_first_game(games_page):
    page = games_page
    page.browser.get(f"{page.address}tables/course.html")
    page.until(lambda: "?rules=" in page.browser.current_url)
    game = page.browser.current_url.rpartition("?")[2]
    page.until(lambda: page.find_all(".lessons a"))
    links = [one.get_attribute("href") for one in page.find_all(".lessons a")]
    assert all(f"index.html?{game}&exercise=" in link for link in links)


@games_on_both_hosts
def test_moves_are_played_and_taken_back(diamond):
    page = diamond
    play(page, "b3b4")
    page.until_headline("White wins in 19")
    click_move(page, "d5", "d6")
    page.until(lambda: played(page) == "1. Kb4 Kd6")
    page.until_headline("White wins in 19")
    page.click("#back")
    page.until(lambda: page.fen.startswith("8/8/8/3k4/1K6"))
    play(page, "d5c6")
    page.until(lambda: "Kc6" in played(page))
    page.browser.refresh()
    page.until(lambda: "Kc6" in played(page))


@games_on_both_hosts_slowly
def test_a_slow_move_is_judged(diamond):
    play(diamond, "b3c2")
    diamond.until(
        lambda: "keeps the win, 1 move slower than the best" in diamond.find("#remark").text
    )
    diamond.click("#first")
    play(diamond, "b3a3")
    diamond.until(lambda: "throws away the win: it is now a draw" in diamond.find("#remark").text)


@games_on_both_hosts_slowly
def test_best_play_leads_to_the_end(diamond):
    page = diamond
    page.click("#line-card summary")
    page.until(lambda: len(page.find_all("#line li")) == 39)
    page.find_all("#line button")[-1].click()
    page.until_headline("Bare king: White has won")
    assert page.moves == []
    assert played(page).endswith("20. Kxa1#")


@games_on_both_hosts
def test_set_up_by_tray_and_by_letters(diamond):
    page = diamond
    page.click("#setup")
    page.click("#clear")
    for man, at in (("K", "a1"), ("k", "h8"), ("Q", "b2")):
        page.click(f"[data-man={man}]")
        page.square(at).click()
    page.browser.execute_script("document.querySelector('[data-square=g8]').focus()")
    page.click("[data-man=Q]")  # puts the brush away
    page.browser.execute_script("document.querySelector('[data-square=g7]').focus()")
    page.keys("q")
    page.until(lambda: page.fen == "7k/6q1/8/8/8/8/1Q6/K7 w - - 0 1")
    page.until(lambda: page.moves)
    page.click("#setup")
    page.until_headline("Draw")


@games_on_both_hosts_slowly
def test_fens_are_checked(diamond):
    page = diamond
    before = page.fen
    page.click("#setup")
    for fen, message in (
        ("8/8", "is not a FEN"),
        ("8/8/8/3k4/8/1KX5/8/n7 w", "not a piece of shatranj"),
    ):
        page.find("#fen").clear()
        page.find("#fen").send_keys(fen, Keys.ENTER)
        page.until(lambda message=message: message in page.find("#fen-error").text)
    assert page.browser.execute_script("return new URL(location.href).search").count("1KQ5") == 1
    page.find("#fen").clear()
    page.find("#fen").send_keys("8/8/8/3k4/8/1KQ5/8/q7 b", Keys.ENTER)
    page.until(lambda: page.fen != before and page.find("#fen-error").text == "")
    page.until(lambda: "Black to move" in page.find("#detail").text)


@games_on_both_hosts
def test_practising_against_the_tables(games_page):
    page = games_page.open("?rules=shatranj&fen=8/8/8/3k4/8/1KQ5/8/q7_w_-_-_0_1")
    page.click("#practise")
    page.until_my_move()
    assert page.moves == []
    assert arrows(page)[0] == set()
    click_move(page, "b3", "b4")
    page.until(lambda: played(page) == "1. Kb4 Kd6")
    page.until_my_move()
    assert "Kb4 is best" in page.find("#detail").text
    assert page.headline == "Win this for White"
    click_move(page, "c3", "d4")
    page.until_headline("Qd4 is a mistake")
    assert page.find("#score").text.startswith("2 moves · 1 mistake · 0 slow moves")
    page.click("#again")
    page.until_my_move()
    page.click("#exercise")
    page.until(lambda: page.find("#task").text)  # which takes no distances to zeroing here
    page.click("#game")
    page.until(lambda: page.moves)


@games_on_both_hosts
def test_a_game_with_fifteen_kinds(games_page):
    page = games_page.open("?rules=fifteen&fen=8/8/8/8/8/2k5/1H6/K7_w_-_-_0_1")
    page.until_headline("White mates in 11")
    assert page.values[0] == ("mates in 11", ["Ka2", "He2", "Hf2"])
    assert len(page.find_all("#kinds figure")) == 15 - len("KQRBNP")
    page.click("#setup")
    for size in [*SIZES, (320, 640)]:
        with window(page, *size):
            page.browser.execute_script("scrollTo(0, 0)")
            men = page.find_all("[data-man]")
            assert len(men) == 2 * 15
            assert all(page.browser.execute_script(IN_VIEW, man) for man in men)
            assert page.browser.execute_script(WIDTH) <= size[0]
    page.open("?rules=fifteen&exercise=KHK")
    page.until_my_move()
    page.click("#hint")
    page.until(lambda: page.find_all(".hint circle"))
    fen = page.fen
    page.click("#exercise")
    page.until(lambda: page.fen != fen)
    page.until_my_move()
    assert page.browser.get_log("browser") == []


@games_on_both_hosts_slowly
def test_an_exercise_ends_with_a_bare_king(games_page):
    page = games_page.open("?rules=shatranj&fen=7k/8/8/8/8/8/1q6/KQ6_w_-_-_0_1")
    page.click("#practise")
    page.until_my_move()
    click_move(page, "a1", "b2")
    page.until_headline("Solved")
    assert page.find("#detail").text == "Bare king: White has won · take the next exercise"
    assert page.find("#summary").text == "Solved. A position of your own counts for no level."


@games_on_both_hosts_slowly
def test_a_pawn_captures_en_passant_and_promotes(games_page):
    page = games_page.open("?rules=pawns&fen=4k3/8/8/8/3p4/8/4P3/4K3_w_-_-_0_1")
    play(page, "e2e4", "d4e3")
    assert page.fen.startswith("4k3/8/8/8/8/4p3/8/4K3 w")
    page.open("?rules=pawns&fen=8/4P1k1/8/8/8/8/8/4K3_w_-_-_0_1")
    click_move(page, "e7", "e8")
    page.until(lambda: page.fen.startswith("4F3/"))


@games_on_both_hosts
def test_the_choice_of_a_game(games_page):
    """Where there are no tables of chess, the page begins with another game."""
    page = games_page.open()
    chosen = page.find("#rules")
    games = [one.text for one in chosen.find_elements(By.TAG_NAME, "option")]
    assert games == ["fifteen", "pawns", "shatranj"]
    page.until(lambda: page.find("#rules").get_attribute("value") == "fifteen")
    page.find("#rules").send_keys("shatranj")
    page.until(lambda: "shatranj" in page.browser.current_url)
    page.until(lambda: page.headline.endswith("wins in 32"))
    assert page.find("#kinds figure").is_displayed()


@pytest.mark.parametrize(
    ("names", "material", "headline"),
    [({"KQK", "KRK"}, "KQK", "wins in 11"), ({"KRK"}, "KRK", "draw")],
)
def test_a_game_begins_with_a_win_if_there_is_one(
    atomic_dir, tmp_path, browser, names, material, headline
):
    """In atomic chess a rook cannot win."""
    (inside,) = atomic_dir.iterdir()
    publish_values([one for one in tables_in(inside) if one.stem in names], tmp_path)
    with hosted(tmp_path) as address:
        page = Page(browser, address).open("index.html?rules=atomic")
        page.until(lambda: headline in page.headline.lower())
        page.until(lambda: page.find("#material").get_attribute("value") == material)
        assert page.find("#hardest").is_enabled() == ("wins" in headline)


def test_the_course_and_a_task_of_a_game_without_kings(antichess_dir, tmp_path, browser):
    """In BvB and KvK no win takes two moves; in NvN no move can be a mistake, so none is drawn.

    The others begin with the one that is won soonest.
    """
    (inside,) = antichess_dir.iterdir()
    names = {"BvB", "BvN", "KvB", "KvK", "KvQ", "NvN"}
    publish([one for one in tables_in(inside) if one.stem in names], tmp_path)
    with hosted(tmp_path) as address:
        page = Page(browser, address)
        page.browser.get(f"{address}tables/course.html?rules=antichess")
        page.until(lambda: page.find_all(".lessons b"))
        assert page.texts("#content h2") == ["Endings of 2 pieces"]
        assert page.texts(".lessons b") == ["KvB", "BvN", "KvQ"]
        page.open("index.html?rules=antichess&fen=8/8/8/8/8/8/8/B4n2_w_-_-_0_1")
        page.until_headline("White wins in 3")
        page.click("#practise")
        page.until_headline("Win this for White")
        task = page.find("#task").text
        assert task == "Win in 3 with best play. Solved when you have won."


def test_addresses_of_earlier_versions(games_page):
    games_page.open("game" + DIAMOND)
    games_page.until_headline("White wins in 20")
    assert "/game" not in games_page.browser.current_url


def test_chess_offers_no_games_that_are_not_there(page):
    page.open()
    assert not page.find("#rules").is_displayed()
    assert not page.find("#kinds").is_displayed()
    page.browser.get(f"{page.address}?rules=shatranj")
    page.until_headline("No answer")
    assert page.find("#detail").text == ("there are no tables of shatranj here, only of chess")


@pytest.mark.parametrize("size", EACH_SIZE)
def test_the_page_fits_the_window(games_page, size):
    page = games_page
    with window(page, *size):
        page.open(DIAMOND)
        page.until_headline("White wins in 20")
        for css in ("#board", "#verdict"):
            assert in_view(page, css), css
        assert page.browser.execute_script(WIDTH) <= size[0]
        page.until(lambda: page.browser.execute_script(LUMINANCE) == [])
        page.click("#practise")
        page.until_my_move()
        click_move(page, "b3", "a4")
        page.until_headline("Ka4 is a mistake")
        page.browser.execute_script("scrollTo(0, 0)")
        for css in ("#board", "#verdict", "#again", "#play-on"):
            assert in_view(page, css), css
