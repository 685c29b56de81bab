"""Storage: what is written is read back, and a file that lies is refused."""

import random

import h5py
import numpy as np
import pytest
from made_up import made_up_table

from tablebase.chunks import fletcher32
from tablebase.errors import CorruptTableError, MissingTableError
from tablebase.geometry import Color
from tablebase.index import slot_count
from tablebase.legality import is_legal, mark_slots
from tablebase.material import Material
from tablebase.storage import FORMAT_VERSION, open_table, read_table
from tablebase.writing import write_table


@pytest.fixture(scope="module")
def table():
    return made_up_table("KRK")


@pytest.fixture(scope="module")
def folder(tmp_path_factory, table):
    folder = tmp_path_factory.mktemp("tables")
    write_table(table, folder / "KRK.h5", subtables={"KK": "0" * 64})
    return folder


@pytest.fixture(scope="module")
def content(folder):
    return (folder / "KRK.h5").read_bytes()


def read_values(path):
    """Return all codes, read by chunks as the probe does."""
    with open_table(path) as file:
        return [
            np.concatenate([file.chunk(color, n) for n in range(file.chunk_count)])
            for color in Color
        ]


@pytest.fixture(scope="module")
def values(folder):
    """Give the stored values of both sides to move, as h5py reads them."""
    with h5py.File(folder / "KRK.h5") as file:
        return [file[f"{side}/dtm"][:] for side in ("white_to_move", "black_to_move")]


def refused_or_right(path, values):
    try:
        found = read_values(path)
    except CorruptTableError as error:
        return str(path) in str(error)
    assert all(map(np.array_equal, found, values))
    return False


def test_read_back(folder, table, values):
    found = read_table(folder / "KRK.h5")
    assert found.material == table.material
    marks = mark_slots(table.index)
    for color in Color:
        legal = is_legal(marks, color)
        assert np.array_equal(found.codes[color][legal], table.codes[color][legal])
    assert not found.white.flags.writeable
    assert all(map(np.array_equal, read_values(folder / "KRK.h5"), values))


def test_rows_are_read_alone(folder, table):
    rows = np.zeros(table.index.ranks, dtype=np.bool_)
    rows[[3, 17, 60]] = True
    marked = np.repeat(rows, table.index.king_pairs)
    whole = read_table(folder / "KRK.h5")
    with open_table(folder / "KRK.h5") as file:
        for color in Color:
            codes = file.codes(color, rows=rows)
            assert np.array_equal(codes[marked], whole.codes[color][marked])
            assert not codes[~marked].any()


def test_attributes(folder):
    with open_table(folder / "KRK.h5") as file:
        assert file.attributes["subtables"] == {"KK": "0" * 64}
        assert file.attributes["sha256"] == file.sha256
        assert file.attributes["format_version"] == FORMAT_VERSION
        assert file.attributes["counts"]["black_to_move"]["illegal"] == 0


def test_closing_twice_is_fine(folder):
    file = open_table(folder / "KRK.h5")
    file.close()
    file.close()
    with pytest.raises(ValueError, match="closed"):
        file.chunk(Color.WHITE, 0)


def test_missing_file(tmp_path):
    with pytest.raises(MissingTableError, match=r"KQK\.h5"):
        open_table(tmp_path / "KQK.h5")


