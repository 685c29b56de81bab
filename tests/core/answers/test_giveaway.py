"""Probes of antichess: distances as people count them, and ends of games told from draws."""

import json

import chess.variant
import h5py
import pytest
from support.variants import ANTICHESS, SUICIDE

from tablebase.core.answers.known import look_up
from tablebase.core.answers.tablebase import Tablebase
from tablebase.core.checking.verify import check_file
from tablebase.core.engine.driver import solve
from tablebase.core.ground.errors import MissingTableError, UnsupportedPositionError
from tablebase.core.outcomes.metrics import METRICS, Wdl50
from tablebase.core.positions.any_position import as_position
from tablebase.core.rules.material import Material
from tablebase.core.storage.table_names import table_path
from tablebase.core.storage.writing import write_table

KVR = Material.from_name("KvR", ANTICHESS)
WON = "8/8/8/8/8/2k5/8/R7 w"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("giveaway")
    place = table_path(path, KVR)
    place.parent.mkdir(exist_ok=True)
    for metric in METRICS:
        write_table(solve(KVR, {}, metric=metric, threads=1), place)
    return path


def test_a_file_says_what_its_bytes_mean(folder):
    with h5py.File(table_path(folder, KVR)) as file:
        attributes = {name: value.decode() if isinstance(value, bytes) else value
                      for name, value in file.attrs.items()}  # fmt: skip
        codes = file["black_to_move/dtm"][:]
    assert (attributes["format_version"], attributes["ply_offset"]) == (7, 1)
    assert json.loads(attributes["men"]) == ["white K", "black R"]
    assert "ply_offset" in attributes["encoding"]
    assert "leads" in attributes["index_scheme"]
    counts = json.loads(attributes["counts"])["black_to_move"]
    # Wins are even, as are the distances that people count, and their codes odd.
    assert {int(plies) % 2 for plies in counts["dtm_histogram"]["win"]} == {0}
    assert counts["longest_win"]["plies"] == codes[codes % 2 == 1].max() - 1 == 34
    report = check_file(table_path(folder, KVR))
    assert report.checked
    assert report.different == report.contradicting == 0
    assert not report.problems


def test_distances_are_plies_to_the_end(folder):
    with Tablebase([folder], rules="antichess") as tables:
        line = tables.mainline(WON)
        assert tables.probe_dtm(WON) == tables.probe_dtz(WON) == len(line) == 28
        assert (tables.probe_wdl(WON), tables.probe_wdl50(WON)) == (1, Wdl50.WIN)
        assert tables.probe_dtm(chess.variant.AntichessBoard(f"{WON} - - 0 1")) == 28
        best = tables.rank_moves(WON)[0]
        assert (best.dtm, best.dtz, best.mate) == (28, 28, False)
        lost = "8/8/8/8/8/8/8/rK6 b"
        assert (tables.probe_dtm(lost), tables.probe_dtz(lost)) == (-1, -1)
        distances, valid = tables.probe_dtm_many([WON, lost])
        assert (distances.tolist(), valid.tolist()) == ([28, -1], [True, True])
        assert tables.probe_dtz_many([WON, lost])[0].tolist() == [28, -1]
        assert tables.probe_wdl50_many([WON, lost])[0].tolist() == [2, -2]


def test_suicide_is_told_by_distances_to_zeroing(suicide_dir):
    pawn, lost, draw = (*("8/8/8/8/8/P7/8/7k b", "8/8/8/p7/P7/P7/8/8 w", "8/8/8/p7/P7/8/8/8 w"),)
    with Tablebase([suicide_dir], rules="suicide") as tables:
        assert [tables.probe_wdl(one) for one in (pawn, lost, draw)] == [-1, -1, 0]
        assert [tables.probe_dtz(one) for one in (pawn, lost, draw)] == [-2, 0, 0]
        with pytest.raises(MissingTableError, match="no DTM of suicide: it does not tell who wins"):
            tables.probe_dtm(pawn)
        results, valid = tables.probe_wdl_many([pawn, lost, draw, "8/8/8/8/8/8/8/R7 b"])
        assert (results.tolist(), valid.all()) == ([-1, -1, 0, 1], True)
        known = look_up(tables, as_position(pawn, SUICIDE))
        assert (known.wdl, known.wdl50, known.dtm, known.dtz) == (-1, Wdl50.LOSS, None, -2)
        assert not known.is_proven
        best, *_ = tables.rank_moves(pawn)
        assert (best.wdl, best.dtm, best.dtz) == (-1, None, -2)
        assert tables.best_move(pawn) == best.move
        line = tables.mainline(pawn)
        position = as_position(pawn, SUICIDE)
        for move in line:
            position = position.after(move)
        assert (position.end, position.final_outcome()) == ("no pieces", 1)


def test_a_game_that_is_over_has_a_result_and_no_distance(folder):
    with Tablebase([folder], rules="antichess") as tables:
        for over in ("8/8/8/8/8/8/8/R7 b", "8/8/8/p7/P7/8/8/8 w"):
            assert (tables.probe_dtm(over), tables.probe_dtz(over)) == (0, 0)
            assert (tables.probe_wdl(over), tables.probe_wdl50(over)) == (1, Wdl50.WIN)
            assert not tables.rank_moves(over)
        with pytest.raises(UnsupportedPositionError, match="try b instead of w"):
            tables.probe_dtm("8/8/8/8/8/8/8/R7 w")
