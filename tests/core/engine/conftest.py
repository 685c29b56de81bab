"""What tests of the engine share."""

import pytest
from support.lookup import LONG_CODES, noise_table

from tablebase.core.engine import values
from tablebase.core.engine.driver import solve
from tablebase.core.rules.material import Material, generation_order


@pytest.fixture(scope="module")
def solve_with_parts():
    """Return what solves an ending by name, rules and metric, sub-tables once; all so far."""
    tables = {}

    def solve_name(name, rules, metric):
        known = tables.setdefault((metric, rules), {})
        for one in generation_order([Material.from_name(name, rules)]):
            if one not in known:
                needed = {other: known[other] for other in one.dependencies()}
                known[one] = solve(one, needed, metric=metric, threads=1)
        return known

    return solve_name


@pytest.fixture
def long_noise(monkeypatch):
    """Return what solves a material on noise of up to 762 plies: the table, and its sub-tables."""
    monkeypatch.setattr(values, "SHORT_MEN", {})

    def solved_on_noise(material):
        subtables = {
            needed: noise_table(needed, seed, known=LONG_CODES)
            for seed, needed in enumerate(material.dependencies())
        }
        return solve(material, subtables, threads=2), subtables

    return solved_on_noise
