"""Moves of positions that no table has, by what `tablebase solve` has proven and saved."""

import random
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import product

import chess
import pytest
from support.random_positions import random_board

import tablebase
from tablebase.core.answers.proven import dtz_of_position
from tablebase.core.ground.errors import (
    CorruptTableError,
    MissingTableError,
    UnsupportedPositionError,
)
from tablebase.core.rules.material import Material
from tablebase.solve import measuring
from tablebase.solve import regions as regions_module
from tablebase.solve.answers import solve_position
from tablebase.solve.region_file import RegionFile
from tablebase.solve.regions import rank_proven

FAHRNI = "2k5/8/p1P5/P2K4/8/8/8/8 w - - 0 1"
PASSING = "8/2p5/8/1P1k4/8/8/8/3K4 b - - 0 1"  # after c7-c5 it can be captured en passant
BUDGET = "10h,2GB"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("regions")
    for name, fen in (("fahrni", FAHRNI), ("passing", PASSING)):
        solve_position(chess.Board(fen), BUDGET, moves=True, save=folder / f"{name}.region")
    return folder


@pytest.fixture
def tables(folder):
    with tablebase.open_tablebase(folder) as tables:
        yield tables


def test_moves_come_in_order(tables):
    board = chess.Board(FAHRNI)
    ranked = rank_proven(tables, board)
    assert {one.move for one in ranked} == set(board.legal_moves)
    assert [one.wdl for one in ranked] == sorted((one.wdl for one in ranked), reverse=True)
    wins = [one.dtz_without_rule50 for one in ranked if one.wdl == 1]
    assert wins == sorted(wins) == [11, 11, 15, 15, 15, 15, 15]
    assert all(type(one.dtz_without_rule50) is int for one in ranked)
    draw = next(one for one in ranked if one.zeroing)
    assert (board.san(draw.move), draw.wdl, draw.dtz_without_rule50, draw.mate) == (
        "c7",
        0,
        0,
        False,
    )
    assert tables.best_move(board) == ranked[0].move


def test_each_move_makes_progress(tables):
    """A ply less with each move of best play, until a move cannot be taken back."""
    board, distances = chess.Board(FAHRNI), []
    while ranked := rank_proven(tables, board):
        best = ranked[0]
        distances.append(best.dtz_without_rule50)
        if not best.zeroing and not best.mate:
            after = board.copy()
            after.push(best.move)
            following = rank_proven(tables, after)[0].dtz_without_rule50
            assert abs(following) == abs(best.dtz_without_rule50) - 1
            assert following * best.dtz_without_rule50 < 0
        board.push(best.move)
    assert board.is_checkmate()
    line = tables.mainline(chess.Board(FAHRNI))
    assert line == board.move_stack
    assert distances[0] == 11


@pytest.mark.thorough
def test_they_are_those_that_solving_finds(tmp_path):
    """What the file of a region gives equals what its solver has in memory."""
    rng = random.Random("conversions")
    found = 0
    for number, name in product(range(3), ("KPKP", "KPK", "KPPK")):
        board = random_board(rng, Material.from_name(name))
        place = tmp_path / f"{name}{number}"
        place.mkdir()
        solution = solve_position(board, BUDGET, moves=True, save=place / "a.region")
        plan = [chess.Move.from_uci(uci) for uci in solution.plan]
        with tablebase.open_tablebase(place) as tables:
            ranked = rank_proven(tables, board)
            assert [(one.move.uci(), one.dtz_without_rule50) for one in ranked] == [
                (move.uci, move.dtz_without_rule50) for move in solution.moves
            ]
            if tables.probe_wdl(board):
                assert tables.mainline(board) == plan
        found += sum(one.dtz_without_rule50 not in {-1, 0, 1} for one in ranked)
    assert found > 10


def test_rights_to_capture_en_passant_count(tables):
    board = chess.Board(PASSING)
    board.push_uci("c7c5")
    ranked = {one.move.uci(): one for one in rank_proven(tables, board)}
    assert ranked["b5c6"].zeroing
    assert ranked["b5c6"].wdl == tables.probe_wdl(board) == 0
    board.push_uci("b5c6")
    assert tables.probe_wdl(board) == 0


