"""Moves out of a slice: whole tables on top of noise."""

import pytest
from support.lookup import noise_table

from tablebase.board.material import Material
from tablebase.checking.verify import check_table
from tablebase.engine.solver import solve


@pytest.mark.parametrize("name", [
    *("KPK", "KRKN", "KPKP"),
    *(pytest.param(name, marks=pytest.mark.slow)
      for name in ("KNNK", "KQKP", "KBPK", "KPPK", "KNKP")),
])  # fmt: skip
def test_whatever_the_subtables_say_counts(name):
    """On sub-tables of noise every capture and promotion has a value of its own."""
    material = Material.from_name(name)
    subtables = {m: noise_table(m, n) for n, m in enumerate(material.dependencies())}
    table = solve(material, subtables)
    report = check_table(table, subtables)
    assert report.passed, report.differences


@pytest.mark.parametrize(
    "name",
    [
        *("KPK", "KPKP", "KRKN"),
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("KQKP", "KPPK", "KNKP")),
    ],
)
def test_whatever_the_subtables_say_counts_in_every_epoch(name, long_noise):
    table, subtables = long_noise(Material.from_name(name))
    assert table.white.itemsize > 1
    report = check_table(table, subtables)
    assert report.passed, report.differences
