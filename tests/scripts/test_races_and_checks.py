"""What the page about racing kings and three-check says is true of the tables."""

import re
from pathlib import Path

import pytest
import races_and_checks
from measurement import load

from tablebase import open_tablebase
from tablebase.core.board.geometry import SIDES, Color
from tablebase.core.rules.rule_files import built_in_rules
from tablebase.core.storage.reading import open_table, read_table

PAGE = Path(__file__).parents[2] / "docs" / "races-and-checks.md"
FOUND = load(races_and_checks.NAME)["results"]


@pytest.mark.parametrize("game", races_and_checks.GAMES)
def test_figures_of_three_men_are_those_of_the_tables(game, racing_dir, checks_dir):
    folder = racing_dir if game == "racingkings" else checks_dir
    (measured,) = (one for name, one in races_and_checks.measure(folder).items() if name == game)
    assert len(measured) == (9 if game == "racingkings" else 6)
    assert measured == {name: FOUND[game][name] for name in measured}


def test_positions_by_checks_left_are_all_of_a_table(checks_dir):
    (path,) = checks_dir.glob("*/KPK.h5")
    by_checks = races_and_checks.by_checks(read_table(path))
    assert [*by_checks] == ["1+3", "2+3", "3+3"]
    with open_table(path) as file:
        counts = file.counts[SIDES[Color.WHITE]]
    total = [sum(one) for one in zip(*by_checks.values(), strict=True)]
    assert total == [counts[result] for result in races_and_checks.RESULTS]
    wins = [one[0] for one in by_checks.values()]
    assert wins == sorted(wins, reverse=True)


def test_figures_of_four_men_are_consistent():
    assert FOUND["checks"].keys() == {*races_and_checks.ENDINGS_OF_CHECKS}
    for name, by_checks in FOUND["checks"].items():
        total = [sum(one) for one in zip(*by_checks.values(), strict=True)]
        counts = FOUND["3check"][name][SIDES[Color.WHITE]]
        assert total == [counts[result] for result in races_and_checks.RESULTS]
        # Colours can be exchanged.
        assert FOUND["3check"][name][SIDES[Color.BLACK]]["win"] == counts["win"]


def share(game, name, side, result):
    counts = FOUND[game][name][SIDES[side]]
    return 100 * counts[result] / sum(counts[one] for one in races_and_checks.RESULTS)


def test_what_the_page_says_of_a_second_piece():
    text = " ".join(PAGE.read_text(encoding="utf-8").split())
    assert (
        "a second rook or queen adds little to a rook or a queen, and a bishop or knight lowers"
        in text
    )
    for name in "QR":
        one = share("racingkings", f"K{name}K", Color.WHITE, "win")
        for other in "QRBN":
            pair = f"K{name}{other}K"
            if pair in FOUND["racingkings"]:
                more = share("racingkings", pair, Color.WHITE, "win") - one
                assert 0 < more < 3 if other in "QR" else -2 < more < 0, pair
    games = (PAGE.parent / "other-games.md").read_text(encoding="utf-8")
    assert "A knight gains Black next to nothing" in games
    gained = [share("racingkings", name, Color.BLACK, "win") for name in ("KK", "KKN")]
    assert 0 < gained[1] - gained[0] < 0.5


def test_what_is_shown_is_won_in_as_many_moves(racing_dir, checks_dir):
    tried = 0
    for game, folder in (("racingkings", racing_dir), ("3check", checks_dir)):
        with open_tablebase(folder, rules=built_in_rules()[game]) as tables:
            for words, fen, result in races_and_checks.shown():
                of_game = game == "3check" if "left" in words else game == "racingkings"
                if of_game and sum(map(str.isalpha, fen.split()[0])) == 3:
                    moves = int(re.search(r"in (\d+) moves", words)[1])
                    assert (result, tables.probe_dtm(fen)) == ("win", 2 * moves - 1)
                    tried += 1
    assert tried == 2


def test_sentences_of_the_page_are_those_of_the_figures():
    text = " ".join(PAGE.read_text(encoding="utf-8").split())
    checks, races = FOUND["3check"], FOUND["racingkings"]
    assert checks["KRK"]["white_to_move"]["draw"] == 0
    assert checks["KRK"]["white_to_move"]["longest_win"]["plies"] == 9
    assert "a rook wins all of them, in at most 5 moves" in text

    def percent(name, left, result=0):
        counts = FOUND["checks"][name][left]
        return 100 * counts[result] / sum(counts)

    shares = {left: round(percent("KRKR", left)) for left in ("3+3", "2+3", "1+3")}
    assert (
        f"with 2 left instead of 3, the side to move wins {shares['2+3']} % instead of "
        f"{shares['3+3']} %, and with 1 left {shares['1+3']} %"
    ) in text
    for name in ("KBKB", "KNKN"):
        assert percent(name, "2+3") < percent(name, "3+3") + 1.5
        assert percent(name, "1+3") > 2 * percent(name, "2+3")
    drawn = {
        name: sides["white_to_move"]["draw"]
        / sum(sides["white_to_move"][one] for one in races_and_checks.RESULTS)
        for name, sides in checks.items()
        if name.endswith("K") and name != "KK"
    }
    assert [name for name, share in drawn.items() if share > 0.01] == ["KPK"]
    assert "with White to move, only a lone pawn leaves more than one draw in a hundred" in text
    assert FOUND["both_lose"]["KRKR"]["number"] == 1
    longest = {
        (name, side): sides[side]["longest_win"]["plies"]
        for name, sides in races.items()
        for side in SIDES
        if sides[side]["longest_win"]
    }
    assert max(longest, key=longest.get) == ("KRKQ", "white_to_move")
    assert f"White needs up to {(max(longest.values()) + 1) // 2} moves" in text
