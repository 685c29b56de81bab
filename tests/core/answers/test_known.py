"""One record of a position, whatever tables there are."""

import chess
import pytest

import tablebase
from tablebase.core.answers.known import best_line, look_up, rank_by_tables
from tablebase.core.ground.errors import MissingTableError, UnsupportedPositionError
from tablebase.core.outcomes.codes import Wdl
from tablebase.core.outcomes.metrics import Wdl50
from tablebase.core.positions.chess_position import ChessPosition

ROOK = "8/8/8/8/8/2k5/1R6/K7 w - - {} 90"


@pytest.fixture(scope="module")
def tables(folders_by_metric):
    """Return tables of one metric, and of both, by name."""
    opened = {name: tablebase.open_tablebase(folders_by_metric[name]) for name in ("dtm", "both")}
    yield opened
    for one in opened.values():
        one.close()


@pytest.mark.parametrize(
    ("name", "clock", "wdl50", "dtz"),
    [
        ("both", 0, Wdl50.WIN, 31),
        ("both", 80, Wdl50.CURSED_WIN, 31),
        ("dtm", 0, Wdl50.WIN, None),
        ("dtm", 69, Wdl50.WIN, None),
        ("dtm", 70, None, None),
    ],
)
def test_what_tables_say(tables, name, clock, wdl50, dtz):
    board = chess.Board(ROOK.format(clock))
    known = look_up(tables[name], ChessPosition(board))
    assert (known.wdl, known.dtm) == (Wdl.WIN, 31)
    assert (known.wdl50, known.dtz) == (wdl50, dtz)
    assert (known.dtz_without_rule50, known.no_table, known.is_proven) == (None, None, False)
    assert known.moves == tables[name].rank_moves(board, rule50=wdl50 is not None)
    assert known.moves == rank_by_tables(tables[name], ChessPosition(board))
    assert best_line(tables[name], ChessPosition(board)) == tables[name].mainline(
        board, rule50=name == "both"
    )


@pytest.mark.parametrize(
    ("fen", "error", "words"),
    [
        ("8/8/8/8/8/2k5/1N6/KB6 w - - 0 1", MissingTableError, "no table of KBNK"),
        ("8/8/8/8/8/1k6/3PPPPP/K7 w - - 0 1", UnsupportedPositionError, "7 pieces"),
        ("4k3/8/8/8/8/8/PP6/R3K2R w K - 0 1", UnsupportedPositionError, "castling"),
    ],
)
def test_why_nothing_is_known(tables, fen, error, words):
    for ask in (look_up, rank_by_tables):
        with pytest.raises(error, match=words):
            ask(tables["dtm"], ChessPosition(chess.Board(fen)))


def test_a_mate_in_one_needs_no_table_to_end_the_count(tables):
    """So the position says of its distance to zeroing what its best move says."""
    board = chess.Board("k7/8/1K6/8/8/8/8/7R w - - 0 1")
    for name in ("dtm", "both"):
        known = look_up(tables[name], ChessPosition(board))
        assert (known.dtm, known.dtz, known.moves[0].dtz, known.moves[0].mate) == (1, 1, 1, True)
