"""The saved results on Thai counts are those of tables."""

import makruk
import pytest
from measurement import load

from tablebase.core.answers.tablebase import Tablebase
from tablebase.core.building.generator import generate
from tablebase.core.rules.material import Material


def saved():
    return {row[0]: makruk.Result(*row) for row in load("makruk")["results"]}


def test_saved_results_are_those_of_the_design():
    found = {name: (one.plies + 1) // 2 for name, one in saved().items()}
    assert (found["KSSK"], found["KSMK"], found["KRK"], found["KRRK"]) == (51, 57, 16, 7)
    assert set(found) == set(makruk.ENDINGS)


def test_results_are_those_of_tables(tmp_path):
    generate([Material.from_name("KRK", makruk.MAKRUK)], tmp_path)
    found = makruk.measure("KRK", tmp_path)
    assert found == saved()["KRK"]
    assert (found.positions, found.lost) == (28056, 25260)  # as in chess
    with Tablebase([tmp_path], rules=makruk.MAKRUK) as tables:
        plies = tables.probe_dtm("8/8/8/3k4/8/8/8/R6K b")
    assert plies < 0
    assert str(-plies) in found.losses


@pytest.mark.parametrize(
    ("men", "number", "left"),
    [("RRS", 8, 3), ("RSS", 16, 11), ("SSN", 22, 17), ("NNS", 32, 27), ("NSM", 44, 39),
     ("N", 64, 61), ("MM", 64, 60)],
)  # fmt: skip
def test_counts_are_those_of_the_rule(men, number, left):
    assert makruk.count_of(men) == number
    assert makruk.moves_left(men) == left
