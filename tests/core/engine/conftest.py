"""What tests of the engine share."""

import pytest
from support.lookup import LONG_CODES, noise_table
from support.solving import solve_with_parts  # noqa: F401

from tablebase.core.engine.driver import solve
from tablebase.core.engine.sets import values


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
