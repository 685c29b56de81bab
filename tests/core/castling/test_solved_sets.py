"""Values of positions with castling rights, found a second time by brute force."""

from collections import Counter
from functools import partial

import chess
import pytest
from support.castling import key_of, positions_with_rights, values_by_force
from support.zeroing import before

import tablebase
from tablebase.core.castling import castling_sets
from tablebase.core.outcomes import DTM, DTZ
from tablebase.core.rules import Material, all_materials

FOUR = [one.name for one in all_materials(4) if "R" in one.name]


def before_mate(outcome, zeroing):
    return before(outcome, zeroing=False)


def before_zeroing(outcome, zeroing):
    return before(outcome, zeroing=zeroing)


def compare(tables, name, metric):
    """Compare all positions of a material with brute force; return how many there are."""
    material = Material.from_name(name)
    sides = ["".join(kind.name[0] if kind.name != "KNIGHT" else "N" for kind in side)
             for side in (material.white, material.black)]  # fmt: skip
    boards = list(positions_with_rights(*sides))
    outcome_of = partial(tables.probe_outcome, metric=metric)
    by_force = values_by_force(
        boards, outcome_of, before_mate if metric == DTM else before_zeroing
    )
    wrong = [board.fen() for board in boards if outcome_of(board) != by_force[key_of(board)]]
    assert not wrong
    return len(boards)


@pytest.fixture(scope="module")
def tables(both_tables_dir):
    with tablebase.open_tablebase(both_tables_dir) as found:
        yield found


@pytest.mark.parametrize("metric", [DTM, DTZ])
def test_every_position_of_three_men(tables, metric):
    assert compare(tables, "KRK", metric) == 211


@pytest.mark.slow
@pytest.mark.parametrize("metric", [DTM, DTZ])
@pytest.mark.parametrize("name", FOUR)
def test_every_position_of_four_men(tables, name, metric):
    assert compare(tables, name, metric) > 9000
