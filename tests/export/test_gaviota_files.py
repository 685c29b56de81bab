"""Gaviota files: other readers read them as our tables, and what is wrong with a file is found."""

import lzma
import os
import random
import shutil
import struct
import tracemalloc
from itertools import pairwise
from pathlib import Path

import chess.gaviota
import numpy as np
import pytest
from support.few import few
from support.gaviota import random_boards
from support.made_up import made_up_table
from support.oracle import GAVIOTA

from tablebase.core.board.geometry import Color
from tablebase.core.ground.errors import CorruptTableError, InvalidMaterialError, MissingTableError
from tablebase.core.index.legality import is_legal, mark_slots
from tablebase.core.outcomes.codes import SIGNED_PLIES
from tablebase.core.outcomes.metrics import DTZ, make_outcomes
from tablebase.core.positions.chess_board import board_of, squares_of
from tablebase.core.rules.material import Material, all_materials
from tablebase.core.storage.reading import read_table
from tablebase.core.storage.writing import write_table
from tablebase.core.tables.table import Table
from tablebase.export import gaviota_writing
from tablebase.export.gaviota_audit import audit_gaviota
from tablebase.export.gaviota_reading import gaviota_material
from tablebase.export.gaviota_writing import write_gaviota

TABLES = Path(__file__).parents[2] / "data"
FIVE = os.environ.get("CHESS_TABLES")
LIBRARY = "libgaviotatb.so.1"  # of Debian's package libgaviotatb1
OF_THREE = [material.name for material in all_materials(3)]
OF_FOUR = ["KNNK", "KRNK"]  # those in `data`
# Kinds of numberings.
MADE_UP = ["KRRK", "KRKR", "KNKP", "KPPK", "KPKP"]


def official(name):
    return GAVIOTA / f"{name.lower()}.gtb.cp4"


def plies_in(table, board):
    """Return a distance as python-chess gives it, from a table in memory."""
    slot = table.index.encode(np.array(squares_of(board, table.material), dtype=np.uint8))
    return int(SIGNED_PLIES[table.codes[Color.WHITE if board.turn else Color.BLACK][slot]])


