"""The figures of a material."""

import shutil
from pathlib import Path

import chess
import h5py
import pytest

import tablebase
from tablebase.core.ground.errors import CorruptTableError
from tablebase.publish import materials
from tablebase.publish.materials import summary_of
from tablebase.report.analysis import analyse

DATA = Path(__file__).parents[2] / "data"


def summary(tables, name):
    return summary_of(tables.available_tables[name], tables.directories)


def test_what_a_file_says_of_its_material(tables):
    krk = summary(tables, "KRK").figures
    assert (krk["material"], krk["title"]) == ("KRK", "King and rook against king")
    assert not krk["symmetric"]
    assert krk["positions"] == 50_015
    wins = krk["histograms"]["dtm"]["white_to_move"]["win"]
    assert sum(wins.values()) == krk["white_to_move"]["win"]
    assert max(map(int, wins)) == 31
    for metric, name in (("dtm", "probe_dtm"), ("dtz", "probe_dtz")):
        longest = krk["longest"][metric]["black_to_move"]["loss"]
        assert getattr(tables, name)(chess.Board(longest["fen"])) == -longest["plies"]
        assert krk["longest"][metric]["black_to_move"]["win"] is None
    assert summary(tables, "KK").figures["symmetric"]


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["KRK", "KPK", "KNNK", "KK"])
def test_the_survey_is_that_of_reports(tables, name):
    found = summary(tables, name).survey
    report = analyse(DATA / f"{name}.h5", butterfly=False, examples=materials.EXAMPLES).as_dict()
    assert found["mutual_zugzwangs"] == report["mutual_zugzwangs"]
    assert found["longest_wins"] == {
        side: [line["fen"] for line in lines] for side, lines in report["longest_wins"].items()
    }


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["KRK", "KPK", "KK"])
def test_the_hardest_positions(tables, name):
    kinds = {}
    for one in summary(tables, name).difficult:
        board = chess.Board(one["fen"])
        assert board.turn == (one["turn"] == "w")
        assert tables.probe_wdl50(board) == {"win": 2, "draw": 0}[one["result"]]
        assert one["difficulty"] == pytest.approx(tablebase.difficulty(tables, board), abs=1e-4)
        kinds.setdefault((one["turn"], one["result"]), []).append(one["difficulty"])
    for (turn, result), difficulties in kinds.items():
        assert difficulties == sorted(difficulties, reverse=True)
        hardest = tablebase.find(
            name, DATA, order="difficulty", turn=turn == "w", result=result, limit=1
        )
        assert difficulties[0] == pytest.approx(float(hardest.difficulty[0]), abs=1e-4)
    assert len(kinds) == {"KRK": 0, "KPK": 2, "KK": 0}[name]


def test_difficulties_of_large_tables_are_not_looked_for(tables, monkeypatch):
    monkeypatch.setattr(materials, "MOST_VALUES", 1_000_000)
    materials._summaries.cache_clear()
    assert summary(tables, "KRNK").difficult is None
    materials._summaries.cache_clear()


def test_large_tables_are_not_looked_through(tables, monkeypatch):
    monkeypatch.setattr(materials, "MOST_VALUES", 1_000_000)
    materials._summaries.cache_clear()
    assert summary(tables, "KRNK").survey is None
    assert summary(tables, "KRK").survey is not None
    materials._summaries.cache_clear()


def test_tables_without_distances_to_mate(zeroing_only_dir):
    with tablebase.open_tablebase(zeroing_only_dir) as tables:
        assert summary(tables, "KRK").survey is None
        krk = summary(tables, "KRK").figures
        assert list(krk["histograms"]) == list(krk["longest"]) == ["dtz"]


def test_odd_attributes_are_damage(tmp_path):
    shutil.copy(DATA / "KRK.h5", tmp_path)
    with h5py.File(tmp_path / "KRK.h5", "r+") as file:
        counts = bytes(file.attrs["counts"])
        file.attrs["counts"] = counts.replace(b"longest_loss", b"longest_boss")
    with tablebase.open_tablebase(tmp_path) as tables, pytest.raises(CorruptTableError):
        summary(tables, "KRK").figures  # noqa: B018 (reads the file)
