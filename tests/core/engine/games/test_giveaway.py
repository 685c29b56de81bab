"""Antichess and suicide: values and counts that others have published."""

import csv
import json
from collections import Counter
from math import factorial
from pathlib import Path

import numpy as np
import pytest
from support.few import few, slow
from support.variants import ANTICHESS, BOARDS, SUICIDE, Values, stored_value

from tablebase.core.engine.driver import solve
from tablebase.core.ground.errors import UnsupportedPositionError
from tablebase.core.outcomes.metrics import DTM, DTZ, wdl50
from tablebase.core.positions.any_position import as_position
from tablebase.core.rules.material import Material
from tablebase.core.tables.census import take_census

DATA = Path(__file__).parents[3] / "data"
PUBLISHED = json.loads((DATA / "giveaway_dtz.json").read_text(encoding="utf-8"))


def rows_of(name):
    """Return the rows of a file of positions with values, by name of the ending and rules."""
    with (DATA / name).open(encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def material_of(board):
    return as_position(board).material.normalized()


def men_in(row):
    return sum(sign.isalpha() for sign in row["fen"].split()[0])


@pytest.mark.parametrize("men", [2, slow(3), slow(4)])
def test_positions_of_suicide_have_known_values(solve_with_parts, men):
    rows = [row for row in rows_of("suicide.tsv") if men_in(row) == men]
    assert rows
    for row in rows:
        board = BOARDS[SUICIDE](row["fen"])
        tables = solve_with_parts(material_of(board).name, SUICIDE, DTZ)
        result, plies = stored_value(tables, board)
        assert result * plies == int(row["dtz"])
        assert wdl50(plies if result > 0 else ~plies if result else 0) == int(row["wdl"])


@pytest.mark.parametrize("row", rows_of("antichess_dtw.tsv"), ids=lambda row: row["fen"].split()[0])
@pytest.mark.slow
def test_distances_to_the_win_are_the_known_ones(solve_with_parts, row):
    board = BOARDS[ANTICHESS](row["fen"])
    tables = solve_with_parts(material_of(board).name, ANTICHESS, DTM)
    result, plies = Values(tables, DTM).of(board)
    assert result * plies == int(row["dtw"])


@pytest.mark.parametrize("name", few(PUBLISHED, "BvP", "PvP"))
def test_every_count_is_the_published_one(solve_with_parts, name):
    material = Material.from_name(name, ANTICHESS)
    census = take_census(solve_with_parts(name, ANTICHESS, DTZ)[material.normalized()])
    sides = [census.white_to_move.whole_board, census.black_to_move.whole_board]
    if not material.is_normalized:
        sides.reverse()
    # Like men are told apart there, and half of the board is counted.
    alike = [factorial(n) for side in (material.white, material.black)
             for n in Counter(side).values()]  # fmt: skip
    times = int(np.prod(alike))
    found = [
        [
            {str(plies): n * times // 2 for plies, n in side.wins.items()},
            {str(plies): n * times // 2 for plies, n in side.losses.items()},
            side.draw * times // 2,
        ]
        for side in sides
    ]
    assert found == PUBLISHED[name]


def test_suicide_has_no_distances_to_the_win():
    with pytest.raises(UnsupportedPositionError, match="use --metric dtz"):
        solve(Material.from_name("KvN", SUICIDE), {}, metric=DTM)
