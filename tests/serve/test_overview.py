"""Which tables there are."""

import json
import shutil
from pathlib import Path

import chess
import h5py
import pytest
from support.described import check_answer

import tablebase
from tablebase.publish import materials
from tablebase.serve.overview import describe_tables

DATA = Path(__file__).parents[2] / "data"


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
        longest = krkn.get("longest_win") or krkn["dtz_longest_win"]
        board = chess.Board(longest["fen"])
        assert krkn["metrics"] == metrics
        about = {"max_men": 3, "location": None, "solve": None, "games": []}
        check_answer({"tables": [krkn], **about}, "/tables")
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
            assert longest["plies"] == tables.probe_dtm(board) == 79
        else:
            assert "longest_win" not in krkn
            assert longest["plies"] == tables.probe_dtz(board) == 53


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
