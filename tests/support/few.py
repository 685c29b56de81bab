"""All cases of a test, of which ordinary runs take a few."""

import pytest


def few(cases, *kept):
    """Return the cases of a test; those that are not kept run in `make test-all`."""
    return [case if case in kept else pytest.param(case, marks=pytest.mark.slow) for case in cases]
