"""Endings solved once for all tests of a module."""

import pytest

from tablebase.core.engine.driver import solve
from tablebase.core.rules.material import Material, generation_order

_MOST_BYTES = 2 << 30


@pytest.fixture(scope="module")
def solve_with_parts():
    """Return what solves an ending by name, rules and metric, and gives it with its sub-tables.

    What has been solved is kept for other endings, but forgotten once it is large.
    """
    tables = {}

    def solve_name(name, rules, metric):
        order = generation_order([Material.from_name(name, rules)])
        if tables.get((metric, rules), {}).keys() >= {*order}:
            return tables[metric, rules]
        held = [table for known in tables.values() for table in known.values()]
        if sum(len(codes) for table in held for codes in table.codes) > _MOST_BYTES:
            tables.clear()
        known = tables.setdefault((metric, rules), {})
        for one in order:
            if one not in known:
                needed = {other: known[other] for other in one.dependencies()}
                known[one] = solve(one, needed, metric=metric, threads=1)
        return known

    return solve_name
