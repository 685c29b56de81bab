"""All cases of a test, of which ordinary runs take a few."""

import pytest


def slow(*row):
    """Return the values of a case that `make test-all` alone runs."""
    return pytest.param(*row, marks=pytest.mark.slow)


def few(cases, *kept):
    """Return the cases of a test of one value, `slow` ones but for those that are kept."""
    return [case if case in kept else slow(case) for case in cases]
