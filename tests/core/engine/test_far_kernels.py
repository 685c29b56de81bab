"""The engine's far kernels: each is known by one name, and is linked once."""

import pytest

from tablebase.core.engine.driver import solve
from tablebase.core.engine.far_kernels import FAR
from tablebase.core.jit.kernels import IS_PLAIN
from tablebase.core.rules.material import Material


@pytest.mark.skipif(IS_PLAIN, reason="plain kernels need no table")
def test_solving_links_all():
    for _ in range(2):
        solve(Material.from_name("KK"), {})
    names = [far.name for far in FAR._kernels]
    assert len(set(names)) == len(names)
    assert all(far.result is not None for far in FAR._kernels)
