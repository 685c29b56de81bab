"""Positions of antichess and suicide: who has won, and kings like other men."""

import chess
import pytest
from support.variants import ANTICHESS, BOARDS, SUICIDE

from tablebase.core.ground.errors import UnsupportedPositionError
from tablebase.core.outcomes.metrics import WON_OUTCOME
from tablebase.core.positions.any_position import as_position
from tablebase.core.positions.setup_fens import read_setup


@pytest.mark.parametrize(
    ("fen", "outcomes"),
    [
        ("8/8/8/p7/P7/P7/8/8 w", (WON_OUTCOME, ~WON_OUTCOME)),
        ("8/8/p7/p7/P7/8/8/8 w", (WON_OUTCOME, WON_OUTCOME)),
        ("8/8/8/p7/P7/8/8/8 w", (WON_OUTCOME, 0)),
        ("8/8/8/8/8/8/8/R7 b", (WON_OUTCOME, WON_OUTCOME)),
    ],
)
def test_who_has_no_move_wins_or_the_one_with_fewer_pieces(fen, outcomes):
    for rules, outcome in zip((ANTICHESS, SUICIDE), outcomes, strict=True):
        assert read_setup(fen, rules).final_outcome() == outcome


def test_a_side_without_pieces_is_to_move_since_the_game_is_over():
    over = read_setup("8/8/8/8/8/8/8/R7 b", ANTICHESS)
    assert (over.end, [*over.moves()], over.fen) == ("no pieces", [], "8/8/8/8/8/8/8/R7 b - - 0 1")
    with pytest.raises(UnsupportedPositionError, match="a side has no pieces"):
        over.setup()
    with pytest.raises(UnsupportedPositionError, match="the side not to move has no pieces, try b"):
        read_setup("8/8/8/8/8/8/8/R7 w", ANTICHESS)


def test_kings_are_pieces_like_others():
    setup = read_setup("8/2P5/8/8/8/8/1k6/K6K w", ANTICHESS)
    assert str(setup.material) == "KKPvK"
    assert {move.uci() for move in setup.moves()} == {"a1b2"}
    board = BOARDS[ANTICHESS]("8/2P5/8/8/8/8/8/5k2 w - - 0 1")
    assert {move.uci() for move in as_position(board).moves()} == {f"c7c8{to}" for to in "kqrbn"}
    assert setup.swapped().fen == "k6k/1K6/8/8/8/8/2p5/8 b - - 0 1"
    assert chess.Board(setup.fen).fen() == setup.fen
