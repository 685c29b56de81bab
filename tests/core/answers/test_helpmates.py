"""Who can still mate, asked by position: FIDE's articles, en passant, castling rights."""

import chess
import pytest

from tablebase import open_tablebase
from tablebase.core.ground.errors import UnsupportedPositionError

KRK = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"
FORCED = "k7/1R6/8/8/8/8/8/6K1 b - - 0 1"  # the king must take the rook


@pytest.fixture(scope="module")
def tables(helped_folder):
    with open_tablebase(helped_folder) as opened:
        yield opened


def test_a_rook_can_mate_and_a_bare_king_cannot(tables):
    board = chess.Board(KRK)
    assert tables.probe_helpmate(board, chess.WHITE) == 9
    assert tables.probe_helpmate(board, chess.BLACK) is None
    assert tables.has_insufficient_material(board, chess.BLACK)
    assert not tables.has_insufficient_material(board, chess.WHITE)
    assert not tables.is_dead(board)


def test_the_line_is_legal_and_mates(tables):
    for fen in (KRK, "8/8/8/8/8/2k5/1R6/K7 b - - 0 1"):
        board = chess.Board(fen)
        plies = tables.probe_helpmate(board, chess.WHITE)
        line = tables.help_line(board, chess.WHITE)
        assert len(line) == plies
        for move in line:
            assert move in board.legal_moves
            board.push(move)
        assert board.is_checkmate()


def count_by_search(board, plies):
    """Return the number of ways in which White can mate in a given number of plies."""
    if not plies:
        return int(board.is_checkmate() and board.turn == chess.BLACK)
    total = 0
    for move in list(board.legal_moves):
        board.push(move)
        total += count_by_search(board, plies - 1)
        board.pop()
    return total


@pytest.mark.parametrize("fen", ["7k/8/5K2/8/8/8/8/R7 w - - 0 1", "7k/8/5K2/8/8/8/8/1R6 b - - 0 1"])
def test_the_number_of_shortest_helpmates(tables, fen):
    board = chess.Board(fen)
    plies = tables.probe_helpmate(board, chess.WHITE)
    assert 0 < plies <= 4
    assert tables.count_helpmates(board, chess.WHITE) == count_by_search(board, plies)
    assert tables.count_helpmates(board, chess.BLACK) == 0


def test_a_capture_that_is_forced_makes_the_position_dead(tables):
    board = chess.Board(FORCED)
    assert not board.has_insufficient_material(chess.WHITE)
    assert [board.is_capture(move) for move in board.legal_moves] == [True]
    assert tables.is_dead(board)


def test_checkmate_and_stalemate(tables):
    mated = chess.Board("R5k1/8/6K1/8/8/8/8/8 b - - 0 1")
    assert mated.is_checkmate()
    assert tables.probe_helpmate(mated, chess.WHITE) == 0
    assert tables.probe_helpmate(mated, chess.BLACK) is None
    stalemate = chess.Board("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1")
    assert tables.is_dead(stalemate)


def test_castling_rights_are_unknown_in_words(tables):
    board = chess.Board("8/8/1k6/8/8/8/8/R3K3 w Q - 0 1")
    with pytest.raises(UnsupportedPositionError, match="unknown: with castling rights"):
        tables.probe_helpmate(board, chess.WHITE)
    assert tables.get_helpmate(board, chess.WHITE, "unknown") == "unknown"
