"""Boards with castling rights, asked in every way in which other boards can be asked."""

import io
import shutil
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stderr
from threading import Event

import chess
import pytest
from support.oracle import minimax_outcome

import tablebase
from tablebase.core.building.generator import generate
from tablebase.core.castling import solved_sets
from tablebase.core.ground.errors import MissingTableError, UnsupportedPositionError
from tablebase.core.outcomes.metrics import DTM, DTZ
from tablebase.core.positions.chess_board import read_fen
from tablebase.core.rules.material import Material

# A problem whose solution is mate in 11 moves; without the right it would be mate in 7.
PUBLISHED = "r3k3/8/4K3/8/8/8/8/4Q3 w q - 0 1"
# Where the right changes the result: a draw without it, and a loss without it.
CHANGED = [("8/8/8/8/8/5k2/8/b3K2R w K - 0 1", 0, 1), ("8/8/8/8/8/8/q7/k3K2R w K - 0 1", -1, 0)]
WITH_RIGHTS = [
    "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1",
    "4k3/8/8/8/8/8/8/R3K2R b KQ - 0 1",
    "r3k3/8/8/8/8/8/8/4K2R w Kq - 0 1",
    "4k3/7p/8/8/8/8/8/4K2R b K - 0 1",
    "1r2k3/8/8/8/8/8/8/4K3 b b - 0 1",
]


@pytest.fixture(scope="module")
def tables(zeroing_dir):
    with tablebase.open_tablebase(zeroing_dir) as found:
        yield found


def without_rights(fen):
    board = chess.Board(fen)
    board.castling_rights = 0
    return board


def test_a_published_mate(tables):
    assert tables.probe_dtm(chess.Board(PUBLISHED)) == 21
    assert tables.probe_dtm(without_rights(PUBLISHED)) == 13
    assert len(tables.mainline(chess.Board(PUBLISHED))) == 21


@pytest.mark.parametrize(("fen", "without", "result"), CHANGED)
def test_a_right_can_change_the_result(tables, fen, without, result):
    assert tables.probe_wdl(chess.Board(fen)) == result
    assert tables.probe_wdl(without_rights(fen)) == without
    assert tables.probe_wdl50(chess.Board(fen)) == 2 * result


@pytest.mark.parametrize("fen", WITH_RIGHTS)
@pytest.mark.parametrize("metric", [DTM, DTZ])
def test_the_value_follows_from_those_of_the_moves(tables, fen, metric):
    board = read_fen(fen)
    outcome_of = lambda after: tables.probe_outcome(after, metric)  # noqa: E731
    assert outcome_of(board) == minimax_outcome(metric, board, outcome_of)
    best = tables.rank_moves(board)[0]
    assert board.is_legal(best.move)
    assert best.dtm == tables.probe_dtm(board)


def test_many_boards_and_fens(tables):
    five = "4k3/8/8/8/8/8/P7/R3K2R w K - 0 1"  # no table of these
    six = "4k3/8/8/8/8/8/PP6/R3K2R w K - 0 1"
    fens = [*WITH_RIGHTS[:4], six, five, "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"]
    boards = [chess.Board(fen) for fen in fens]
    for name in ("dtm", "dtz", "wdl", "wdl50"):
        probe, one = getattr(tables, f"probe_{name}_many"), getattr(tables, f"get_{name}")
        expected = [one(board) for board in boards]
        assert expected[4:6] == [None, None]
        for given in (fens, boards):
            values, valid = probe(given, skip_missing=True)
            assert valid.tolist() == [value is not None for value in expected]
            assert values[valid].tolist() == [value for value in expected if value is not None]
    with pytest.raises(MissingTableError, match="KRRPK"):
        tables.probe_dtm_many(fens)


@pytest.mark.slow
def test_an_en_passant_capture_counts_beside_castling(tmp_path):
    """After the double step White castles or takes in passing."""
    generate([Material.from_name("KRPKP")], tmp_path, metrics=(DTM,))
    with tablebase.open_tablebase(tmp_path) as tables:
        for fen in ("4k3/8/8/3pP3/8/8/8/4K2R w K d6 0 1", "4k3/3p4/8/4P3/8/8/8/4K2R b K - 0 1"):
            board = chess.Board(fen)
            assert board.has_legal_en_passant() == board.turn
            outcome = tables.probe_outcome(board)
            assert outcome == minimax_outcome(DTM, board, tables.probe_outcome)


