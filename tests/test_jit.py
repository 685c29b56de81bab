"""The face of what has to do with numba."""

from tablebase import _jit


def test_it_has_what_kernels_are_made_with():
    assert all(hasattr(_jit, name) for name in _jit.__all__)
    assert sorted(_jit.__all__) == _jit.__all__