@pytest.mark.parametrize("part", range(32))
def test_truncation(tmp_path, content, part):
    path = tmp_path / "KRK.h5"
    path.write_bytes(content[: len(content) * part // 32])
    with pytest.raises(CorruptTableError, match=r"KRK\.h5"):
        open_table(path)


def test_flipped_bytes(tmp_path, content, values):
    path = tmp_path / "KRK.h5"
    rng = random.Random(500)
    refused = 0
    for _ in range(500):
        damaged = bytearray(content)
        damaged[rng.randrange(len(content))] ^= rng.randrange(1, 256)
        path.write_bytes(damaged)
        refused += refused_or_right(path, values)
    assert refused > 400


@pytest.mark.slow
def test_every_byte_of_the_metadata(tmp_path, content, values):
    path = tmp_path / "KRK.h5"
    for place in (*range(4096), *range(len(content) - 4096, len(content))):
        damaged = bytearray(content)
        damaged[place] ^= 1 << place % 8
        path.write_bytes(damaged)
        refused_or_right(path, values)


def change_values(file, **options):
    size = file["white_to_move/dtm"].shape[0]
    del file["white_to_move/dtm"]
    arguments = {
        "shape": (size,),
        "dtype": "u1",
        "chunks": (size,),
        "compression": "gzip",
        "fletcher32": True,
    }
    arguments |= options
    file.create_dataset(
        "white_to_move/dtm", **{k: v for k, v in arguments.items() if v is not None}
    )


def point_outside(file):
    del file["white_to_move/dtm"]
    file["white_to_move/dtm"] = h5py.ExternalLink("other.h5", "/dtm")


def point_to_another_side(file):
    del file["white_to_move/dtm"]
    file["white_to_move/dtm"] = h5py.SoftLink("/black_to_move/dtm")


def make_virtual(file):
    size = file["white_to_move/dtm"].shape[0]
    del file["white_to_move/dtm"]
    layout = h5py.VirtualLayout((size,), "u1")
    layout[:] = h5py.VirtualSource("other.h5", "dtm", (size,))
    file.create_virtual_dataset("white_to_move/dtm", layout)


def lie_outside(file):
    size = file["white_to_move/dtm"].shape[0]
    del file["white_to_move/dtm"]
    file.create_dataset("white_to_move/dtm", (size,), "u1", external=[("other", 0, size)])


def swap_sides(file):
    file.move("white_to_move", "x")


HOSTILE = {
    "version": lambda file: file.attrs.modify("format_version", 1),
    "format": lambda file: file.attrs.create("format", np.bytes_(b"another")),
    "no material": lambda file: file.attrs.pop("material"),
    "material of another size": lambda file: file.attrs.create("material", np.bytes_(b"KRNK")),
    "impossible material": lambda file: file.attrs.create("material", np.bytes_(b"KXK")),
    "side not normalized": lambda file: file.attrs.create("material", np.bytes_(b"KKR")),
    "metric": lambda file: file.attrs.create("metric", np.bytes_(b"dtz")),
    "array as attribute": lambda file: file.attrs.create("material", [1, 2]),
    "long text": lambda file: file.attrs.create("material", "K" * 1000),
    "huge": lambda file: change_values(file, shape=(1 << 50,)),
    "too short": lambda file: change_values(file, shape=(29_567,), chunks=(29_567,)),
    "two dimensions": lambda file: change_values(file, shape=(64, 462), chunks=(64, 256)),
    "wider type": lambda file: change_values(file, dtype="u2"),
    "signed": lambda file: change_values(file, dtype="i1"),
    "not compressed": lambda file: change_values(file, compression=None),
    "without checksum": lambda file: change_values(file, fletcher32=None),
    "other filter": lambda file: change_values(file, shuffle=True),
    "other chunks on one side": lambda file: change_values(file, chunks=(16_384,)),
    "never written": change_values,
    "external link": point_outside,
    "soft link": point_to_another_side,
    "virtual": make_virtual,
    "external storage": lie_outside,
    "a side is missing": swap_sides,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files(tmp_path, content, name):
    path = tmp_path / "KRK.h5"
    path.write_bytes(content)
    with h5py.File(path, "r+") as file:
        HOSTILE[name](file)
    with pytest.raises(CorruptTableError, match=r"KRK\.h5"):
        read_values(path)


def test_chunks_of_any_size(tmp_path, content, values):
    path = tmp_path / "KRK.h5"
    path.write_bytes(content)
    with h5py.File(path, "r+") as file:
        for side in ("white_to_move", "black_to_move"):
            stored = file[f"{side}/dtm"][:]
            del file[f"{side}/dtm"]
            options = {"chunks": (5000,), "compression": "gzip", "fletcher32": True}
            file.create_dataset(f"{side}/dtm", data=stored, **options)
    assert all(map(np.array_equal, read_values(path), values))
    assert read_table(path).material == Material.from_name("KRK")


CHUNK_OF_KRK = slot_count(Material.from_name("KRK"))


def bomb(size):
    import zlib

    data = zlib.compress(bytes(size), 9)
    return data + fletcher32(data).to_bytes(4, "little")


@pytest.mark.parametrize(
    "chunk",
    [b"1234", b"x" * 100, bomb(1 << 24), bomb(CHUNK_OF_KRK - 1), bomb(CHUNK_OF_KRK + 1)],
    ids=["checksum only", "noise", "bomb", "short", "long"],
)
def test_hostile_chunks(tmp_path, content, chunk):
    path = tmp_path / "KRK.h5"
    path.write_bytes(content)
    with h5py.File(path, "r+") as file:
        file["white_to_move/dtm"].id.write_direct_chunk((0,), chunk)
    with pytest.raises(CorruptTableError, match=r"KRK\.h5"):
        read_values(path)


def test_values_that_do_not_have_their_digest(tmp_path, content):
    path = tmp_path / "KRK.h5"
    path.write_bytes(content)
    with h5py.File(path, "r+") as file:
        file["white_to_move/dtm"][5] = 200
    with pytest.raises(CorruptTableError, match="SHA-256"):
        read_table(path)


@pytest.mark.parametrize("foreign", [b"", b"text\n" * 100, bytes(4096), b"\x89HDF\r\n\x1a\n"])
def test_foreign_files(tmp_path, foreign):
    path = tmp_path / "KRK.h5"
    path.write_bytes(foreign)
    with pytest.raises(CorruptTableError, match=r"KRK\.h5"):
        open_table(path)


def test_a_folder_is_no_table(tmp_path):
    (tmp_path / "KRK.h5").mkdir()
    with pytest.raises(CorruptTableError, match=r"KRK\.h5"):
        open_table(tmp_path / "KRK.h5")
