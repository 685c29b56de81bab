"""The saved results of shatranj are those of tables, and of another author's generator."""

import pytest
import shatranj
from measurement import load

from tablebase.core.answers.tablebase import Tablebase
from tablebase.core.building.generator import generate
from tablebase.core.rules.material import Material, all_materials


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    folder = tmp_path_factory.mktemp("games")
    generate([Material.from_name("KQKQ", shatranj.SHATRANJ)], folder)
    with Tablebase([folder], rules=shatranj.SHATRANJ) as opened:
        yield opened


def test_the_saved_ending_is_that_of_a_table(tables):
    (found,) = shatranj.endings(tables)
    saved = {one["material"]: one for one in load("shatranj")["results"]["endings"]}
    assert saved["KQKQ"] | {"bytes": 0} == found | {"bytes": 0}
    assert len(saved) == 15  # of two pieces or pawns of five kinds


def test_the_saved_line_is_that_of_a_table(tables):
    found = shatranj.line(tables, shatranj.DIAMOND)
    assert found == load("shatranj")["results"]["line"]
    assert [one["plies"] for one in found] == list(range(39, 0, -1))
    assert found[0] == {"move": "Kb3-b4", "plies": 39, "others": 0}


def test_the_longest_wins_are_those_of_another_generator():
    """Of syzygy1/tb, first side's and second side's, see tests/core/engine/test_other_rules.py."""
    saved = {one["material"]: one for one in load("shatranj")["results"]["endings"]}
    for name, plies in {
        "KQKQ": (63, 63), "KRKN": (53, 5), "KRKR": (7, 7), "KBKB": (23, 23), "KQKB": (35, 43),
        "KQKN": (15, 39), "KBKN": (15, 55), "KNKN": (21, 21), "KQKR": (1, 39), "KBKR": (3, 31),
    }.items():  # fmt: skip
        one = saved[name]
        assert (one["longest_white_plies"], one["longest_black_plies"]) == plies


def test_saved_results_of_knight_against_rook_are_those_of_that_generator():
    one, other = load("shatranj")["results"]["called_drawn"]
    assert (one["win"], one["draw"], one["loss"]) == (269329, 1127202, 170691)
    assert other["material"] == "KRNKR"


def test_saved_endings_of_five_men_are_all_there():
    """Two of five kinds against one, and with the counts of the saved verdict on one of them."""
    saved = {one["material"]: one for one in load("shatranj")["results"]["five"]}
    expected = {one.name for one in all_materials(5, shatranj.SHATRANJ) if one.white and one.black}
    assert set(saved) == expected
    assert len(saved) == 75
    verdict = load("shatranj")["results"]["called_drawn"][1]
    one = saved[verdict["material"]]
    for result, of_black in (("black_win", "win"), ("draw", "draw"), ("white_win", "loss")):
        assert one[result] > verdict[of_black]
    assert (one["white_plies"] + 1) // 2 == 39


def test_advice_puts_the_better_side_first():
    """A rook that is Black's is the better side, too."""
    saved = {one["material"]: one for one in load("shatranj")["results"]["five"]}
    rows = shatranj.advice()
    assert len(rows) == len(shatranj.ADVISED)
    rook = saved[Material.from_name("KNQKR", shatranj.SHATRANJ).normalized().name]
    assert f"| {shatranj.shares_of(rook)[2]:.1%} |" in rows[-1]
    pawns = saved["KPPKQ"]
    assert f"| {shatranj.shares_of(pawns)[0]:.1%} |" in rows[0]


def test_results_with_black_to_move_are_those_of_the_table(tables):
    found = shatranj.results_of_black(tables, "KQKQ")
    assert found == {"material": "KQKQ", "win": 469711, "draw": 1003268, "loss": 151371}
