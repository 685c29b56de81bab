"""Memory: where arrays begin, and which of them lie in spare memory."""

import numpy as np
import pytest

from tablebase.core.engine.plies.arrays import CACHE_LINE, Memory

SHAPES = [((3,), np.uint8), ((2, 5, 7), np.uint64), ((1000, 100), np.uint16)]


@pytest.mark.parametrize(("shape", "dtype"), SHAPES)
@pytest.mark.parametrize("room", [0, 10_000_000])
def test_arrays_begin_with_a_cache_line(shape, dtype, room):
    memory = Memory(np.empty(room, dtype=np.uint8))
    for array in (memory.empty(shape, dtype), memory.zeros(shape, dtype)):
        assert array.shape == shape
        assert array.dtype == dtype
        assert array.ctypes.data % CACHE_LINE == 0
        assert array.flags.c_contiguous
        assert array.flags.writeable
    assert not memory.zeros(shape, dtype).any()


def test_spare_memory_is_used_as_far_as_it_goes_and_never_twice():
    spare = [np.full(1000, 7, dtype=np.uint8), np.full(4900, 7, dtype=np.uint8)]
    memory = Memory(*spare)
    arrays = [memory.empty((100,), np.uint64) for _ in range(10)]
    inside = [any(np.shares_memory(array, part) for part in spare) for array in arrays]
    assert inside == [True] * 6 + [False] * 4  # one array in the first part, five in the second
    for number, array in enumerate(arrays):
        array[:] = number
    assert all((array == number).all() for number, array in enumerate(arrays))
