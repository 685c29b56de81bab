"""The saved results of shatranj are those of tables, and of another author's generator."""

import pytest
import shatranj
from measurement import load

from tablebase.building import generate
from tablebase.probing import VariantTablebase
from tablebase.rules import Material


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    folder = tmp_path_factory.mktemp("games")
    generate([Material.from_name("KQKQ", shatranj.SHATRANJ)], folder)
    with VariantTablebase(shatranj.SHATRANJ, directories=[folder]) as opened:
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
    """Of syzygy1/tb, first side's and second side's, see tests/engine/test_other_rules.py."""
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


def test_results_with_black_to_move_are_those_of_the_table(tables):
    found = shatranj.results_of_black(tables, "KQKQ")
    assert found == {"material": "KQKQ", "win": 469711, "draw": 1003268, "loss": 151371}
