"""Ranking of moves by the values after them, here told by a stand-in for the tables."""

import chess
import pytest

from tablebase.board.values import DRAW, Wdl, preference
from tablebase.errors import CorruptTableError
from tablebase.probing.ranking import en_passant_code, mainline, rank_moves


def code_by_mobility(board):
    """Return mate if it is mate, a draw if stalemate, else something that depends on the board."""
    if board.is_checkmate():
        return 0
    if board.is_stalemate():
        return DRAW
    return (4, 3, DRAW, 8)[board.king(not board.turn) % 4]


def test_every_legal_move_is_ranked_once():
    board = chess.Board("7k/8/6K1/8/8/8/8/R7 w - - 0 1")
    fen = board.fen()
    ranked = rank_moves(board, code_by_mobility)
    assert board.fen() == fen
    assert {one.move for one in ranked} == set(board.legal_moves)
    assert [one.mate for one in ranked].count(True) == 1
    assert ranked[0].move.uci() == "a1a8"
    assert ranked[0].mate
    assert (ranked[0].wdl, ranked[0].dtm) == (Wdl.WIN, 1)
    worths = [preference(one.dtm) for one in ranked]
    assert worths == sorted(worths, reverse=True)
    assert not any(one.zeroing for one in ranked)


def test_captures_and_pawn_moves_are_zeroing():
    board = chess.Board("7k/8/8/8/8/8/n1P5/K7 w - - 0 1")
    zeroing = {one.move.uci() for one in rank_moves(board, lambda _: DRAW) if one.zeroing}
    assert zeroing == {"a1a2", "c2c3", "c2c4"}


def test_among_equal_moves_zeroing_ones_come_first_then_the_alphabet():
    board = chess.Board("7k/8/8/8/8/8/n1P5/K7 w - - 0 1")
    ranked = rank_moves(board, lambda _: DRAW)
    assert [one.move.uci() for one in ranked] == ["a1a2", "c2c3", "c2c4", "a1b1", "a1b2"]


def test_no_moves_no_ranks():
    assert rank_moves(chess.Board("R6k/8/6K1/8/8/8/8/8 b - - 0 1"), lambda _: 0) == []


def test_the_mainline_of_a_draw_is_empty():
    assert mainline(chess.Board("7k/8/8/8/8/8/8/K7 w - - 0 1"), lambda _: DRAW) == []


def test_the_mainline_ends_in_mate():
    board = chess.Board("k7/8/1K6/8/8/8/8/7R w - - 0 1")
    fen = board.fen()
    mated = {board.fen(): 1, "k6R/8/1K6/8/8/8/8/8 b - - 1 1": 0}
    line = mainline(board, lambda position: mated.get(position.fen(), DRAW))
    assert [move.uci() for move in line] == ["h1h8"]
    assert board.fen() == fen
    assert mainline(chess.Board("k6R/8/1K6/8/8/8/8/8 b - - 1 1"), lambda _: 0) == []


@pytest.mark.parametrize(
    ("fen", "code_of"),
    [
        ("7k/8/8/8/8/8/8/K6R w - - 0 1", lambda board: 9 if board.turn else 8),  # goes in circles
        ("k7/8/1K6/8/8/8/8/7R w - - 0 1", lambda board: 3 if board.turn else 0),  # mates too soon
        ("7k/5K2/6Q1/8/8/8/8/8 b - - 0 1", lambda _: 4),  # is stalemate
        ("7k/8/8/8/8/8/8/K6R b - - 0 1", lambda _: 0),  # is no mate
    ],
)
def test_tables_that_contradict_themselves_give_no_mainline(fen, code_of):
    board = chess.Board(fen)
    with pytest.raises(CorruptTableError, match=r"no mate in \d plies") as raised:
        mainline(board, code_of)
    assert fen in str(raised.value)
    assert "\n" not in str(raised.value)


def test_capturing_en_passant_counts_if_it_is_better():
    board = chess.Board("8/8/7k/8/1pP5/7K/8/8 b - c3 0 1")
    assert en_passant_code(board, 7, lambda _: 2) == 3
    assert en_passant_code(board, 7, lambda _: DRAW) == 7
    assert en_passant_code(board, DRAW, lambda _: 3) == DRAW


@pytest.mark.parametrize(
    ("fen", "stored"),
    [
        ("k7/2Q5/8/8/2pP4/2K5/8/8 b - d3 0 1", DRAW),  # would be stalemate
        ("8/8/2Q5/7k/5KPp/8/8/8 b - g3 0 1", 0),  # would be checkmate
    ],
)
def test_capturing_en_passant_counts_alone_if_there_is_no_other_move(fen, stored):
    board = chess.Board(fen)
    assert all(board.is_en_passant(move) for move in board.legal_moves)
    for code, before in [(5, 6), (8, 9), (DRAW, DRAW)]:
        assert en_passant_code(board, stored, lambda _, code=code: code) == before
    assert board.fen() == fen
