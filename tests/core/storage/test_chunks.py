"""Chunks: HDF5's checksum, and bytes that come back or are refused."""

import random

import deflate
import h5py
import numpy as np
import pytest

from tablebase.core.storage.chunks import fletcher32, pack, unpack


def test_checksum_is_that_of_hdf5():
    # A chunk that h5py itself compressed and summed.
    rng = random.Random(32)
    for size in (1, 2, 3, 717, 719, 721, 722, 16_384):
        data = rng.randbytes(size)
        with h5py.File("memory", "w", driver="core", backing_store=False) as file:
            dataset = file.create_dataset(
                "x", data=np.frombuffer(data, np.uint8), chunks=(size,), fletcher32=True
            )
            _, stored = dataset.id.read_direct_chunk((0,))
        assert fletcher32(data) == int.from_bytes(stored[-4:], "little")
    assert fletcher32(bytes(8)) == 0


@pytest.mark.parametrize("level", [1, 5, 10, 12])
@pytest.mark.parametrize("size", [1, 999, 1000])
def test_codes_come_back(level, size):
    codes = np.random.default_rng(size).integers(0, 9, size, dtype=np.uint8)
    data = unpack(pack(codes, 1000, level), 1000)
    assert data[:size] == codes.tobytes()
    assert data[size:] == codes[-1:].tobytes() * (1000 - size)


def test_damage_is_noticed():
    codes = np.random.default_rng(1).integers(0, 9, 5000, dtype=np.uint8)
    good = pack(codes, 5000, 5)
    for place in range(0, len(good), 7):
        bad = bytearray(good)
        bad[place] ^= 0x10
        with pytest.raises((ValueError, deflate.DeflateError)):
            unpack(bytes(bad), 5000)
    for size in (4999, 5001):
        with pytest.raises((ValueError, deflate.DeflateError)):
            unpack(good, size)
