"""Analysis: figures equal to those of the file, lines that python-chess can play."""

import json

import chess
import pytest

from tablebase.cli.commands.info import describe_table
from tablebase.core.board.geometry import SIDES
from tablebase.core.ground.errors import MissingTableError
from tablebase.core.rules.material import Material
from tablebase.core.storage.table_names import table_path
from tablebase.report.analysis import Line, analyse, read_subtables


@pytest.fixture(scope="module")
def krk():
    return analyse("data/KRK.h5", threads=2)


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["KK", "KRK", "KNNK", "KPK"])
def test_figures_are_those_of_info(name):
    path = table_path("data", Material.from_name(name))
    described = describe_table(path)
    figures = json.loads(json.dumps(analyse(path, butterfly=False).as_dict()))
    for side in SIDES:
        assert figures[side] == described[side]
    for same in ("material", "bytes", "sha256"):
        assert figures[same] == described[same]


def test_figures_of_both_metrics_are_those_of_info(folders_by_metric):
    path = table_path(folders_by_metric["both"], Material.from_name("KPK"))
    described = describe_table(path)
    analysis = analyse(path, butterfly=False)
    figures = json.loads(json.dumps(analysis.as_dict()))
    for side in SIDES:
        assert figures[side] == described[side]
        assert figures[side]["dtz_histogram"]
    assert figures["dtz_sha256"] == described["dtz_sha256"]
    assert figures["white_to_move"]["dtz_longest_win"] == {
        "plies": 19,
        "fen": described["white_to_move"]["dtz_longest_win"]["fen"],
    }
    # Lines are those of the fastest mate whatever the clock says.
    assert {len(line.moves) for line in analysis.longest["white_to_move"]} == {55}


def test_distances_to_mate_are_needed(folders_by_metric):
    path = table_path(folders_by_metric["dtz"], Material.from_name("KPK"))
    with pytest.raises(MissingTableError, match="tablebase build --metric dtm KPK"):
        analyse(path)


def test_rook_against_king(krk):
    assert krk.placements == (223_944, 28_056)
    assert krk.longest_win("white_to_move") == (31, 121)
    assert krk.longest_win("black_to_move") == (0, 0)
    assert krk.survey.orbits == {8: 27_930, 4: 126}
    assert dict(krk.symmetries)["a1-h8 diagonal"] == 252
    assert not krk.survey.zugzwangs
    described = describe_table(table_path("data", krk.material))
    first = krk.longest["white_to_move"][0]
    assert first.fen == described["longest_wins"]["white_to_move"]["fen"]


def test_lines_can_be_played_up_to_mate(krk):
    lines = krk.longest["white_to_move"]
    assert len({line.fen for line in lines}) == len(lines) == 6
    for line in lines:
        board = chess.Board(line.fen)
        for move in line.moves:
            board.push_san(move)
        assert board.is_checkmate()
        assert len(line.moves) == line.plies == 31


def test_zugzwangs_are_described_from_both_sides():
    examples = analyse("data/KPK.h5", butterfly=False).zugzwangs
    assert len(examples) == 6
    assert {one.kind for one in examples} == {"white_draws_black_loses"}
    assert examples[0].black_to_move == -54
    assert all(one.white_to_move == 0 for one in examples)


def test_text_of_a_line():
    fen = "8/8/8/8/8/8/8/K1k5 {} - - 0 1"
    assert Line(fen.format("w"), 3, ("Ka2", "Kc2", "Ka3")).text == "1. Ka2 Kc2 2. Ka3"
    assert Line(fen.format("b"), 2, ("Kc2", "Ka2")).text == "1... Kc2 2. Ka2"
    assert Line(fen.format("b"), 0).text == ""


def test_bare_kings_need_no_file(tmp_path):
    (tmp_path / "KRK.h5").write_bytes((table_path("data", Material.from_name("KRK"))).read_bytes())
    assert analyse(tmp_path / "KRK.h5").butterfly is not None
    with pytest.raises(MissingTableError, match="tablebase build KBK"):
        read_subtables(Material.from_name("KPK"), tmp_path)
