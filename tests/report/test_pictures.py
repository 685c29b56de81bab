"""Pictures: well-formed, of the right shape, and the same in every run."""

import sys
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from tablebase.core.building.generator import generate
from tablebase.core.ground.errors import TablebaseError
from tablebase.core.outcomes.metrics import DTZ
from tablebase.core.rules.material import Material
from tablebase.core.rules.rule_files import built_in_rules
from tablebase.core.storage.table_names import table_path
from tablebase.report import pictures
from tablebase.report.analysis import analyse

pytest.importorskip("matplotlib")

IMAGES = ".//{http://www.w3.org/2000/svg}image"


@pytest.fixture(scope="module")
def kpk():
    return analyse("data/KPK.h5", butterfly=False)


@pytest.fixture(scope="module")
def maps(kpk):
    return pictures.draw_squares(kpk)


@pytest.mark.thorough
def test_pictures_are_svg(kpk, maps):
    for svg in (pictures.draw_results(kpk.counts), pictures.draw_distances(kpk.counts), maps):
        assert ET.fromstring(svg).tag.endswith("svg")


def test_maps_are_drawn_for_every_man_and_result(maps):
    # White and Black to move, the share of White's wins and the moves to mate; three men each,
    # and a bar of colours for each row.
    images = ET.fromstring(maps).findall(IMAGES)
    assert len(images) == 4 * (3 + 1)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("game", "files", "ranks"), [("losalamos", "abcdef", "123456"), ("gardner", "abcde", "12345")]
)
def test_maps_of_smaller_boards_have_their_squares_alone(monkeypatch, tmp_path, game, files, ranks):
    material = Material.from_name("KRK", built_in_rules()[game])
    generate([material], tmp_path)
    analysis = analyse(table_path(tmp_path, material))
    shown, names = [], []

    def keep(figure):
        rows = len(figure.axes) // 4  # each with three maps and a bar of colours
        maps = figure.axes[: 3 * rows]
        shown.extend(one.images[0].get_array() for one in maps[:3])  # moves to mate: White wins all
        labels = maps[-3].get_xticklabels(), maps[0].get_yticklabels()
        names.extend("".join(label.get_text() for label in axis) for axis in labels)
        return ""

    monkeypatch.setattr(pictures, "svg_of", keep)
    pictures.draw_squares(analysis)
    assert names == [files, ranks]
    assert [values.shape for values in shown] == 3 * [(len(ranks), len(files))]
    board = material.rules.board
    for kind, values in enumerate(shown):
        moves = analysis.survey.moves_by_square(0, "win", kind)
        for name, square in board.numbers.items():
            value = values.filled(np.nan)[int(name[1]) - 1, files.index(name[0])]
            assert value == pytest.approx(moves[square], nan_ok=True)
        assert not values.mask.all()


def test_without_wins_there_is_nothing_to_draw():
    kk = analyse("data/KK.h5", butterfly=False)
    assert pictures.draw_distances(kk.counts) == ""
    assert pictures.draw_squares(kk) == ""


def test_distances_beyond_the_fifty_move_rule_are_marked():
    def counts(longest):
        histogram = {"win": {"1": 5, str(longest): 3}, "loss": {}}
        nothing = {"inequivalent": {"dtz_histogram": {"win": {}, "loss": {}}}}
        side = {"inequivalent": {"dtz_histogram": histogram}}
        return {"white_to_move": side, "black_to_move": nothing}

    late, in_time = (pictures.draw_distances(counts(longest), DTZ) for longest in (101, 100))
    assert ("stroke-dasharray" in late, "stroke-dasharray" in in_time) == (True, False)


def test_missing_matplotlib_is_one_line(monkeypatch, kpk):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(TablebaseError, match=r"need matplotlib: .* -m pip install matplotlib$"):
        pictures.draw_results(kpk.counts)
