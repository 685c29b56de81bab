"""Which tables there are, and positions to look at."""

import json
import shutil
from collections import Counter
from functools import partial
from pathlib import Path

import chess
import h5py
import numpy as np
import pytest
from support.described import check_answer
from support.waiting import PATIENCE

import tablebase
from tablebase.core.errors import CorruptTableError, InvalidMaterialError, MissingTableError
from tablebase.core.outcomes import DTM, DTZ
from tablebase.core.storage import open_table
from tablebase.web import materials
from tablebase.web.description import describe_api
from tablebase.web.materials import available_material
from tablebase.web.overview import (
    describe_tables,
    exercise,
    hardest_position,
    position_with,
    random_position,
)

DATA = Path(__file__).parents[2] / "data"


@pytest.fixture(scope="module")
def tables():
    with tablebase.open_tablebase(DATA) as tables:
        yield tables


def test_tables_with_their_counts(tables):
    described = {one["material"]: one for one in describe_tables(tables)}
    assert set(described) == set(tables.available_tables)
    krk = described["KRK"]
    assert krk["positions"] == 50_015
    results = {"win": 21_959, "cursed_win": 0, "draw": 0, "blessed_loss": 0, "loss": 0}
    assert krk["white_to_move"] == results
    assert krk["black_to_move"]["draw"] + krk["black_to_move"]["loss"] == 28_056
    assert krk["longest_win"]["moves"] == 16
    assert krk["bytes"] == (DATA / "KRK.h5").stat().st_size
    assert described["KK"]["longest_win"] is None


@pytest.mark.parametrize(
    ("folder", "metrics"),
    [("mate_dir", ["dtm"]), ("zeroing_only_dir", ["dtz"]), ("both_dir", ["dtm", "dtz"])],
)
def test_tables_with_either_metric_or_both(folder, metrics, request):
    with tablebase.open_tablebase(request.getfixturevalue(folder)) as tables:
        krkn = {one["material"]: one for one in describe_tables(tables)}["KRKN"]
        found = hardest_position(tables, "KRKN", np.random.default_rng(1))
        board = chess.Board(found["fen"])
        assert krkn["metrics"] == metrics
        check_answer(found, describe_api(), "/hardest")
        about = {"max_men": 3, "location": None, "solve": None}
        check_answer({"tables": [krkn], **about}, describe_api(), "/tables")
        assert krkn["positions"] == 2_915_128
        assert krkn["white_to_move"]["win"] == 651_492
        assert ("cursed_win" in krkn["white_to_move"]) == ("dtz" in metrics)
        assert ("sha256" in krkn, "dtz_sha256" in krkn) == ("dtm" in metrics, "dtz" in metrics)
        if "dtz" in metrics:
            assert krkn["white_to_move"]["cursed_win"] == krkn["black_to_move"]["blessed_loss"] == 0
            assert krkn["dtz_longest_win"]["plies"] == 53
            assert tables.probe_dtz(chess.Board(krkn["dtz_longest_win"]["fen"])) == 53
        if "dtm" in metrics:
            assert krkn["longest_win"].keys() == {"plies", "moves", "fen"}
            assert found["dtm"] == krkn["longest_win"]["plies"] == tables.probe_dtm(board) == 79
        else:
            assert "longest_win" not in krkn
            assert found["dtz"] == tables.probe_dtz(board) == 53


def test_no_path_is_told(tables):
    assert str(DATA) not in json.dumps(describe_tables(tables))


def test_a_damaged_table_is_told_apart(tmp_path):
    shutil.copy(DATA / "KK.h5", tmp_path)
    (tmp_path / "KRK.h5").write_bytes(b"no table")
    with tablebase.open_tablebase(tmp_path) as tables:
        described = describe_tables(tables)
    assert described[1] == {"material": "KRK", "men": 3, "damaged": True}
    assert described[0]["positions"] == 924


@pytest.mark.parametrize(
    ("attribute", "value"), [("counts", "{}"), ("longest_wins", "[]"), ("counts", "[1]")]
)
def test_a_file_with_odd_attributes_does_not_hide_the_others(tmp_path, caplog, attribute, value):
    for name in ("KK", "KRK"):
        shutil.copy(DATA / f"{name}.h5", tmp_path)
    with h5py.File(tmp_path / "KRK.h5", "r+") as file:
        file.attrs[attribute] = value
    with tablebase.open_tablebase(tmp_path) as tables:
        kings, rook = describe_tables(tables)
        assert kings["positions"] == 924
        assert rook == {"material": "KRK", "men": 3, "damaged": True}
        assert str(tmp_path / "KRK.h5") in caplog.text
        with pytest.raises(CorruptTableError):
            hardest_position(tables, "KRK", np.random.default_rng(1))


def test_a_file_that_cannot_be_read_now_is_not_called_damaged(tmp_path, monkeypatch, caplog):
    shutil.copy(DATA / "KRK.h5", tmp_path)

    def refuse(_path):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(materials, "open_table", refuse)
    with tablebase.open_tablebase(tmp_path) as tables:
        assert describe_tables(tables) == [{"material": "KRK", "men": 3, "unreadable": True}]
    assert "Permission denied" in caplog.text


def test_tables_that_were_removed_or_replaced_are_noticed(tmp_path):
    for name in ("KK", "KRK"):
        shutil.copy(DATA / f"{name}.h5", tmp_path)
    with tablebase.open_tablebase(tmp_path) as tables:
        assert len(describe_tables(tables)) == 2
        (tmp_path / "KRK.h5").write_bytes(b"replaced")
        assert "damaged" in describe_tables(tables)[1]
        (tmp_path / "KRK.h5").unlink()
        assert [one["material"] for one in describe_tables(tables)] == ["KK"]
        with pytest.raises(MissingTableError):
            hardest_position(tables, "KRK", np.random.default_rng(1))


