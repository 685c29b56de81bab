"""One record of a position, whatever tables or regions there are."""

import re

import chess
import chess.svg
import pytest

import tablebase
from tablebase.core.answers.known import best_line, look_up, rank_by_tables
from tablebase.core.ground.errors import MissingTableError, UnsupportedPositionError
from tablebase.core.outcomes.codes import Wdl
from tablebase.core.outcomes.metrics import Wdl50
from tablebase.core.positions.chess_position import ChessPosition
from tablebase.solve.answers import Solution, SolvedMove, solve_position
from tablebase.solve.regions import rank_proven

ROOK = "8/8/8/8/8/2k5/1R6/K7 w - - {} 90"
PAWN = "8/8/8/8/8/1P3k2/2K5/8 w - - 0 80"
FAHRNI = "2k5/8/p1P5/P2K4/8/8/8/8 w - - 0 1"
BUDGET = "10h,2GB"


@pytest.fixture(scope="module")
def tables(folders_by_metric, tmp_path_factory):
    """Return tables of one metric, and those of a region, by name."""
    folder = tmp_path_factory.mktemp("region")
    solve_position(chess.Board(FAHRNI), BUDGET, moves=True, save=folder / "a.region")
    folders = {"dtm": folders_by_metric["dtm"], "region": folder}
    opened = {name: tablebase.open_tablebase(path) for name, path in folders.items()}
    yield opened
    for one in opened.values():
        one.close()


def test_what_a_region_says(tables):
    board = chess.Board(FAHRNI)
    known = look_up(tables["region"], ChessPosition(board))
    assert (known.wdl, known.wdl50, known.dtz_without_rule50) == (Wdl.WIN, None, 11)
    assert (known.dtm, known.dtz) == (None, None)
    assert known.is_proven
    assert known.moves == rank_proven(tables["region"], board)
    assert best_line(tables["region"], ChessPosition(board)) == tables["region"].mainline(board)
    with pytest.raises(type(known.no_table), match=str(known.no_table)[:20]):
        tables["region"].probe_outcome(board)


def test_moves_read_alike(tables):
    """Whether a table or a region knows them."""
    proven = look_up(tables["region"], ChessPosition(chess.Board(FAHRNI))).moves
    ranked = look_up(tables["dtm"], ChessPosition(chess.Board(ROOK.format(70)))).moves
    assert {one.result for one in (*proven, *ranked)} == {Wdl50.WIN, Wdl50.DRAW}
    for one in (*proven, *ranked):
        assert (one.dtm is None) == (one in proven)
        assert (one.dtz_without_rule50 is None) == (one in ranked)
        assert one.wdl50 in {None, Wdl50.DRAW if one in proven and one.wdl == 0 else None}
        assert one.dtz is None


def test_a_region_where_tables_do_not_suffice(folders_by_metric, tmp_path):
    """The table of the position is there, that of a queen is not."""
    solve_position(chess.Board(PAWN), BUDGET, moves=True, save=tmp_path / "a.region")
    (tmp_path / "KPK.h5").write_bytes((folders_by_metric["dtm"] / "KPK.h5").read_bytes())
    board = chess.Board("8/1P6/8/8/8/5k2/2K5/8 w - - 0 80")
    with tablebase.open_tablebase(tmp_path) as tables:
        known = look_up(tables, ChessPosition(board))
        assert known.is_proven
        assert (known.wdl, known.dtm) == (Wdl.WIN, None)
        assert known.moves[0].move.uci() == "b7b8q"
        (tmp_path / "a.region").unlink()
        with pytest.raises(MissingTableError, match="no table of KBK in"):
            look_up(tables, ChessPosition(board))


@pytest.mark.parametrize(
    ("fen", "error", "words"),
    [
        ("8/8/8/8/8/2k5/1N6/K7 w - - 0 1", MissingTableError, "no table of KNK"),
        ("8/8/8/8/8/1k6/3PPPPP/K7 w - - 0 1", UnsupportedPositionError, "7 pieces"),
        ("4k3/8/8/8/8/8/PP6/R3K2R w K - 0 1", UnsupportedPositionError, "castling"),
    ],
)
def test_why_nothing_is_known(tables, fen, error, words):
    """The error is that of tables, also where there are regions."""
    for ask in (look_up, rank_by_tables):
        with pytest.raises(error, match=words):
            ask(tables["region"], ChessPosition(chess.Board(fen)))


def test_a_solution_is_a_board_with_its_moves():
    fen = "8/8/8/3pK3/2kP4/8/8/8 w - - 0 1"
    moves = (SolvedMove("e5d6", "Kd6", "draw", True), SolvedMove("e5f4", "Kf4", "loss", True, -5))  # noqa: FBT003
    html = Solution(fen, "draw", True, moves, (), 1, 1, 0.0, 0, "", ())._repr_html_()  # noqa: FBT003
    assert chess.svg.board(chess.Board(fen), size=240) in html
    assert "<div>Draw, proven</div>" in html
    assert re.findall(r"<th[^>]*>([^<]*)", html) == ["Draw", "Loss"]
    assert re.findall(r"<td[^>]*>([^<]*)", html) == ["Kd6", "", "Kf4", "DTZ 5"]
