"""Ranking of moves by the values after them, here told by a stand-in for the tables."""

import chess
import pytest

from tablebase.core.answers.ranking import mainline, rank_moves
from tablebase.core.ground.errors import CorruptTableError, MissingTableError
from tablebase.core.outcomes.codes import Wdl
from tablebase.core.outcomes.metrics import DTM, DTZ, Wdl50
from tablebase.core.positions.chess_position import ChessPosition
from tablebase.core.reading.en_passant import en_passant_outcome

DRAW, MATED = 0, ~0


def outcome_by_mobility(board):
    """Return mate if it is mate, a draw if stalemate, else something that depends on the board."""
    if board.is_checkmate():
        return MATED
    if board.is_stalemate():
        return DRAW
    return (~4, 3, DRAW, ~8)[board.king(not board.turn) % 4]


def test_every_legal_move_is_ranked_once():
    board = chess.Board("7k/8/6K1/8/8/8/8/R7 w - - 0 1")
    fen = board.fen()
    ranked = rank_moves(ChessPosition(board), outcome_by_mobility)
    assert board.fen() == fen
    assert {one.move for one in ranked} == set(board.legal_moves)
    assert [one.mate for one in ranked].count(True) == 1
    assert ranked[0].move.uci() == "a1a8"
    assert ranked[0].mate
    assert (ranked[0].wdl, ranked[0].dtm) == (Wdl.WIN, 1)
    order = [1, 5, 9, 0, -4]
    assert [one.dtm for one in ranked] == sorted((one.dtm for one in ranked), key=order.index)
    assert not any(one.zeroing for one in ranked)


def test_captures_and_pawn_moves_are_zeroing():
    board = chess.Board("7k/8/8/8/8/8/n1P5/K7 w - - 0 1")
    zeroing = {
        one.move.uci() for one in rank_moves(ChessPosition(board), lambda _: DRAW) if one.zeroing
    }
    assert zeroing == {"a1a2", "c2c3", "c2c4"}


def test_among_equal_moves_zeroing_ones_come_first_then_the_alphabet():
    board = chess.Board("7k/8/8/8/8/8/n1P5/K7 w - - 0 1")
    ranked = rank_moves(ChessPosition(board), lambda _: DRAW)
    assert [one.move.uci() for one in ranked] == ["a1a2", "c2c3", "c2c4", "a1b1", "a1b2"]


def test_no_moves_no_ranks():
    assert (
        rank_moves(ChessPosition(chess.Board("R6k/8/6K1/8/8/8/8/8 b - - 0 1")), lambda _: MATED)
        == []
    )


def test_the_mainline_of_a_draw_is_empty():
    assert mainline(ChessPosition(chess.Board("7k/8/8/8/8/8/8/K7 w - - 0 1")), lambda _: DRAW) == []


def test_the_mainline_ends_in_mate():
    board = chess.Board("k7/8/1K6/8/8/8/8/7R w - - 0 1")
    fen = board.fen()
    mated = {board.fen(): 1, "k6R/8/1K6/8/8/8/8/8 b - - 1 1": MATED}
    line = mainline(ChessPosition(board), lambda position: mated.get(position.fen(), DRAW))
    assert [move.uci() for move in line] == ["h1h8"]
    assert board.fen() == fen
    assert (
        mainline(ChessPosition(chess.Board("k6R/8/1K6/8/8/8/8/8 b - - 1 1")), lambda _: MATED) == []
    )


@pytest.mark.parametrize(
    ("fen", "outcome_of"),
    [
        ("7k/8/8/8/8/8/8/K6R w - - 0 1", lambda board: 9 if board.turn else ~8),  # goes in circles
        (
            "k7/8/1K6/8/8/8/8/7R w - - 0 1",
            lambda board: 3 if board.turn else MATED,
        ),  # mates too soon
        ("7k/5K2/6Q1/8/8/8/8/8 b - - 0 1", lambda _: ~4),  # is stalemate
        ("7k/8/8/8/8/8/8/K6R b - - 0 1", lambda _: MATED),  # is no mate
    ],
)
def test_tables_that_contradict_themselves_give_no_mainline(fen, outcome_of):
    board = chess.Board(fen)
    with pytest.raises(CorruptTableError, match=r"no mate in \d plies") as raised:
        mainline(ChessPosition(board), outcome_of)
    assert fen in str(raised.value)
    assert "\n" not in str(raised.value)