@pytest.mark.parametrize(
    ("name", "plies"), [("KRK", 31), ("KRNK", 31), ("KPK", 55), ("KQK", 19), ("KNNK", 1)]
)
def test_the_hardest_position_is_as_hard_as_told(tables, name, plies):
    found = hardest_position(tables, name, np.random.default_rng(1))
    assert found["dtm"] == plies
    assert tables.probe_dtm(chess.Board(found["fen"])) == found["dtm"]


def test_the_hardest_position_is_any_of_them(tables):
    rng = np.random.default_rng(1)
    found = {hardest_position(tables, "KRK", rng)["fen"] for _ in range(300)}
    assert 100 < len(found) <= 121  # as many as there are inequivalent ones
    assert {tables.probe_dtm(chess.Board(fen)) for fen in found} == {31}


def test_large_tables_are_not_searched_for_hard_positions(tables, monkeypatch):
    monkeypatch.setattr(materials, "MOST_VALUES", 10)
    materials._summaries.cache_clear()
    rng = np.random.default_rng(1)
    found = {hardest_position(tables, "KRK", rng)["fen"] for _ in range(10)}
    materials._summaries.cache_clear()
    assert len(found) == 1


def test_nothing_is_won_with_bare_kings(tables):
    assert hardest_position(tables, "KK", np.random.default_rng(1)) is None


def test_either_side_may_be_named_first(tables):
    assert available_material(tables, "KvKR").name == "KRK"
    found = [hardest_position(tables, name, np.random.default_rng(1)) for name in ("KKNR", "KRNK")]
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("name", "error"), [("KQKR", MissingTableError), ("nonsense", InvalidMaterialError)]
)
def test_other_materials_are_refused(tables, name, error):
    with pytest.raises(error):
        hardest_position(tables, name, np.random.default_rng(0))
    with pytest.raises(error):
        random_position(tables, name, np.random.default_rng(0))


@pytest.mark.parametrize("metric", [DTM, DTZ])
@pytest.mark.parametrize("name", ["KRK", "KPK", "KNNK"])
def test_there_is_a_position_of_each_distance(tables, name, metric):
    with open_table(DATA / f"{name}.h5") as file:
        counts = file.counts
    rng = np.random.default_rng(1)
    for turn, side in ((chess.WHITE, "white_to_move"), (chess.BLACK, "black_to_move")):
        for result, distances in counts[side]["inequivalent"][f"{metric}_histogram"].items():
            for plies in map(int, distances):
                outcome = plies if result == "win" else ~plies
                found = position_with(tables, name, turn, metric, outcome, rng)
                board = chess.Board(found["fen"])
                assert (found["material"], board.turn) == (name, turn)
                assert found[metric.name] == (plies if result == "win" else -plies)
                probed = getattr(tables, f"probe_{metric}")(board)
                assert probed == (found[metric.name] or metric.mated)
    for outcome in (0, 200):  # a draw is no distance
        assert position_with(tables, name, chess.WHITE, metric, outcome, rng) is None


def test_a_distance_that_few_positions_have_is_found_in_many_chunks(tables):
    found = position_with(tables, "KRNK", chess.WHITE, DTM, 31, np.random.default_rng(1))
    assert tables.probe_dtm(chess.Board(found["fen"])) == 31
    fens = {
        position_with(tables, "KRNK", chess.WHITE, DTM, 15, np.random.default_rng(seed))["fen"]
        for seed in range(5)
    }
    assert len(fens) == 5


def test_looking_for_a_distance_is_given_up_in_time(tables):
    def looks(time_limit):
        rng = np.random.default_rng(1)
        look = partial(position_with, tables, "KRNK", chess.WHITE, DTM, 31, rng)
        return [look(time_limit=time_limit) for _ in range(20)]

    assert None in looks(-1)  # after the first chunk
    assert None not in looks(PATIENCE)


def test_distances_that_a_table_lacks_are_missing(mate_dir, tables):
    with tablebase.open_tablebase(mate_dir) as mate, pytest.raises(MissingTableError):
        position_with(mate, "KRK", chess.WHITE, DTZ, 1, np.random.default_rng(1))
    assert position_with(tables, "KK", chess.BLACK, DTM, 1, np.random.default_rng(1)) is None


def test_random_positions_are_legal_and_uniform(tables):
    """KRK has 175,168 legal positions with White to move and 223,944 with Black to move."""
    rng = np.random.default_rng(6)
    boards = [chess.Board(random_position(tables, "KRK", rng)["fen"]) for _ in range(2000)]
    for board in boards:
        assert not board.was_into_check()
        assert tables.get_dtm(board) is not None
    turns = Counter(board.turn for board in boards)
    share = 175_168 / (175_168 + 223_944)
    deviation = (2000 * share * (1 - share)) ** 0.5
    assert abs(turns[chess.WHITE] - 2000 * share) < 4 * deviation
    assert len({board.fen() for board in boards}) > 1900


@pytest.mark.parametrize("level", [0, 3, 8])
def test_exercises_are_about_as_difficult_as_their_level(level):
    rng = np.random.default_rng(level)
    with tablebase.open_tablebase("data") as tables:
        for _ in range(5):
            found = exercise(tables, "KPK", rng, level=level)
            board = chess.Board(found["fen"])
            assert found["material"] == "KPK"
            assert found["difficulty"] == tablebase.difficulty(tables, board)
            assert abs(found["difficulty"] - level / 10) < 0.15
            results = {one.result for one in tables.rank_moves(board)}
            assert len(results) > 1  # there is something to give away
        assert exercise(tables, "KK", rng, level=level) is None
