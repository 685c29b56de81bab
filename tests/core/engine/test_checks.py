"""Three-check: every value of three men by a slow solver, of four by their moves."""

from collections import Counter

import chess
import numpy as np
import pytest
from support.checks import CHECKS, MEN, solve_checks
from support.few import few, slow

from tablebase.core.checking.verify import check_table
from tablebase.core.engine.driver import solve
from tablebase.core.outcomes.metrics import DTM, DTZ
from tablebase.core.rules.material import Material, generation_order

METRICS = [DTM, DTZ]
WALKED = ["KPK", "KQKR", "KPKP", "KRKR", "KBNK", "KRKP"]


@pytest.fixture(scope="module")
def solved():
    """Return what solves an ending by name and metric, sub-tables once; all so far."""
    tables = {}

    def solve_name(name, metric):
        known = tables.setdefault(metric, {})
        for one in generation_order([Material.from_name(name, CHECKS)]):
            if one not in known:
                needed = {other: known[other] for other in one.dependencies()}
                known[one] = solve(one, needed, metric=metric, threads=1)
        return known

    return solve_name


@pytest.fixture(scope="module")
def slowly():
    """Return what solves king and man against king slowly, once."""
    found = {}

    def solve_man(man):
        if man not in found:
            promoted = {one: solve_man(one) for one in MEN[:-1]} if man == chess.PAWN else None
            found[man] = solve_checks(man, promoted)
        return found[man]

    return solve_man


@pytest.mark.thorough
@pytest.mark.parametrize("man", few(MEN, chess.ROOK))
def test_every_value_is_that_of_a_slow_solver(solved, slowly, man):
    """Which solves all layers as one graph, although tables do so one after the other."""
    material = Material.from_name(f"K{chess.piece_symbol(man)}K", CHECKS)
    for metric, expected in zip(METRICS, slowly(man), strict=True):
        table = solved(material.name, metric)[material]
        squares = np.array([position[:-1] for position, _ in expected], dtype=np.uint8)
        slots = table.index.encode_many(squares)
        outcomes = []
        for (position, left), slot in zip(expected, slots.tolist(), strict=True):
            place = slot + material.layer_of((left, 3)) * table.index.layer_size
            turn = 0 if position[-1] else 1
            outcomes.append(int(table.outcomes[turn][table.codes[turn][place]]))
        assert outcomes == [*expected.values()]
        assert all(count > 0 for count in Counter(map(np.sign, outcomes)).values())


@pytest.mark.parametrize("metric", METRICS, ids=str)
@pytest.mark.parametrize(
    "name", [pytest.param("KRK", marks=pytest.mark.thorough), *(slow(one) for one in WALKED)]
)
def test_the_walk_finds_the_same_values(solved, name, metric):
    tables = solved(name, metric)
    material = Material.from_name(name, CHECKS)
    report = check_table(tables[material], {one: tables[one] for one in material.dependencies()})
    assert report.passed, report.differences
