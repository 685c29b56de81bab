"""What the page about racing kings and three-check says is true of the tables."""

from pathlib import Path

import pytest
from measurement import load

from tablebase.core.board.geometry import SIDES, Color
from tablebase.core.storage.reading import open_table

PAGE = Path(__file__).parents[1] / "docs" / "races-and-checks.md"
FOUND = load("races_and_checks")["results"]
RESULTS = "win", "draw", "loss"


@pytest.mark.thorough
@pytest.mark.parametrize(("game", "number"), [("racingkings", 9), ("3check", 6)])
def test_figures_of_three_men_are_those_of_the_tables(game, number, racing_dir, checks_dir):
    folder = racing_dir if game == "racingkings" else checks_dir
    paths = [*folder.glob("*/*.h5")]
    assert len(paths) == number
    for path in paths:
        with open_table(path) as file:
            for side in SIDES:
                assert FOUND[game][path.stem][side].items() <= file.counts[side].items()


def test_figures_of_four_men_are_consistent():
    for name, by_checks in FOUND["checks"].items():
        total = [sum(one) for one in zip(*by_checks.values(), strict=True)]
        counts = FOUND["3check"][name][SIDES[Color.WHITE]]
        assert total == [counts[result] for result in RESULTS]
        # Colours can be exchanged.
        assert FOUND["3check"][name][SIDES[Color.BLACK]]["win"] == counts["win"]


def share(game, name, side, result):
    counts = FOUND[game][name][SIDES[side]]
    return 100 * counts[result] / sum(counts[one] for one in RESULTS)


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
        name: sides["white_to_move"]["draw"] / sum(sides["white_to_move"][one] for one in RESULTS)
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
