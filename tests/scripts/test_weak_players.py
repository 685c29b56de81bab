"""The comparison of difficulty with the mistakes of engines, without an engine."""

import random
from pathlib import Path

import chess
import measurement
import numpy as np
import pytest
import weak_players
from support.random_positions import random_board
from support.slow_difficulty import kinds_of_moves, slow_difficulty

from tablebase import open_tablebase
from tablebase.core.rules.material import Material

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
    text = " ".join((ROOT / "docs" / "teachers.md").read_text(encoding="utf-8").split())
    assert round(1 / easiest, -1) == 50
    assert "one in about fifty moves; where the model predicts the most, about one in three" in text
    assert round(1 / hardest) == 3
    assert len(results["materials"]) == 13
    assert "three settings of limited strength, in games from random positions of thirteen" in text
