"""Storage: what is written is read back, and a file that lies is refused."""

import errno
import json
import os
import random
import shutil
import subprocess
import sys
from contextlib import contextmanager, suppress
from zlib import crc32

import chess
import h5py
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.made_up import made_up_table
from support.waiting import PATIENCE

from tablebase import open_tablebase
from tablebase.core.board.geometry import Color
from tablebase.core.ground.errors import CorruptTableError, MissingTableError
from tablebase.core.index.legality import is_legal, mark_slots
from tablebase.core.index.numbering import slot_count
from tablebase.core.outcomes.metrics import DTM, DTZ
from tablebase.core.rules.material import Material
from tablebase.core.storage import reading
from tablebase.core.storage.chunks import fletcher32
from tablebase.core.storage.format import CHECKSUM, FORMAT_VERSION, VALUED
from tablebase.core.storage.reading import open_table, read_table
from tablebase.core.storage.writing import write_table
from tablebase.core.tables.table import Table


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
        assert file.attributes["sha256"] == file.sha256_of(DTM)
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


def test_truncation(tmp_path, content):
    path = tmp_path / "KRK.h5"
    for part in range(32):
        path.write_bytes(content[: len(content) * part // 32])
        with pytest.raises(CorruptTableError, match=r"KRK\.h5"):
            open_table(path)


def test_flipped_bytes(tmp_path, content, values):
    path = tmp_path / "KRK.h5"
    rng = random.Random(500)
    refused = 0
    for _ in range(200):
        damaged = bytearray(content)
        damaged[rng.randrange(len(content))] ^= rng.randrange(1, 256)
        path.write_bytes(damaged)
        refused += refused_or_right(path, values)
    assert refused > 160


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
    "metric": lambda file: file.attrs.create("metrics", np.bytes_(b"dtc")),
    "metrics in another order": lambda file: file.attrs.create("metrics", np.bytes_(b"dtz dtm")),
    "no metrics": lambda file: file.attrs.pop("metrics"),
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
        del file.attrs[CHECKSUM]  # it would notice most of these
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


OPEN_WHAT_IS_NO_FILE = """
import os, socket, sys
from pathlib import Path
from tablebase.core.ground.errors import CorruptTableError
from tablebase.core.storage.reading import open_table
os.chdir(sys.argv[1])
os.mkdir("folder.h5")
os.mkfifo("pipe.h5")
socket.socket(socket.AF_UNIX).bind("socket.h5")
os.symlink("/dev/zero", "device.h5")
for path in sorted(Path().iterdir()):
    try:
        open_table(path)
    except CorruptTableError as error:
        print(error)
"""


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no such files here")
def test_what_is_no_regular_file_is_not_waited_for(tmp_path):
    command = [sys.executable, "-c", OPEN_WHAT_IS_NO_FILE, str(tmp_path)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert result.stdout.splitlines() == [
        f"{name}.h5 is not a table: it is not a regular file"
        for name in ("device", "folder", "pipe", "socket")
    ]


@contextmanager
def few_descriptors():
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_too_many_open_files_are_no_damage(folder):
    with few_descriptors(), pytest.raises(OSError, match="open files") as caught:
        open_table(folder / "KRK.h5")
    assert caught.value.errno == errno.EMFILE
    assert not isinstance(caught.value, CorruptTableError)


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        OSError(errno.EIO, "Input/output error"),
        OSError(f"Can't read data (file read failed: errno = {errno.EIO}, error message = '')"),
        RuntimeError(f"Unspecified error (errno = {errno.ENOMEM}, error message = '')"),
    ],
    ids=repr,
)
def test_what_the_system_refuses_is_no_damage(folder, monkeypatch, error):
    def refuse(*_):
        raise error

    monkeypatch.setattr(reading.os, "pread", refuse)
    with (
        open_table(folder / "KRK.h5") as file,
        pytest.raises((OSError, MemoryError)) as caught,
    ):
        file.chunk(Color.WHITE, 0)
    assert not isinstance(caught.value, CorruptTableError)
    if isinstance(caught.value, OSError):
        assert caught.value.errno in {errno.EIO, errno.ENOMEM}
        assert caught.value.filename == str(folder / "KRK.h5")


@pytest.mark.skipif(os.name != "posix", reason="no users to change to")
def test_a_file_that_may_not_be_read(tmp_path, content):
    from tablebase.cli.terminal import explain

    path = tmp_path / "KRK.h5"
    path.write_bytes(content)
    path.chmod(0)
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)
    try:
        with pytest.raises(PermissionError) as caught:
            open_table(path)
    finally:
        os.seteuid(user)
    assert explain(caught.value) == f"{path}: Permission denied"