def assert_read_alike(tablebase, table, boards):
    for board in boards:
        expected = plies_in(table, board)
        assert tablebase.probe_dtm(board) == expected, board.fen()
        assert tablebase.probe_dtm(board.mirror()) == expected, board.fen()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with files of all tables in `data`."""
    folder = tmp_path_factory.mktemp("gaviota")
    for name in (*OF_THREE, *OF_FOUR):
        write_gaviota(Material.from_name(name), TABLES / f"{name}.h5", folder, threads=2)
    return folder


@pytest.mark.parametrize("name", OF_THREE)
def test_official_files_hold_our_values(name):
    table = read_table(TABLES / f"{name}.h5")
    audit = audit_gaviota(official(name), TABLES / f"{name}.h5")
    assert audit.passed
    assert audit.first is None
    assert (audit.path, audit.material) == (official(name), table.material)
    # All of them: where both kings stand on a diagonal, both images have a cell, and a slot.
    marks = mark_slots(table.index)
    assert audit.compared == sum(int(is_legal(marks, color).sum()) for color in Color)


@pytest.mark.thorough
@pytest.mark.parametrize("name", [*OF_THREE, *OF_FOUR])
def test_python_chess_reads_our_files(folder, name):
    table = read_table(TABLES / f"{name}.h5")
    with chess.gaviota.PythonTablebase() as tablebase:
        tablebase.add_directory(str(folder))
        assert_read_alike(tablebase, table, random_boards(table.material, 400))


@pytest.mark.thorough
@pytest.mark.parametrize("name", few(MADE_UP, "KRRK", "KPPK"))
def test_python_chess_reads_any_values(tmp_path, name):
    source = tmp_path / f"{name}.h5"
    write_table(made_up_table(name), source, subtables={})
    table = read_table(source)
    steps = []
    exported = write_gaviota(
        table.material, source, tmp_path, progress=lambda *step: steps.append(step)
    )
    assert exported.path == tmp_path / f"{name.lower()}.gtb.cp4"
    assert exported.size == exported.path.stat().st_size
    assert steps == [(done, len(steps)) for done in range(1, len(steps) + 1)]
    with chess.gaviota.PythonTablebase() as tablebase:
        tablebase.add_directory(str(tmp_path))
        assert_read_alike(tablebase, table, random_boards(table.material, 100))


def test_the_native_library_reads_our_files(folder):
    try:
        tablebase = chess.gaviota.open_tablebase_native(str(folder), libgtb=LIBRARY)
    except OSError:
        pytest.skip(f"{LIBRARY} is not installed")
    with tablebase:
        for name in (*OF_THREE, *OF_FOUR):
            table = read_table(TABLES / f"{name}.h5")
            assert_read_alike(tablebase, table, random_boards(table.material, 400))


def test_files_are_about_as_large_as_the_official_ones(folder):
    ours, theirs = (
        sum((place / f"{name.lower()}.gtb.cp4").stat().st_size for name in OF_THREE)
        for place in (folder, GAVIOTA)
    )
    assert ours < 1.02 * theirs


def test_one_thread_writes_the_same_file(folder, tmp_path):
    write_gaviota(Material.from_name("KNNK"), TABLES / "KNNK.h5", tmp_path, threads=1)
    assert (tmp_path / "knnk.gtb.cp4").read_bytes() == (folder / "knnk.gtb.cp4").read_bytes()


def test_what_is_not_read_back_gets_no_name(tmp_path, monkeypatch):
    pack = gaviota_writing.pack_block

    def spoil(values):
        values[5000] ^= 4
        return pack(values)

    monkeypatch.setattr(gaviota_writing, "pack_block", spoil)
    with pytest.raises(CorruptTableError, match=r"krk\.gtb\.cp4 is not read back .* the table"):
        write_gaviota(Material.from_name("KRK"), TABLES / "KRK.h5", tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_wrong_value_is_named(tmp_path):
    table = read_table(TABLES / "KRK.h5")
    squares = [0, 35, 60]  # Ka1, kd5, Re8
    slot = table.index.encode(np.array(squares, dtype=np.uint8))
    codes = [side.copy() for side in table.codes]
    codes[Color.BLACK][slot] = 4
    write_table(Table(table.material, *codes), tmp_path / "KRK.h5", subtables={})
    audit = audit_gaviota(official("KRK"), tmp_path / "KRK.h5", threads=1)
    assert not audit.passed
    assert audit.different == 1
    board = chess.Board(audit.first.fen)
    assert board.turn == chess.BLACK
    assert table.index.encode(np.array(squares_of(board, table.material), dtype=np.uint8)) == slot
    plies = int(table.black[slot])
    assert plies > 4
    assert audit.first.found == f"White wins: mate in {plies // 2} moves ({plies} plies)"
    assert audit.first.expected == "White wins: mate in 2 moves (4 plies)"
    assert str(audit.first).startswith(f"{board.fen()}: the file says White wins: mate in")


def test_tables_of_other_materials_and_no_tables(tmp_path):
    krk, kqk = TABLES / "KRK.h5", TABLES / "KQK.h5"
    with pytest.raises(InvalidMaterialError, match=r"KQK\.h5 is the table of KQK, not of KRK"):
        audit_gaviota(official("KRK"), kqk)
    with pytest.raises(InvalidMaterialError, match=r"KQK\.h5 is the table of KQK"):
        write_gaviota(Material.from_name("KRK"), kqk, tmp_path)
    with pytest.raises(MissingTableError, match=r"krk\.gtb\.cp4"):
        audit_gaviota(tmp_path / "krk.gtb.cp4", krk)
    with pytest.raises(MissingTableError, match=r"KRK\.h5"):
        write_gaviota(Material.from_name("KRK"), tmp_path / "KRK.h5", tmp_path)
    with pytest.raises(InvalidMaterialError, match="3 to 5 pieces"):
        write_gaviota(Material.from_name("KK"), TABLES / "KK.h5", tmp_path)
    # A file of another material under this name, with as many cells.
    shutil.copy(official("KQK"), tmp_path / "krk.gtb.cp4")
    assert audit_gaviota(tmp_path / "krk.gtb.cp4", krk).different > 10_000
    shutil.copy(official("KPK"), tmp_path / "krk.gtb.cp4")
    with pytest.raises(CorruptTableError, match="does not begin as one of this material"):
        audit_gaviota(tmp_path / "krk.gtb.cp4", krk)


def test_tables_without_distances_to_mate(tmp_path):
    codes = made_up_table("KRK").codes
    outcomes = make_outcomes(list(range(1, 13)))
    table = Table(Material.from_name("KRK"), *codes, DTZ, (outcomes, outcomes))
    write_table(table, tmp_path / "KRK.h5", subtables={})
    with pytest.raises(MissingTableError, match="tablebase build --metric dtm KRK"):
        write_gaviota(table.material, tmp_path / "KRK.h5", tmp_path)


@pytest.mark.parametrize(
    "name", ["krk", "KRK.gtb.cp4", "krvk.gtb.cp4", "kkr.gtb.cp4", "kk.gtb.cp4", "krk.gtb.cp1",
             "kxk.gtb.cp4", ".gtb.cp4", "krk.gtb.cp4.gtb.cp4", " krk.gtb.cp4", "kqqqqk.gtb.cp4"],
)  # fmt: skip
def test_names_of_no_file(name):
    with pytest.raises(InvalidMaterialError, match=r"name it by its material .* like krkp"):
        gaviota_material(Path("folder") / name)


# Files that lie, and files in pieces.


@pytest.fixture
def audited(tmp_path):
    """Return a function that audits some bytes as a file of KRK."""
    path = tmp_path / "krk.gtb.cp4"

    def audit(content):
        path.write_bytes(content)
        return audit_gaviota(path, TABLES / "KRK.h5", threads=1)

    return audit


@pytest.fixture(params=few(["official", "ours"], "official"))
def content(request, folder):
    place = GAVIOTA if request.param == "official" else folder
    return (place / "krk.gtb.cp4").read_bytes()


def blocks_of(content):
    """Return the blocks of a file of KRK."""
    offsets = struct.unpack_from("<5I", content, 40)
    return [content[a:b] for a, b in pairwise(offsets)]


def with_blocks(content, blocks):
    offsets = np.cumsum([60, *map(len, blocks)]).astype("<u4")
    return content[:40] + offsets.tobytes() + b"".join(blocks)


def test_blocks_are_taken_apart_and_put_together(content, audited):
    assert with_blocks(content, blocks_of(content)) == content
    assert audited(content).passed


def test_files_cut_short_and_files_with_more(content, audited):
    rng = random.Random(1)
    for end in (0, 1, 39, 40, 41, 59, 60, 61, *rng.sample(range(62, len(content)), 10)):
        with pytest.raises(CorruptTableError, match=r"krk\.gtb\.cp4 is damaged or not a Gaviota"):
            audited(content[:end])
    with pytest.raises(CorruptTableError, match="the file at"):
        audited(content + b"\0")


def test_flipped_bits_ahead_of_the_blocks(content, audited):
    for bit in range(0, 60 * 8, 7):
        spoilt = bytearray(content)
        spoilt[bit // 8] ^= 1 << bit % 8
        with pytest.raises(CorruptTableError, match=r"krk\.gtb\.cp4"):
            audited(spoilt)


def test_flipped_bits_in_blocks(content, audited):
    """Each is noticed: by LZMA, or by values that differ."""
    rng = random.Random(2)
    starts = struct.unpack_from("<4I", content, 40)
    places = [start + byte for start in starts for byte in range(8)]
    refused = 0
    for place in [*places, *rng.sample(range(60, len(content)), 40)]:
        spoilt = bytearray(content)
        spoilt[place] ^= 1 << rng.randrange(8)
        try:
            audit = audited(spoilt)
        except CorruptTableError:
            refused += 1
        else:
            # LZMA leaves some bits of a stream's last bytes unused.
            is_last = any(0 <= end - place <= 5 for end in (*starts[1:], len(content)))
            assert audit.different > 0 or is_last, place
    assert refused > 40


def test_offsets_that_lie(content, audited):
    offsets = list(struct.unpack_from("<5I", content, 40))
    for number in range(5):
        for lie in (0, 1, 59, offsets[number] - 1, offsets[number] + 1, offsets[(number + 2) % 5],
                    len(content) + 1, 1 << 31, (1 << 32) - 1):  # fmt: skip
            told = offsets.copy()
            told[number] = lie
            with pytest.raises(CorruptTableError, match=r"krk\.gtb\.cp4"):
                audited(content[:40] + struct.pack("<5I", *told) + content[60:])


def packed(values, size=(1 << 64) - 1, dictionary=1 << 12):
    lzma1 = {"id": lzma.FILTER_LZMA1, "preset": 3, "dict_size": dictionary}
    stream = lzma.compress(values, format=lzma.FORMAT_ALONE, filters=[lzma1])
    return b"\0\0" + stream[:5] + struct.pack("<Q", size) + stream[13:]


def test_blocks_of_another_kind(content, audited):
    _, *others = blocks_of(content)
    right = packed(bytes(16_384))
    for block in (
        packed(bytes(16_383)),
        packed(bytes(16_385)),
        packed(b""),
        right + b"\0",
        right[:-3],
        packed(bytes(16_384), dictionary=1 << 30),
        packed(bytes(16_384), size=16_383),
        packed(bytes(16_385), size=16_384),
        b"\1" + right[1:],
        b"\0\1" + right[2:],
        lzma.compress(bytes(16_384)),
        bytes(16_384),
        b"\0",
    ):
        with pytest.raises(CorruptTableError, match=r"krk\.gtb\.cp4 .*: block 0: "):
            audited(with_blocks(content, [block, *others]))


def test_blocks_in_another_order_or_too_large(content, audited):
    blocks = blocks_of(content)
    assert audited(with_blocks(content, [blocks[2], blocks[1], blocks[0], blocks[3]])).different
    with pytest.raises(CorruptTableError, match="block 1: "):
        audited(with_blocks(content, [blocks[0], blocks[0], blocks[2], blocks[3]]))
    with pytest.raises(CorruptTableError, match="block 2 would have 70000 bytes"):
        audited(with_blocks(content, [*blocks[:2], bytes(70_000), blocks[3]]))


def test_a_bomb_is_not_unpacked(content, audited):
    bomb = packed(bytes(40_000_000))
    assert len(bomb) < 1 << 16
    _, *others = blocks_of(content)
    tracemalloc.start()
    try:
        with pytest.raises(CorruptTableError, match="block 0: it is not 16384 cells"):
            audited(with_blocks(content, [bomb, *others]))
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


def test_illegal_where_a_position_is_legal(content, audited):
    _, *others = blocks_of(content)
    audit = audited(with_blocks(content, [packed(b"\3" * 16_384), *others]))
    assert audit.different > 10_000
    assert audit.first.found == "that it is illegal"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
@pytest.mark.parametrize("make", [os.mkdir, getattr(os, "mkfifo", None)])
def test_what_is_no_file(tmp_path, make):
    path = tmp_path / "krk.gtb.cp4"
    make(path)
    with pytest.raises(CorruptTableError, match="not a regular file"):
        audit_gaviota(path, TABLES / "KRK.h5")


# All positions, all tables.


@pytest.mark.slow
@pytest.mark.parametrize("name", OF_THREE)
def test_every_position_of_three_men(folder, name):
    table = read_table(TABLES / f"{name}.h5")
    marks = mark_slots(table.index)
    boards = (
        board_of(table.material, table.index.decode(slot).tolist(), color is Color.WHITE)
        for color in Color
        for slot in np.flatnonzero(is_legal(marks, color)).tolist()
        if table.index.decode(slot) is not None  # not the second of two slots of a position
    )
    with chess.gaviota.PythonTablebase() as tablebase:
        tablebase.add_directory(str(folder))
        assert_read_alike(tablebase, table, boards)


@pytest.mark.slow
@pytest.mark.parametrize("material", all_materials(4), ids=str)
def test_all_tables_of_four_men(tables_dir, tmp_path, material):
    source = tables_dir / f"{material}.h5"
    write_gaviota(material, source, tmp_path)
    table = read_table(source)
    with chess.gaviota.PythonTablebase() as tablebase:
        tablebase.add_directory(str(tmp_path))
        assert_read_alike(tablebase, table, random_boards(material, 2000))


@pytest.mark.slow
@pytest.mark.skipif(not FIVE, reason="CHESS_TABLES names no folder of five-man tables")
@pytest.mark.parametrize("name", ["KBBKN", "KNNKP"])
def test_tables_of_five_men(tmp_path, name):
    source = Path(FIVE) / f"{name}.h5"
    if not source.exists():
        pytest.skip(f"no {name} in {FIVE}")
    table = read_table(source)
    write_gaviota(table.material, source, tmp_path)
    with chess.gaviota.PythonTablebase() as tablebase:
        tablebase.add_directory(str(tmp_path))
        assert_read_alike(tablebase, table, random_boards(table.material, 2000))
