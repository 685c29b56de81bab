"""Writing: what any HDF5 library reads, digests, and failures that leave nothing."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest
from support.made_up import made_up_table

from tablebase import open_tablebase
from tablebase.core.board.geometry import Color
from tablebase.core.index.legality import is_legal, mark_slots
from tablebase.core.index.numbering import slot_count
from tablebase.core.outcomes.codes import DRAW
from tablebase.core.outcomes.metrics import METRICS
from tablebase.core.rules.material import Material
from tablebase.core.storage.order import slot_order
from tablebase.core.storage.reading import open_table, read_table
from tablebase.core.storage.writing import write_table
from tablebase.core.tables.table import Table


@pytest.fixture(scope="module")
def table():
    return made_up_table("KRK")


def in_file_order(table, codes):
    """Return codes by slot, with the groups of one square of the black king one after the other."""
    rows = codes.reshape(table.index.ranks, table.index.king_pairs)
    groups = np.split(rows, slot_order(table.material).first[1:-1], axis=1)
    return np.concatenate([group.ravel() for group in groups])


@pytest.mark.parametrize("threads", [1, 2])
def test_any_hdf5_library_reads_it(tmp_path, table, threads):
    path = tmp_path / "KRK.h5"
    digest = write_table(table, path, threads=threads)
    with h5py.File(path) as file:
        for color, side in zip(Color, ("white_to_move", "black_to_move"), strict=True):
            legal = in_file_order(table, is_legal(mark_slots(table.index), color))
            expected = in_file_order(table, table.codes[color])
            assert np.array_equal(file[f"{side}/dtm"][:][legal], expected[legal])
        assert file["white_to_move/dtm"].chunks == (min(65_536, table.index.size),)
        assert file["white_to_move/dtm"].compression == "gzip"
        assert file["white_to_move/dtm"].fletcher32
        assert file.attrs["sha256"].decode() == digest
        assert file.attrs["material"].decode() == "KRK"
        assert json.loads(file.attrs["counts"])["white_to_move"]["illegal"] == 48776


def test_digest_is_that_of_the_values(tmp_path, table):
    path = tmp_path / "KRK.h5"
    first = write_table(table, path)
    with h5py.File(path) as file:
        values = [file[f"{side}/dtm"][:].tobytes() for side in ("white_to_move", "black_to_move")]
    assert first == hashlib.sha256(b"".join(values)).hexdigest()
    assert write_table(table, path) == first
    changed = table.white.copy()
    changed[np.argmax(is_legal(mark_slots(table.index), Color.WHITE))] ^= 1
    assert write_table(Table(table.material, changed, table.black), path) != first


def test_equal_sides_are_stored_once(tmp_path):
    material = Material.from_name("KNKN")
    codes = np.full(slot_count(material), DRAW, dtype=np.uint8)
    path = tmp_path / "KNKN.h5"
    write_table(Table(material, codes, codes), path)
    with open_table(path) as file:
        assert file.side_stored(Color.WHITE)
        assert not file.side_stored(Color.BLACK)
    assert np.array_equal(read_table(path).black, codes)
    with h5py.File(path) as file:
        assert set(file) == {"white_to_move"}


@pytest.mark.parametrize("call", ["fsync", "replace", "write"])
def test_a_failed_write_leaves_nothing(tmp_path, table, monkeypatch, call):
    def fail(*_):
        raise OSError(28, "No space left on device")

    if call == "fsync":
        monkeypatch.setattr(os, "fsync", fail)
    elif call == "replace":
        monkeypatch.setattr(type(tmp_path), "replace", fail)
    else:
        monkeypatch.setattr("tablebase.core.storage.writing._write_codes", fail)
    with pytest.raises(OSError, match="No space"):
        write_table(table, tmp_path / "KRK.h5")
    assert not list(tmp_path.iterdir())


def test_a_file_with_the_same_content_stays(tmp_path, table):
    path = tmp_path / "KRK.h5"
    write_table(table, path)
    before = path.read_bytes(), path.stat().st_ino
    write_table(table, path)
    assert (path.read_bytes(), path.stat().st_ino) == before
    assert [one.name for one in tmp_path.iterdir()] == ["KRK.h5"]
    write_table(table, path, subtables={"KK": "0" * 64})
    assert path.stat().st_ino != before[1]
    with open_table(path) as file:
        assert file.attributes["subtables"] == {"KK": "0" * 64}


def test_a_damaged_file_with_the_same_attributes_is_replaced(tmp_path, table):
    path = tmp_path / "KRK.h5"
    write_table(table, path)
    sound = path.read_bytes()
    with open_table(path) as file:
        place = file.chunks.dataset(0, "dtm").get_chunk_info(0).byte_offset
    damaged = bytearray(sound)
    damaged[place + 9] ^= 4
    path.write_bytes(damaged)
    write_table(table, path)
    assert read_table(path).white is not None


def test_a_failed_write_keeps_what_was_there(tmp_path, table, monkeypatch):
    content = b"what was there"
    (tmp_path / "KRK.h5").write_bytes(content)

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("tablebase.core.storage.writing._write_codes", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_table(table, tmp_path / "KRK.h5")
    assert [path.name for path in tmp_path.iterdir()] == ["KRK.h5"]
    assert (tmp_path / "KRK.h5").read_bytes() == content


def test_a_file_can_be_read_as_soon_as_it_has_its_name(tmp_path, monkeypatch):
    read = []
    replace = Path.replace

    def replace_and_read(partial, path):
        replace(partial, path)
        with open_table(path) as file:
            file.check()
        read.append(path.name)

    monkeypatch.setattr(Path, "replace", replace_and_read)
    for metric in METRICS:
        write_table(read_table("data/KK.h5", metric), tmp_path / "KK.h5")
    assert read == ["KK.h5", "KK.h5"]


def test_locks_of_hdf5_are_named_if_they_are_in_the_way(tmp_path):
    code = (
        "from tablebase.core.storage.reading import read_table\n"
        "from tablebase.core.storage.writing import write_table\n"
        f"write_table(read_table('data/KK.h5'), {str(tmp_path / 'KK.h5')!r})"
    )
    environment = {**os.environ, "HDF5_USE_FILE_LOCKING": "TRUE"}
    result = subprocess.run(
        [sys.executable, "-c", code], check=False, capture_output=True, text=True, env=environment
    )
    if result.returncode:  # where there are locks
        assert "HDF5_USE_FILE_LOCKING" in result.stderr.splitlines()[-1]
        assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("chunk_size", [1 << 18, 1 << 20])
def test_files_with_larger_chunks_are_read(tmp_path, monkeypatch, chunk_size):
    table = read_table("data/KRNK.h5")
    monkeypatch.setattr("tablebase.core.storage.writing.CHUNK_SIZE", chunk_size)
    path = tmp_path / "KRNK.h5"
    write_table(table, path)
    with open_table(path) as file:
        assert file.chunk_size == chunk_size
    again = read_table(path)
    for color in Color:
        legal = is_legal(mark_slots(table.index), color)
        assert np.array_equal(again.codes[color][legal], table.codes[color][legal])
    slots = np.random.default_rng(7).choice(np.flatnonzero(legal), 500, replace=False)
    squares = table.index.decode_many(slots)[0]
    probed = []
    for folder in ("data", tmp_path):
        with open_tablebase(folder) as tablebase:
            plies, valid = tablebase.probe_dtm_many(squares, "KRNK", turn=False)
        assert valid.all()
        probed.append(plies)
    assert np.array_equal(*probed)