def test_what_is_not_proven_is_refused(tables, tmp_path):
    outside = chess.Board("8/8/8/8/8/1k6/3PPPPP/K7 w - - 0 1")
    for ask in (partial(rank_proven, tables), tables.best_move, tables.mainline):
        with pytest.raises(MissingTableError, match="not in"):
            ask(outside)
    with (
        tablebase.open_tablebase(tmp_path) as empty,
        pytest.raises(UnsupportedPositionError, match="7 pieces"),
    ):
        rank_proven(empty, outside)


def test_what_takes_too_much_memory_has_results_alone(folder, monkeypatch):
    monkeypatch.setattr(measuring, "MOST_READ", 1000)
    with tablebase.open_tablebase(folder) as tables:
        ranked = rank_proven(tables, chess.Board(FAHRNI))
        assert ranked[0].wdl == 1
        assert all(one.dtz_without_rule50 is None for one in ranked if one.wdl == 1)
        assert tables.mainline(chess.Board(FAHRNI)) == []


def test_few_distances_are_kept(folder, monkeypatch):
    monkeypatch.setattr(regions_module, "_MOST_KEPT", 40_000)
    with tablebase.open_tablebase(folder) as tables:
        line = tables.mainline(chess.Board(FAHRNI))
        kept = tables.sources._sources[0]._measured
        assert len(line) > 20
        assert sum(one.bytes for one in kept.values()) <= 40_000
    assert not kept


def test_tables_go_on_with_a_line(folder, tables_dir):
    board = chess.Board(FAHRNI)
    with tablebase.open_tablebase(folder) as tables:
        tables.add_directory(tables_dir)
        line = tables.mainline(board)
        while board.occupied.bit_count() > 4:
            board.push(line[len(board.move_stack)])
        assert line[len(board.move_stack) :] == tables.mainline(board)


@pytest.mark.thorough
def test_a_win_is_not_given_away(tables_dir, tmp_path):
    """Moves of which nothing is proven come before those that draw, where the position is won."""
    with tablebase.open_tablebase(tables_dir) as tables:
        board = chess.Board("4k3/4P3/3K4/8/8/8/8/8 b - - 0 1")
        solve_position(board, BUDGET, tables=tables, save=tmp_path / "a.region")
        rng, compared = random.Random(3), 0
        with tablebase.open_tablebase(tmp_path) as alone:
            board = chess.Board("8/4P3/5k2/8/8/8/8/K7 w - - 0 1")
            ranked = rank_proven(alone, board)
            assert alone.probe_wdl(board) == 1
            assert dtz_of_position(ranked) is None
            assert alone.mainline(board) == []
            for _ in range(300):
                board = chess.Board("8/4P3/8/8/8/8/8/8 w - - 0 1")
                first, second = rng.sample(range(64), 2)
                board.set_piece_at(first, chess.Piece(chess.KING, chess.WHITE))
                board.set_piece_at(second, chess.Piece(chess.KING, chess.BLACK))
                board.turn = rng.random() < 0.5
                if not board.pawns or not board.is_valid() or alone.get_wdl(board) is None:
                    continue
                if ranked := rank_proven(alone, board):
                    wdl = tables.probe_wdl(board)
                    if ranked[0].wdl is not None:
                        board.push(ranked[0].move)
                        assert tables.probe_wdl(board) == -wdl, board.fen()
                    compared += 1
        assert compared > 100


def test_why_there_are_no_moves(tables, tables_dir):
    with pytest.raises(UnsupportedPositionError, match="castling"):
        rank_proven(tables, chess.Board("4k3/8/8/8/8/8/PP6/R3K2R w K - 0 1"))
    with (
        tablebase.open_tablebase(tables_dir) as complete,
        pytest.raises(MissingTableError, match="no result of 8/8/8/8/8/2k5/1R6/K7"),
    ):
        rank_proven(complete, chess.Board("8/8/8/8/8/2k5/1R6/K7 w - - 0 1"))


