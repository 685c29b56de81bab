"""Data sets: whole chunks, read by many threads at once."""

import sys
from concurrent.futures import ThreadPoolExecutor

import h5py
import numpy as np
import pytest

from tablebase.core.storage.datasets import read_packed, write_packed


@pytest.fixture
def fast_switches():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("fast_switches")
def test_chunks_are_written_and_read_by_many_threads(tmp_path):
    places = range(0, 20_000, 100)
    values = np.arange(20_000) % 251
    with h5py.File(tmp_path / "chunks.h5", "w") as file, ThreadPoolExecutor(4) as pool:
        dataset = file.create_dataset("codes", 20_000, "u1", chunks=100).id

        def write(place):
            write_packed(dataset, place, bytes(values[place : place + 100].tolist()))

        def read(place):
            return list(read_packed(dataset, place))

        list(pool.map(write, places))
        for _ in range(5):
            found = np.concatenate(list(pool.map(read, places)))
            assert np.array_equal(found, values)