def test_capturing_en_passant_counts_if_it_is_better():
    board = chess.Board("8/8/7k/8/1pP5/7K/8/8 b - c3 0 1")
    assert en_passant_outcome(ChessPosition(board), 7, lambda _: ~2, DTM) == 3
    assert en_passant_outcome(ChessPosition(board), 7, lambda _: ~2, DTZ) == 1
    assert en_passant_outcome(ChessPosition(board), 7, lambda _: ~102, DTZ) == 7
    for metric in (DTM, DTZ):
        assert en_passant_outcome(ChessPosition(board), 7, lambda _: DRAW, metric) == 7
        assert en_passant_outcome(ChessPosition(board), DRAW, lambda _: 3, metric) == DRAW


@pytest.mark.parametrize(
    ("fen", "stored"),
    [
        ("k7/2Q5/8/8/2pP4/2K5/8/8 b - d3 0 1", DRAW),  # would be stalemate
        ("8/8/2Q5/7k/5KPp/8/8/8 b - g3 0 1", MATED),  # would be checkmate
    ],
)
def test_capturing_en_passant_counts_alone_if_there_is_no_other_move(fen, stored):
    board = chess.Board(fen)
    assert all(board.is_en_passant(move) for move in board.legal_moves)
    for outcome, mate, zeroing in [(5, ~6, ~1), (~8, 9, 1), (DRAW, DRAW, DRAW), (101, ~102, ~101)]:

        def probe(_, outcome=outcome):
            return outcome

        assert en_passant_outcome(ChessPosition(board), stored, probe, DTM) == mate
        assert en_passant_outcome(ChessPosition(board), stored, probe, DTZ) == zeroing
    assert board.fen() == fen


QUIET = chess.Board("7k/8/8/8/8/8/8/K5R1 w - - 40 1")
BY_FILE = [(~90, ~10), (~20, ~80), (~30, ~59), (~40, ~58)]  # to mate and to zeroing


def at(number):
    """Return what tells a distance of the position after a move by the file of the rook."""

    def outcome_of(board):
        (rook,) = board.pieces(chess.ROOK, chess.WHITE)
        return BY_FILE[chess.square_file(rook) % 4][number]

    return outcome_of


def lacking(_):
    raise MissingTableError("no DTZ")


def test_wins_that_the_rule_lets_pass_come_first_then_the_fastest():
    ranked = rank_moves(ChessPosition(QUIET), at(0), at(1))
    found = {(one.dtm, one.dtz): one.wdl50 for one in ranked}
    late, win = Wdl50.CURSED_WIN, Wdl50.WIN
    assert found == {(91, 11): win, (21, 81): late, (31, 60): win, (41, 59): win}
    order = list(dict.fromkeys(one.dtm for one in ranked))
    assert order == [31, 41, 91, 21]
    assert [one.dtm for one in rank_moves(ChessPosition(QUIET), at(0))] == sorted(
        one.dtm for one in ranked
    )


def test_a_draw_that_can_be_claimed_is_no_win():
    board = QUIET.copy()
    board.halfmove_clock = 100
    assert {one.wdl50 for one in rank_moves(ChessPosition(board), at(0), at(1))} == {
        Wdl50.CURSED_WIN
    }
    board.halfmove_clock = 99
    assert {one.wdl50 for one in rank_moves(ChessPosition(board), at(0), lambda _: MATED)} == {
        Wdl50.WIN
    }


def test_without_distances_to_zeroing_mates_in_time_are_known():
    ranked = rank_moves(ChessPosition(QUIET), at(0), lacking)
    assert list(dict.fromkeys((one.dtm, one.wdl50) for one in ranked)) == [
        (21, Wdl50.WIN), (31, Wdl50.WIN), (41, Wdl50.WIN), (91, None),
    ]  # fmt: skip
    assert {one.dtz for one in ranked} == {None}
    board = QUIET.copy()
    board.halfmove_clock = 90
    with pytest.raises(MissingTableError):
        rank_moves(ChessPosition(board), at(0), lacking)
    assert board.fen() == QUIET.fen().replace("40 1", "90 1")


def test_a_line_under_the_rule_ends_where_a_draw_can_be_claimed():
    board = QUIET.copy()
    board.halfmove_clock = 90

    def outcome_of(board):
        return 51 if board.turn else ~50

    line = mainline(ChessPosition(board), outcome_of, outcome_of)
    assert len(line) == 10
    with pytest.raises(CorruptTableError, match="no mate in time for the 50-move rule"):
        mainline(ChessPosition(QUIET), outcome_of, outcome_of)
