"""Files of regions that were edited, or made to do harm: refused before they cost anything."""

import h5py
import numpy as np
import pytest

from tablebase.core.ground.errors import CorruptTableError
from tablebase.core.storage.atomic import complete_or_absent
from tablebase.core.storage.writing import create_dataset, create_file, write_attributes
from tablebase.solve import region_file
from tablebase.solve.region_file import EXACT, FROM_TABLE, RegionFile, RegionHeader, write_region

FEN = "8/8/8/8/k7/8/P7/K7 w - - 0 1"
PAWN_A2, ROOK = 1 << 8, 1 << 4
# Bare kings, a pawn, a pawn and a rook.
KEYS = [(0, 0, 0), (PAWN_A2, 0, 0), (PAWN_A2, 0, ROOK)]


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "some.region"
    states = np.array([EXACT | FROM_TABLE, EXACT, EXACT], dtype=np.uint8)
    keys = np.array(KEYS, dtype=np.uint64)
    header = RegionHeader(fen=FEN, few=True, tables=("KPK",), keys=keys, states=states)
    write_region(path, header, [np.zeros(header.starts[-1], dtype=np.uint64)])
    return path


def edit(path, name, change):
    """Change a data set; its checksums become right again."""
    with h5py.File(path, "r+") as file:
        data = file["region"][name]
        data[:] = change(data[:])


def edit_attribute(path, name, value):
    with h5py.File(path, "r+") as file:
        del file.attrs[name]
        write_attributes(file, {name: value})


def test_a_region_is_read(path):
    with RegionFile(path) as file:
        assert file.header.fen == FEN
        assert file.header.tables == ("KPK",)
        assert file.header.keys.tolist() == [list(key) for key in KEYS]
        assert [file.find(*key) for key in KEYS] == [0, 1, 2]


@pytest.mark.parametrize(("key", "reason"), [
    ((1, 0, 0), "first or last rank"),
    ((0, 1 << 60, 0), "first or last rank"),
    ((PAWN_A2, PAWN_A2, 0), "on one square"),
    ((0x1FF00, 0, 0), "too many pawns"),
    ((PAWN_A2, 0, 1 << 32), "unknown piece"),
    ((PAWN_A2, 0, 0x1111), "too many pieces"),
    ((PAWN_A2, 0, 0xF000_0000), "too many pieces"),
    (KEYS[2], "not in order"),
    ((0, 0, ROOK), "not in order"),
])  # fmt: skip
def test_keys_that_are_none(path, key, reason):
    def change(data):
        keys = data.view("<u8").reshape(-1, 3).copy()
        keys[1:] = key, KEYS[2]
        if key == (0, 0, ROOK):
            keys[:2] = key, KEYS[0]
        return keys.view(np.uint8).ravel()

    edit(path, "keys", change)
    with pytest.raises(CorruptTableError, match=reason):
        RegionFile(path)


@pytest.mark.parametrize("state", [0, 3, 64, 16, 1 | 16 | 32, EXACT | 16, EXACT | FROM_TABLE | 4])
def test_states_that_are_none(path, state):
    edit(path, "states", lambda data: np.full_like(data, state))
    with pytest.raises(CorruptTableError, match="state is unknown"):
        RegionFile(path)


@pytest.mark.parametrize(("name", "value"), [
    ("fen", "\x1b[31m8/8/8/8/k7/8/P7/K7 w - - 0 1"),
    ("fen", "8/8/8/8/k7/8/P7/K7 w - - 0 1\n"),
    ("tables", "KPK \x1b[2J"),
    ("tables", "KPX"),
    ("structures", 0),
    ("structures", -1),
    ("structures", 2),
    ("structures", 4),
    ("structures", "three"),
    ("format_version", 2),
])  # fmt: skip
def test_attributes_that_are_none(path, name, value):
    edit_attribute(path, name, value)
    with pytest.raises(CorruptTableError, match=r"some\.region is damaged or not a table"):
        RegionFile(path)


def hollow_region(path, count, keys=b""):
    """Write a small file that claims to hold many structures, with no chunk but some of keys."""
    sizes = {"keys": 24 * count, "states": count, "bounds": 2048 * count}
    with complete_or_absent(path) as new, create_file(new) as file:
        for name, size in sizes.items():
            create_dataset(file, "region", name, size, min(size, 1 << 17))
        if keys:
            file["region"]["keys"][: len(keys)] = np.frombuffer(keys, dtype=np.uint8)
        attributes = {"format": region_file.FORMAT, "format_version": region_file.FORMAT_VERSION}
        attributes |= {"fen": FEN, "structures": count, "few_promotions": 1, "tables": "-"}
        write_attributes(file, attributes)


@pytest.mark.parametrize(("count", "reason"), [
    (10**8, "there are not 100000000 structures"),
    # No more than the size of the file allows for.
    (500, "some keys are missing"),
])  # fmt: skip
def test_what_is_not_there_is_not_read(path, monkeypatch, count, reason):
    hollow_region(path, count)
    assert 1000 < path.stat().st_size < 8000
    monkeypatch.setattr(h5py.Dataset, "__getitem__", lambda *_: pytest.fail("it is read"))
    with pytest.raises(CorruptTableError, match=reason):
        RegionFile(path)


def test_no_key_is_read_after_one_out_of_order(path, monkeypatch):
    read, original = [], h5py.Dataset.__getitem__
    monkeypatch.setattr(region_file, "_PART", 100)
    monkeypatch.setattr(
        h5py.Dataset, "__getitem__", lambda self, given: read.append(given) or original(self, given)
    )
    count = 1000
    hollow_region(path, count, np.zeros(3 * count, dtype=np.uint64).tobytes())
    path.write_bytes(path.read_bytes() + bytes(2 * count))  # as large as it must be
    with pytest.raises(CorruptTableError, match="not in order"):
        RegionFile(path)
    assert read == [slice(0, 2400)]
