"""How kernels are compiled: which become machine code, and what compiling leaves as it was."""

import numpy as np
import pytest
from numba import TypingError, njit
from numba.core.caching import NullCache

from tablebase.core.jit.instructions import work_space
from tablebase.core.jit.kernels import entry, hot_entry, hot_kernel, kernel


@kernel
def smaller(one, other):
    return min(other, one)


@hot_kernel
def sum_and_least(values):
    total, least = values[0], values[0]
    for i in range(1, len(values)):
        total += values[i]
        least = smaller(least, values[i])
    return total, least


@hot_entry
def spread(values):
    """Return how much more the mean is than the least value."""
    total, least = sum_and_least(values)
    return total / len(values) - least


@entry
def least_of_rows(table, result):
    for row in range(len(table)):
        result[row] = sum_and_least(table[row])[1]


def test_kernels_become_part_of_those_that_call_them():
    assert spread(np.array([2, 3, 7])) == 2
    assert spread(np.array([2.5, 3.5])) == 0.5  # other types are compiled when they come
    result = np.zeros(4, np.int64)
    least_of_rows(np.arange(20).reshape(4, 5), result)
    assert result.tolist() == [0, 5, 10, 15]


def test_python_calls_them_too():
    assert smaller(3, 2) == 2
    assert smaller(3.5, 4.5) == 3.5
    assert sum_and_least(np.array([4, 2])) == (6, 2)
    assert sum_and_least.__name__ == "sum_and_least"


def test_functions_compiled_by_others_call_them():
    @njit
    def twice(one, other):
        return 2 * smaller(one, other)

    assert twice(4, 3) == 6


@pytest.mark.parametrize(
    ("make", "function", "arguments", "is_small"),
    [
        (entry, least_of_rows, (np.ones((1, 1), np.int64), np.zeros(1, np.int64)), True),
        (hot_entry, spread, (np.array([2, 3]),), False),
    ],
)
def test_small_code_is_asked_for(make, function, arguments, is_small):
    compiled = make(function.py_func).dispatcher
    compiled._cache = NullCache()  # of what an earlier run compiled there is no text
    compiled(*arguments)
    texts = compiled.inspect_llvm()
    name = compiled.py_func.__name__
    lines = [
        line
        for text in texts.values()
        for line in text.splitlines()
        if line.startswith("define") and name in line and "cpython" not in line
    ]
    assert lines
    attributes = [line.split("#")[1].split()[0] for line in lines]
    for text, number in zip(texts.values(), attributes, strict=True):
        group = next(line for line in text.splitlines() if f"attributes #{number} =" in line)
        assert ("optsize" in group) == is_small


def test_kernels_do_not_allocate():
    @kernel
    def allocating(size):
        return np.zeros(size)[0]

    with pytest.raises(TypingError, match="zeros"):
        allocating(3)


def test_work_space_does_not_outlive_its_kernel():
    @kernel
    def returning():
        return work_space(8, np.int64)

    with pytest.raises(TypingError, match="returning of array"):
        returning()


def test_errors_name_the_kernel():
    @kernel
    def adding_text(value):
        return value + "text"

    @kernel
    def calling(value):
        return adding_text(value)

    with pytest.raises(TypingError, match="adding_text"):
        calling(3)
