"""Values of positions with castling rights, found a second time by brute force."""

from functools import partial

import pytest
from support.castling import key_of, positions_with_rights, values_by_force
from support.few import slow

import tablebase
from tablebase.core.outcomes.metrics import DTM, DTZ
from tablebase.core.rules.material import all_materials

FOUR = [one.name for one in all_materials(4) if "R" in one.name]


def compare(tables, name, metric):
    """Compare all positions of a material with brute force; return how many there are."""
    boards = list(positions_with_rights(*name[1:].split("K")))
    outcome_of = partial(tables.probe_outcome, metric=metric)
    by_force = values_by_force(boards, outcome_of, counts_zeroing=metric == DTZ)
    wrong = [board.fen() for board in boards if outcome_of(board) != by_force[key_of(board)]]
    assert not wrong
    return len(boards)


@pytest.fixture(scope="module")
def tables(zeroing_dir):
    with tablebase.open_tablebase(zeroing_dir) as found:
        yield found


@pytest.mark.parametrize("metric", [DTM, DTZ])
def test_every_position_of_three_men(tables, metric):
    assert compare(tables, "KRK", metric) == 211


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "metric"), [("KRKP", DTZ), slow("KRRK", DTM)])
def test_positions_of_four_men(tables, name, metric):
    assert compare(tables, name, metric) > 9000


@pytest.mark.slow
@pytest.mark.parametrize("metric", [DTM, DTZ])
@pytest.mark.parametrize("name", FOUR)
def test_every_position_of_four_men(tables, name, metric):
    assert compare(tables, name, metric) > 9000
