"""All cases of a test, of which ordinary runs take a few."""

import pytest


def slow(*row):
    """Return the values of a case that `make test-all` alone runs."""
    return pytest.param(*row, marks=pytest.mark.slow)


def thorough(*row):
    """Return the values of a case that takes a second or so; another one stands for it."""
    return pytest.param(*row, marks=pytest.mark.thorough)


def few(cases, *kept, others=slow):
    """Return the cases of a test of one value, `slow` or `thorough` but for those that are kept."""
    return [case if case in kept else others(case) for case in cases]
