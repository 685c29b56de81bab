"""Records: kernels read them like named tuples."""

from typing import NamedTuple

import numpy as np
import pytest

from tablebase.core.jit.kernels import entry, kernel
from tablebase.core.jit.records import KernelRecord


class Inner(NamedTuple):
    weights: np.ndarray
    bias: int


class Outer(NamedTuple):
    grid: np.ndarray
    inner: KernelRecord
    name: int


@entry
def read_record(record, i, j):
    return record.grid[i, j] * record.inner.weights[j] + record.inner.bias + record.name


@kernel
def write_record(record, i, j, value):
    record.grid[i, j] = value


@pytest.fixture
def record():
    grid = np.arange(12, dtype=np.int64).reshape(3, 4)
    inner = KernelRecord(Inner(np.array([10, 100, 1000, 10000], dtype=np.int64), 7))
    return KernelRecord(Outer(grid, inner, 3))


def test_records_are_read_like_tuples(record):
    for i in range(3):
        for j in range(4):
            assert read_record(record, i, j) == (4 * i + j) * 10 ** (j + 1) + 10


def test_arrays_of_records_are_shared(record):
    write_record(record, 2, 1, 99)
    assert record.fields.grid[2, 1] == 99
    assert read_record(record, 2, 1) == 9910


def test_records_of_other_shapes_need_no_new_kernel(record):
    read_record(record, 0, 0)
    count = len(read_record.dispatcher.signatures)
    other = KernelRecord(
        Outer(
            np.ones((9, 9), dtype=np.int64), KernelRecord(Inner(np.ones(9, dtype=np.int64), 0)), 0
        )
    )
    assert read_record(other, 8, 8) == 1
    assert len(read_record.dispatcher.signatures) == count


class Method(NamedTuple):
    """How two numbers are joined."""

    join: object
    first: int


@kernel
def add(one, other):
    return one + other


@kernel
def multiply(one, other):
    return one * other


@entry
def join_with(method, other):
    return method.join(method.first, other)


def test_kernels_in_records_are_called_by_what_gets_them():
    adding, multiplying = (KernelRecord(Method(one, 6)) for one in (add, multiply))
    assert [join_with(one, 7) for one in (adding, multiplying, adding)] == [13, 42, 13]
    assert adding.numba_type == KernelRecord(Method(add, 1)).numba_type != multiplying.numba_type
    assert len(join_with.dispatcher.signatures) == 2


def test_arrays_of_more_dimensions_are_laid_out_as_numba_does():
    cube = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)

    class Cube(NamedTuple):
        cube: np.ndarray

    @kernel
    def corner(record):
        return record.cube[1, 2, 3], record.cube.shape

    assert corner(KernelRecord(Cube(cube))) == (23, (2, 3, 4))
