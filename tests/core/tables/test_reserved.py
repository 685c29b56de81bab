"""Bytes that take memory only where they are written to."""

import mmap
import sys

import numpy as np
import pytest

from tablebase.core.tables.reserved import Reserved

PAGE = mmap.PAGESIZE


@pytest.mark.parametrize("dense", [False, True])
def test_they_are_zeros_until_they_are_written_and_once_they_are_released(dense):
    reserved = Reserved(10 * PAGE + 5, dense=dense)
    assert reserved.bytes.shape == (10 * PAGE + 5,)
    assert not reserved.bytes.any()
    reserved.bytes[:] = 1
    reserved.release(PAGE + 1, 4 * PAGE + 1)
    if sys.platform == "linux":
        kept = np.ones(10 * PAGE + 5, dtype=np.uint8)
        kept[2 * PAGE : 4 * PAGE] = 0
        assert np.array_equal(reserved.bytes, kept)
    reserved.release(5, 6)
    assert reserved.bytes[5] == 1


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere memory may be promised at once")
def test_they_may_be_more_than_there_is_memory():
    reserved = Reserved(1 << 44)
    reserved.bytes[-1] = 7
    assert reserved.bytes[-1] == 7