def test_a_file_that_this_program_has_open_already(folder):
    path = folder / "KRK.h5"
    with open_table(path) as file, h5py.File(path) as other:
        assert other["white_to_move/dtm"].shape == (file.size,)
    with h5py.File(path) as other, open_table(path) as file:
        other.close()
        assert file.chunk(Color.WHITE, 0).size
    with h5py.File(path, locking=False), open_table(path) as file:
        assert file.chunk(Color.WHITE, 0).size
    access = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    access.set_fclose_degree(h5py.h5f.CLOSE_STRONG)
    other = h5py.h5f.open(os.fsencode(path), h5py.h5f.ACC_RDONLY, access)
    with pytest.raises(OSError, match="open elsewhere") as caught:
        open_table(path)
    assert not isinstance(caught.value, CorruptTableError)
    other.close()


def test_a_file_that_another_program_is_changing(tmp_path, content):
    path = tmp_path / "KRK.h5"
    path.write_bytes(content)
    script = "import h5py, sys; f = h5py.File(sys.argv[1], 'r+'); print(flush=True); input()"
    command = [sys.executable, "-c", script, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        other.stdout.readline()
        with pytest.raises(BlockingIOError, match=r"another program has it open.*KRK\.h5"):
            open_table(path)
        other.communicate(b"\n")
    assert open_table(path).check() is None


def test_a_file_whose_writer_was_killed(tmp_path, content):
    path = tmp_path / "KRK.h5"
    path.write_bytes(content)
    script = "import h5py, os, sys; f = h5py.File(sys.argv[1], 'r+'); os._exit(0)"
    subprocess.run([sys.executable, "-c", script, str(path)], check=True)
    with pytest.raises(BlockingIOError, match="if none has, delete it"):
        open_table(path)


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.EOPNOTSUPP])
def test_a_folder_without_locks(folder, monkeypatch, number):
    opened = h5py.h5f.open

    def without_locks(name, flags, access=None):
        if access is None or access.get_file_locking()[0]:
            raise OSError(number, f"Unable to open file (unable to lock file, errno = {number})")
        return opened(name, flags, access)

    monkeypatch.setattr(h5py.h5f, "open", without_locks)
    with open_table(folder / "KRK.h5") as file, open_table(folder / "KRK.h5") as again:
        assert file.chunk(Color.WHITE, 0).tolist() == again.chunk(Color.WHITE, 0).tolist()