def test_tables_that_lack_what_the_rule_needs_say_so(folder, folders_by_metric, tmp_path):
    """A line must not end silently where the 50-move rule needs distances to zeroing."""
    for path in (folder / "fahrni.region", *folders_by_metric["dtm"].glob("*.h5")):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    board = chess.Board(FAHRNI)
    with tablebase.open_tablebase(tmp_path) as tables:
        whole = tables.mainline(board, rule50=False)
        assert len(whole) > 20
        board.halfmove_clock = 0
        assert tables.mainline(board) == whole  # mate in time needs none


def test_two_that_ask_at_once_find_it_once(folder, monkeypatch):
    calls, region_around = [], measuring.region_around
    monkeypatch.setattr(
        "tablebase.solve.measuring.region_around",
        lambda *given: calls.append(given) or region_around(*given),
    )
    board = chess.Board(FAHRNI)
    with tablebase.open_tablebase(folder) as tables, ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: rank_proven(tables, board.copy()), range(4)))
        assert all(one == found[0] for one in found)
    assert len(calls) == 1


def test_a_bad_file_hides_no_good_one(folder, tmp_path):
    """It is named only where nothing else answers."""
    board, outside = chess.Board(FAHRNI), chess.Board("8/8/8/8/8/1k6/3PPPPP/K7 w - - 0 1")
    (tmp_path / "a.region").write_bytes(b"no region")
    (tmp_path / "b.region").mkdir()
    (tmp_path / "c.region").write_bytes((folder / "fahrni.region").read_bytes())
    (tmp_path / "d.region").write_bytes((folder / "passing.region").read_bytes()[:3000])
    with tablebase.open_tablebase(tmp_path) as tables:
        assert tables.probe_wdl(board) == 1
        assert rank_proven(tables, board)[0].dtz_without_rule50 == 11
        assert tables.probe_wdl_many([board])[0].tolist() == [1]
        for ask in (tables.probe_wdl, partial(rank_proven, tables)):
            with pytest.raises(CorruptTableError, match=r"a\.region is damaged"):
                ask(outside)


def test_a_refused_file_is_not_read_again(folder, tmp_path, monkeypatch):
    read, board, path = [], chess.Board(FAHRNI), tmp_path / "a.region"
    path.write_bytes(b"no region")
    monkeypatch.setattr(
        regions_module, "RegionFile", lambda path: read.append(path) or RegionFile(path)
    )
    with tablebase.open_tablebase(tmp_path) as tables:
        for _ in range(3):
            with pytest.raises(CorruptTableError, match="damaged"):
                tables.probe_wdl(board)
        assert read == [path]
        path.write_bytes((folder / "fahrni.region").read_bytes())
        assert [tables.probe_wdl(board) for _ in range(3)] == [1, 1, 1]
        assert read == [path, path]


def test_nobody_waits_while_a_region_is_opened(folder, tables_dir, tmp_path, monkeypatch):
    """But for those who ask for files that are not open yet."""
    solved = chess.Board(FAHRNI)
    (tmp_path / "a.region").write_bytes((folder / "fahrni.region").read_bytes())
    opening, may_open = threading.Event(), threading.Event()

    def open_slowly(path):
        if path.name == "b.region":
            opening.set()
            assert may_open.wait(300)
        return RegionFile(path)

    monkeypatch.setattr(regions_module, "RegionFile", open_slowly)
    with tablebase.open_tablebase(tables_dir) as tables, ThreadPoolExecutor(2) as pool:
        tables.add_directory(tmp_path)
        assert tables.probe_wdl(solved) == 1
        (tmp_path / "b.region").write_bytes(b"no region")
        outside = chess.Board("8/8/8/8/8/1k6/3PPPPP/K7 w - - 0 1")
        slow = pool.submit(tables.get_wdl, outside)
        assert opening.wait(300)
        with tablebase.open_tablebase(tables_dir) as alone:
            board = chess.Board("8/8/8/8/8/2k5/1R6/K7 w - - 0 1")
            quick = pool.submit(lambda: (tables.probe_dtm(board), tables.probe_wdl(solved)))
            assert quick.result(300) == (alone.probe_dtm(board), 1)
        assert not slow.done()
        may_open.set()
        with pytest.raises(CorruptTableError):
            slow.result(300)