def test_rights_that_cannot_be_are_ignored(tables):
    board = chess.Board("4k3/8/8/8/8/8/8/3K3R w - - 0 1")
    expected = tables.probe_dtm(board)
    board.castling_rights = chess.BB_H1
    assert tables.probe_dtm(board) == expected


@pytest.mark.parametrize("fen", ["4k3/8/8/8/8/8/8/4K2R b K - 0 1"])
def test_all_missing_tables_are_named(zeroing_dir, tmp_path, fen):
    with tablebase.open_tablebase(tmp_path) as empty:
        with pytest.raises(MissingTableError, match="KRK"):
            empty.probe_dtm(chess.Board(fen))
        shutil.copy(zeroing_dir / "KRK.h5", tmp_path)
        assert empty.probe_dtm(chess.Board(fen)) == -28
    for name in ("KRPK", "KQK"):
        shutil.copy(zeroing_dir / f"{name}.h5", tmp_path)
    with tablebase.open_tablebase(tmp_path) as some:
        with pytest.raises(MissingTableError) as raised:
            some.probe_dtm(chess.Board("4k3/8/8/8/8/8/4P3/4K2R w K - 0 1"))
        assert set(raised.value.materials) == {
            "KPK", "KBK", "KNK", "KQRK", "KRRK", "KRBK", "KRNK"}  # fmt: skip
        assert some.get_dtm(chess.Board("4k3/8/8/8/8/8/4P3/4K2R w K - 0 1")) is None


def test_illegal_positions_are_refused_after_legal_ones(tables):
    assert tables.probe_dtm(chess.Board("4k3/8/8/8/8/8/8/4K2R b K - 0 1")) == -28
    for fen in ("4k2K/8/8/8/8/8/8/4K2R b K - 0 1", "8/8/8/8/8/8/8/4K2R b K - 0 1",
                "4k3/8/8/8/8/8/8/4K2R b - - 0 1".replace("4k3", "7k"),
                "8/8/8/8/8/8/4k3/4K2R w K - 0 1"):  # fmt: skip
        board = chess.Board(fen)
        board.castling_rights = chess.BB_H1
        if board.status() & ~chess.STATUS_BAD_CASTLING_RIGHTS:
            with pytest.raises(UnsupportedPositionError):
                tables.probe_dtm(board)


def test_what_was_solved_first_is_forgotten_first(tables):
    reader = tables._reader
    solved = solved_sets.SolvedSets(reader, DTM, capacity=1 << 14)
    for fen in WITH_RIGHTS[:4] * 2:
        board = chess.Board(fen)
        assert solved.outcome(board, board.castling_rights) == tables.probe_outcome(board)
        assert solved._size <= 1 << 14 or len(solved._solved) == 1


def test_other_threads_read_tables_while_one_solves(zeroing_dir, monkeypatch):
    begun, goes_on = Event(), Event()
    solve = solved_sets.solve_graph

    def wait(*graph):
        begun.set()
        assert goes_on.wait(600)
        return solve(*graph)

    monkeypatch.setattr(solved_sets, "solve_graph", wait)
    board = chess.Board("4k3/8/8/8/8/8/8/4K2R b K - 0 1")
    with tablebase.open_tablebase(zeroing_dir) as tables, ThreadPoolExecutor(1) as pool:
        solving = pool.submit(tables.probe_dtm, board)
        assert begun.wait(600)
        try:
            assert tables.probe_dtm(chess.Board("8/8/8/1k6/8/8/K5P1/8 w - - 0 1")) == 55
        finally:
            goes_on.set()
        assert solving.result(600) == -28


def test_a_long_solution_is_told_in_one_line(tables, monkeypatch):
    monkeypatch.setattr(solved_sets, "PATIENCE", -1)
    solved = solved_sets.SolvedSets(tables._reader, DTM)
    told = io.StringIO()
    with redirect_stderr(told):
        board = chess.Board("4k3/7p/8/8/8/8/8/4K2R b K - 0 1")
        solved.outcome(board, board.castling_rights)
    assert len(told.getvalue().splitlines()) == 1
    assert "castling rights: KRKP" in told.getvalue()