@pytest.mark.thorough
def test_tables_are_built_and_read_where_nothing_can_be_locked(tmp_path):
    compiler = shutil.which("cc")
    if not compiler or sys.platform != "linux":
        pytest.skip("needs Linux and a C compiler")
    library = tmp_path / "nolocks.so"
    source = "#include <errno.h>\nint flock(int f, int how) { errno = ENOLCK; return -1; }"
    command = [compiler, "-shared", "-fPIC", "-x", "c", "-", "-o", library]
    subprocess.run(command, input=source, text=True, check=True)
    environment = {**os.environ, "LD_PRELOAD": str(library)}
    for asked in (["build", "KRK", "--metric", "both"], ["build", "KRK", "--metric", "help"],
                  ["probe", "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"]):  # fmt: skip
        command = [sys.executable, "-m", "tablebase", *asked, "--dir", tmp_path / "tables"]
        done = subprocess.run(command, env=environment, text=True, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
    assert "mate in 16 moves" in done.stdout


def test_many_men_are_refused_before_anything_is_counted(tmp_path, content):
    path = tmp_path / "KPPPKPP.h5"
    path.write_bytes(content)
    with h5py.File(path, "r+") as file:
        del file.attrs[CHECKSUM]
        file.attrs.create("material", np.bytes_(b"KPPPKPP"))
    with pytest.raises(CorruptTableError, match="KPPPKPP has 7 pieces"):
        open_table(path)


def edited_outcomes(text):
    """Return outcomes of which White's are some plies later, and still well-formed."""
    found = json.loads(text)
    found["white_to_move"] = [n + 2 if n > 0 else n for n in found["white_to_move"]]
    return json.dumps(found)


EDITS = {
    "format_version": lambda version: 7 - version,  # 3 and 4: without epochs, and with them
    "material": lambda name: name.replace("KR", "KQ", 1),
    "metrics": lambda _: "dtm",
    "dtz_outcomes": edited_outcomes,
    CHECKSUM: lambda crc: crc ^ 1,
}


@pytest.mark.parametrize("long", [False, True])
@pytest.mark.parametrize("name", EDITS)
def test_an_edited_attribute_gives_no_other_value(tmp_path, name, long):
    """Tools that write HDF5 make its own checksums right again."""
    path, elsewhere = tmp_path / "KRK.h5", tmp_path / "KQK.h5"
    table = read_table("data/KRK.h5")
    codes = [side.astype("u2") for side in table.codes] if long else table.codes
    write_table(Table(table.material, *codes), path)
    write_table(read_table("data/KRK.h5", DTZ), path)
    with open_table(path) as file:
        stored = file.stored_attributes()
    lines = "".join(f"{one}={stored[one]}\n" for one in VALUED if one in stored)
    assert stored[CHECKSUM] == crc32(lines.encode())
    new = EDITS[name](stored[name])
    with h5py.File(path, "r+") as file:
        file.attrs[name] = new if isinstance(new, int) else np.bytes_(new.encode())
    path.rename(elsewhere if name == "material" else path)
    man = "Q" if name == "material" else "R"
    board = chess.Board(f"8/8/8/8/8/2k5/4{man}3/K7 w - - 0 1")
    with open_tablebase(tmp_path) as tables:
        for probe in (tables.probe_dtm, tables.probe_dtz):
            with pytest.raises(CorruptTableError, match="attributes do not have their checksum"):
                probe(board)


def test_files_without_a_checksum_of_attributes_are_read(tmp_path, content, values):
    path = tmp_path / "KRK.h5"
    path.write_bytes(content)
    with h5py.File(path, "r+") as file:
        del file.attrs[CHECKSUM]
    assert all(map(np.array_equal, read_values(path), values))
    with open_table(path) as file:
        file.check()


def test_malformed_attributes_are_damage(tmp_path, content):
    path = tmp_path / "KRK.h5"
    path.write_bytes(content)
    with h5py.File(path, "r+") as file:
        file.attrs.create("counts", np.bytes_(b"{}"))
    with open_table(path) as file, pytest.raises(CorruptTableError, match=r"KRK\.h5.*counts"):
        file.check()


@pytest.fixture(scope="module")
def contents(content, folder, tmp_path_factory):
    """Return a table, and the same in HDF5's oldest format, whose metadata have no checksums."""
    path = tmp_path_factory.mktemp("old") / "KRK.h5"
    with h5py.File(folder / "KRK.h5") as new, h5py.File(path, "w", libver="earliest") as old:
        for name in new.attrs:
            value = new.attrs[name]
            kind = new.attrs.get_id(name).dtype
            old.attrs.create(name, value.encode() if isinstance(value, str) else value, dtype=kind)
        for side in ("white_to_move", "black_to_move"):
            data = new[f"{side}/dtm"]
            options = {"chunks": data.chunks, "compression": "gzip", "fletcher32": True}
            old.create_dataset(f"{side}/dtm", data=data[:], **options)
    return content, path.read_bytes()


BYTES = st.binary(max_size=40)
CHANGES = st.lists(st.tuples(st.floats(0, 1), BYTES, st.booleans()), max_size=4)


def damaged(content, changes, end):
    for place, data, is_inserted in changes:
        start = int(place * len(content))
        content = content[:start] + data + content[start + len(data) * (not is_inserted) :]
    return content[: int(end * len(content))]


def fuzz(folder, contents, values, examples):
    @settings(max_examples=examples)
    @given(st.sampled_from(contents), CHANGES, st.sampled_from([1.0, 1.0, 1.0, 0.97, 0.5]))
    def check(content, changes, end):
        path = folder / "KRK.h5"
        path.write_bytes(damaged(content, changes, end))
        refused_or_right(path, values)
        with suppress(CorruptTableError), open_table(path) as file:
            file.check()
            file.read()

    check()


def test_the_oldest_format_is_read_too(tmp_path, contents, values):
    for content in contents:
        (tmp_path / "KRK.h5").write_bytes(content)
        assert not refused_or_right(tmp_path / "KRK.h5", values)


@pytest.mark.thorough
def test_any_bytes_are_right_or_refused(tmp_path, contents, values):
    fuzz(tmp_path, contents, values, 200)


@pytest.mark.slow
def test_many_bytes_are_right_or_refused(tmp_path, contents, values):
    fuzz(tmp_path, contents, values, 5_000)


@given(st.binary(max_size=3000), st.booleans())
def test_bytes_of_any_origin_are_refused(tmp_path_factory, data, has_signature):
    path = tmp_path_factory.getbasetemp() / "KRK.h5"
    path.write_bytes(b"\x89HDF\r\n\x1a\n" * has_signature + data)
    with pytest.raises(CorruptTableError, match=r"KRK\.h5"):
        open_table(path)
