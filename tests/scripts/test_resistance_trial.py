"""The experiment with resistances counts what it says, and its saved rows support what docs say."""

import random
import sys
from pathlib import Path

import chess
import measurement
import numpy as np
import pytest
import resistance

import tablebase
from tablebase.core.rules.material import Material

DATA = Path(__file__).parents[2] / "data"


@pytest.fixture(scope="module")
def tables():
    with tablebase.open_tablebase(DATA) as tables:
        yield tables


def test_positions_are_of_their_kind(tables):
    for kind, turn, result in ((resistance.DRAWN, chess.WHITE, 0), (resistance.LOST, False, -2)):
        found = resistance.positions(
            tables, Material.from_name("KPK"), kind, np.random.default_rng(1)
        )
        for board in (next(found) for _ in range(20)):
            assert board.is_valid()
            assert board.turn is turn
            assert tables.probe_wdl50(board) == result
            assert not list(board.generate_legal_captures())
            assert result == 0 or tables.probe_dtm(board) <= -20


def test_a_game_ends_with_the_first_mistake(tables):
    drawn = chess.Board("8/8/8/3k4/8/8/3P4/3K4 w - - 0 1")
    assert tables.probe_wdl(drawn) == 0

    def best(board, _):
        return tables.rank_moves(board)[0].move

    def worst(board, _):
        return tables.rank_moves(board)[-1].move

    rng = random.Random(1)
    for one in resistance.RESISTANCES:
        assert resistance.makes_mistake(tables, drawn, one, worst, rng)
        assert not resistance.makes_mistake(tables, drawn, one, best, rng)
    assert resistance.model(tables, 100)(drawn, rng) in drawn.legal_moves


def test_the_error_is_that_of_paired_games(tables):
    found = resistance.positions(
        tables, Material.from_name("KPK"), resistance.DRAWN, np.random.default_rng(2)
    )
    boards = [next(found) for _ in range(12)]
    row = resistance.compare(tables, boards, resistance.model(tables, 2), "some")
    again = resistance.compare(tables, boards, resistance.model(tables, 2), "some")
    assert row == again
    assert row["positions"] == 12
    most = max(row["longest"] + row["practical"], 1)
    assert 0 <= row["error"] <= (12 / 11 * most) ** 0.5


def test_new_rows_take_the_place_of_old_ones():
    old = [{"material": "A", "kind": "lost", "player": "sight 2", "practical": 1},
           {"material": "B", "kind": "lost", "player": "sight 2", "practical": 2}]  # fmt: skip
    new = [old[0] | {"practical": 3}, old[0] | {"kind": "drawn"}]
    assert resistance.merged(old, new) == [new[1], new[0], old[1]]


def test_it_saves_what_it_prints(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(measurement, "RESULTS", tmp_path)
    arguments = ["KPK", "--dir", str(DATA), "--positions", "2", "--sights", "4", "--save"]
    monkeypatch.setattr(sys, "argv", ["resistance.py", *arguments])
    resistance.main()
    rows = measurement.load("resistance")["results"]["rows"]
    assert [(row["kind"], row["player"]) for row in rows] == [
        ("drawn", "sight 4"), ("lost", "sight 4"),
    ]  # fmt: skip
    assert capsys.readouterr().out.count("KPK") == 2
    assert resistance.resistance().count("\n") == 3


def test_practical_resistance_gains_against_the_model():
    """Over ten materials more than two errors, drawn and lost apart, and nowhere a loss."""
    rows = measurement.load("resistance")["results"]["rows"]
    assert len({row["material"] for row in rows}) >= 10
    assert all(row["positions"] >= 200 for row in rows)
    for kind in resistance.KINDS:
        for player in ("sight 2", "sight 6"):
            chosen = [row for row in rows if (row["kind"], row["player"]) == (kind, player)]
            assert len(chosen) >= 10
            more, error = resistance.gain(chosen)
            assert more > 2 * error
            for row in chosen:
                assert row["practical"] - row["longest"] >= -2 * row["error"]
