"""What all tests of the server use."""

import pytest


@pytest.fixture(scope="module", autouse=True)
def _at_leisure(unhurried_server, looked_through_once):
    pass
