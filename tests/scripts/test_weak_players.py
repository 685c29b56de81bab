"""The comparison of difficulty with the mistakes of engines, without an engine."""

import csv
import math
import random
from collections import defaultdict
from itertools import pairwise
from pathlib import Path

import chess
import chess.engine
import measurement
import numpy as np
import pytest
import weak_players
from support.random_positions import random_board
from support.slow_difficulty import kinds_of_moves, slow_difficulty

from tablebase import open_tablebase
from tablebase.core.positions.any_position import read_position
from tablebase.core.rules.material import Material
from tablebase.core.rules.rule_files import built_in_rules

ROOT = Path(__file__).parents[2]


def test_moves_are_judged_and_summed_by_class():
    rng = random.Random(7)
    played = []
    for _ in range(60):
        board = random_board(rng, Material.from_name("KPK"))
        moves = list(board.legal_moves)
        played += [("one", "KPK", board, rng.choice(moves))] if moves else []
    with open_tablebase(ROOT / "data") as tables:
        found = list(weak_players.judged(tables, played))
        expected = []
        for _, _, board, move in played:
            keeping, hidden, plain = kinds_of_moves(tables, board, 4)
            if hidden or plain:
                expected.append((slow_difficulty(tables, board, 4), move not in keeping))
    assert [(one.difficulty, one.is_mistake) for one in found] == [
        (pytest.approx(hard), wrong) for hard, wrong in expected
    ]
    rows = weak_players.summed(found)
    assert sum(row["moves"] for row in rows) == len(found)
    assert sum(row["mistakes"] for row in rows) == sum(one.is_mistake for one in found) > 0
    for row in rows:
        assert row["predicted"] <= row["up_to"] <= 1


def test_a_game_begins_where_something_can_be_lost():
    with open_tablebase(ROOT / "data") as tables:
        found = weak_players.starts(tables, "KPK", np.random.default_rng(1))
        for _ in range(10):
            board = next(found)
            assert isinstance(board, chess.Board)
            assert any(board.legal_moves)
            assert tables.probe_wdl50(board) > -2


def wilson(hits, number, z=1.96):
    """Return the bounds of Wilson's interval for a share."""
    middle = (hits + z * z / 2) / (number + z * z)
    half = z / (number + z * z) * math.sqrt(hits * (number - hits) / number + z * z / 4)
    return middle - half, middle + half


def test_the_saved_mistakes_are_as_the_page_says():
    """All players together: they rise with difficulty, but are fewer than predicted."""
    results = measurement.load(weak_players.NAME)["results"]
    shares = []
    for lower, upper in ((0, 0), (0.2, 0.2), (0.4, 0.6), (0.8, 1), (1, 1)):
        some = [row for row in results["rows"] if lower <= row["up_to"] <= upper]
        moves, mistakes = (sum(row[name] for row in some) for name in ("moves", "mistakes"))
        shares.append(mistakes / moves)
        predicted = sum(row["moves"] * row["predicted"] for row in some) / moves
        assert upper == 0 or shares[-1] < predicted
    easiest, *_, hardest = shares
    assert shares[:-1] == sorted(set(shares[:-1]))
    none, low, middle, high = (f"{100 * share:.0f} %" for share in shares[:-1])
    text = " ".join((ROOT / "docs" / "teachers.md").read_text(encoding="utf-8").split())
    assert round(1 / easiest, -1) == 50
    assert "one in about fifty moves; where the model predicts the most, about one in three" in text
    assert round(1 / hardest) == 3
    assert len(results["materials"]) == 13
    assert f"{results['engine']} made a mistake without tables" in text
    assert f"in {results['games']} games each from random positions of thirteen endings" in text
    hard = [row["moves"] for row in results["rows"] if row["up_to"] > 0]
    assert (min(hard), max(hard)) == (10, 80)
    assert any((row["mistakes"], row["moves"]) == (5, 10) for row in results["rows"])
    assert [round(100 * bound) for bound in wilson(5, 10)] == [24, 76]
    words = f"{none} of the positions at difficulty 0, {low} up to 0.2, {middle} up to 0.6"
    assert f"All players together make a mistake in {words} and {high} above" in text
    assert "only 10 to 80 moves" in text
    assert "for 5 mistakes in 10 moves the 95 % interval is 24 to 76 %" in text


class Engine:
    """An engine that plays the best move of the tables, or the worst one."""

    def __init__(self, tables, place):
        self.tables, self.place = tables, place

    def play(self, board, *_, **__):
        ranked = self.tables.rank_moves(board)
        return chess.engine.PlayResult(ranked[self.place].move, None)


def test_a_success_is_an_exercise_without_a_mistake():
    with open_tablebase(ROOT / "data") as tables:
        for place, share in ((0, 1), (-1, 0)):
            player = weak_players.weakest(Engine(tables, place))
            rows = weak_players.successes(tables, player, ["KPK"], 1)
            assert {row["goal"] for row in rows} == {"win", "hold"}
            assert {row["successes"] / row["tries"] for row in rows} == {share}


