"""Positions of antichess and suicide: forced captures and ends as python-chess has them."""

import random

import chess
import pytest
from support.giveaway import ANTICHESS, BOARDS, SUICIDE, random_boards

from tablebase.core.ground.errors import UnsupportedPositionError
from tablebase.core.outcomes.metrics import WON_OUTCOME
from tablebase.core.positions.any_position import as_position
from tablebase.core.positions.setup_fens import read_setup


@pytest.mark.thorough
@pytest.mark.parametrize("rules", [ANTICHESS, SUICIDE], ids=["antichess", "suicide"])
def test_moves_and_ends_are_those_of_python_chess(rules):
    ends, passing, forced = dict.fromkeys(("stalemate", "no pieces", None), 0), 0, 0
    for board in random_boards(rules, 300, random.Random(2)):
        setup = as_position(board)
        assert setup.rules == rules
        assert setup.is_legal()
        assert not setup.is_check()
        moves = {move.uci(): move for move in setup.moves()}
        assert {*moves} == {move.uci() for move in board.legal_moves}
        passing += len([*setup.passing()])
        forced += all(move.captured is not None for move in moves.values())
        assert {one.uci() for one in setup.captures()} == {
            one.uci() for one in board.legal_moves if board.is_capture(one)
        }
        for uci, move in moves.items():
            board.push_uci(uci)
            after = move.after
            assert after.men == as_position(board).men
            end = after.end
            ends[end] += 1
            has_won, has_lost = board.is_variant_win(), board.is_variant_loss()
            outcome = {True: WON_OUTCOME, False: 0}[has_won] if end else None
            assert after.final_outcome() == (~WON_OUTCOME if has_lost else outcome)
            assert (end == "no pieces") == (not board.occupied_co[board.turn])
            assert (end is None) == any(board.legal_moves)
            board.pop()
    assert all(ends.values())
    assert passing
    assert forced


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
    assert setup.exchanged().fen == "k6k/1K6/8/8/8/8/2p5/8 b - - 0 1"
    assert chess.Board(setup.fen).fen() == setup.fen
