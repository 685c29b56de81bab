"""The face of what has to do with numba."""

from tablebase.core import jit


def test_it_has_what_kernels_are_made_with():
    assert all(hasattr(jit, name) for name in jit.__all__)
    assert sorted(jit.__all__) == jit.__all__