def test_the_saved_levels_climb_beyond_the_noise():
    results = measurement.load(weak_players.LEVELS)["results"]
    for goal in ("win", "hold"):
        rows = [row for row in results["rows"] if row["goal"] == goal]
        assert [row["level"] for row in rows] == [1, 2, 3]
        for easier, harder in pairwise(rows):
            fall = easier["successes"] / easier["tries"] - harder["successes"] / harder["tries"]
            assert fall > 2 * math.hypot(easier["error"], harder["error"])
    text = " ".join((ROOT / "docs" / "teachers.md").read_text(encoding="utf-8").split())
    *first, last = results["materials"]
    assert f"in exercises of {', '.join(first)} and {last}, against the hardest replies" in text
    assert results["engine"] in text
    assert results["games"] == 8


@pytest.mark.parametrize(
    ("game", "fen", "right"),
    [
        ("chess", "7k/8/6K1/8/8/8/8/R7 w - - 0 1", ["a1a8"]),  # mate
        ("chess", "8/8/8/8/8/1qk5/8/K7 b - - 0 1", ["b3b2"]),
        ("chess", "8/8/8/3k4/8/1q6/P7/K7 w - - 0 1", ["a2b3"]),
        ("racingkings", "8/K7/8/8/8/8/8/7k w - - 0 1", ["a7a8", "a7b8"]),  # the goal
        ("antichess", "8/8/8/8/8/1r6/8/R7 w - - 0 1", ["a1a3", "a1b1"]),  # to be taken
        # Neither the king nor the rook may be taken.
        (
            "makruk",
            "8/8/8/3k4/8/1m6/8/K1R5 w - - 0 1",
            ["a1b1", "a1b2", "c1c3", "c1c7", "c1c8", *(f"c1{file}1" for file in "bdefgh")],
        ),
    ],
)
def test_the_player_of_any_game_sees_two_plies(monkeypatch, game, fen, right):
    monkeypatch.setattr(weak_players, "_KNOWN", 0)
    position = read_position(fen, built_in_rules()[game])
    play = weak_players.half_knowing(None, 1)
    found = {play(position).uci() for _ in range(100)}
    assert found == set(right)


def test_the_player_of_any_game_knows_half_of_the_moves():
    position = read_position("8/8/8/8/8/2k5/1R6/K7 w - - 0 1")
    with open_tablebase(ROOT / "data") as tables:
        best = tables.rank_moves(position.board)[0].move
        play = weak_players.half_knowing(tables, 1)
        found = [play(position) for _ in range(400)]
    others = len({*found}) - 1
    assert others > 1
    assert found.count(best) / len(found) == pytest.approx(0.5, abs=0.15)


def test_the_saved_levels_of_other_games_climb():
    """From the first to the last beyond the noise; the page tells what was played and what not."""
    results = measurement.load(weak_players.LEVELS_OF_GAMES)["results"]
    levels = defaultdict(list)
    for row in results["rows"]:
        levels[row["game"], row["goal"]].append(row)
    assert {game for game, _ in levels} == {*results["materials"]} == {*weak_players.OF_GAMES}
    unsure = []
    for key, rows in levels.items():
        assert [row["level"] for row in rows] == [1, 2, 3]
        shares = [row["successes"] / row["tries"] for row in rows]
        errors = [row["error"] for row in rows]
        if shares[0] - shares[-1] <= 2 * math.hypot(errors[0], errors[-1]):
            unsure.append(key)
    assert unsure == [("antichess", "hold")]
    text = " ".join((ROOT / "docs" / "teachers.md").read_text(encoding="utf-8").split())
    shares = {
        (goal, level): [
            round(100 * row["successes"] / row["tries"])
            for (_, aim), rows in levels.items()
            for row in rows
            if (aim, row["level"]) == (goal, level)
        ]
        for goal in ("win", "hold")
        for level in (1, 3)
    }
    spans = {key: f"{min(some)} to {max(some)} %" for key, some in shares.items()}
    wins = f"he solved {spans['win', 1]} of the wins of level 1 and {spans['win', 3]} of those of"
    draws = f"and held {spans['hold', 1]} and {spans['hold', 3]} of the draws"
    assert f"Depending on the game, {wins} level 3, {draws}." in text
    table = (ROOT / "docs" / "tables" / "success-in-games.csv").read_text(encoding="utf-8")
    listed = csv.DictReader(table.splitlines())
    assert {row["game"]: row["endings"].split(", ") for row in listed} == results["materials"]
    for names in results["without"].values():
        *first, last = names
        assert f"{', '.join(first)} and {last}" in text
    assert "each exercise was played four times" in text
    assert results["games"] == 4
