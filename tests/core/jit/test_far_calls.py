"""Far calls: kernels called by name, with the arguments that they were compiled for."""

import numpy as np
import pytest
from numba import TypingError, types

from tablebase.core.jit import FarTable, entry, kernel
from tablebase.core.jit.kernels import IS_PLAIN

TABLE = FarTable()
NUMBERS = types.Array(types.int64, 1, "C")


@entry
def scaled_sum(values, factor):
    total = np.int64(0)
    for value in values:
        total += value * factor
    return total


far_scaled_sum = TABLE.entry(scaled_sum, "values", types.int64)


@entry
def twice_scaled_sum(values, factor):
    return 2 * far_scaled_sum(values, factor)


far_twice_scaled_sum = TABLE.entry(twice_scaled_sum, "values", types.int64)


@kernel
def call_far(values, factor):
    return far_twice_scaled_sum(values, factor) + far_scaled_sum(values, 7) + 1


def test_far_calls_reach_their_kernels():
    for _ in range(2):
        TABLE.link(values=NUMBERS)
        assert call_far(np.arange(5), 3) == 60 + 70 + 1


@pytest.mark.skipif(IS_PLAIN, reason="plain kernels are compiled for any types")
def test_arguments_of_other_types_are_refused():
    TABLE.link(values=NUMBERS)
    with pytest.raises(TypingError, match="scaled_sum takes"):
        call_far(np.arange(5, dtype=np.uint8), 3)
    assert call_far(np.arange(5), np.uint8(3)) == 131  # that is an integer, too


@pytest.mark.skipif(IS_PLAIN, reason="plain kernels need no table")
def test_a_table_is_linked_first_and_for_the_same_types():
    table = FarTable()
    far = table.entry(scaled_sum, "values", types.int64)

    @kernel
    def calling(values):
        return far(values, 1)

    with pytest.raises(TypingError, match="scaled_sum is called, but its table is not linked"):
        calling(np.arange(5))
    table.link(values=NUMBERS)
    with pytest.raises(TypeError, match="is linked for"):
        table.link(values=types.Array(types.uint8, 1, "C"))
