"""Tables that are solved and written slice by slice: the same files, whatever interrupts it."""

import signal
import subprocess
import sys

import pytest
from support.few import few
from support.lookup import LONG_CODES, noise_table

from tablebase import open_tablebase
from tablebase.core.board.geometry import Color
from tablebase.core.building.builder import Stage
from tablebase.core.building.generator import generate
from tablebase.core.building.graph import plan
from tablebase.core.checking import verify
from tablebase.core.checking.verify import check_file
from tablebase.core.engine import by_slices, requirements
from tablebase.core.engine.sets import planes, values
from tablebase.core.ground.errors import CorruptTableError
from tablebase.core.outcomes.codes import SIGNED_PLIES
from tablebase.core.outcomes.metrics import DTM
from tablebase.core.rules.material import Material
from tablebase.core.storage.reading import open_table, read_table
from tablebase.core.storage.table_names import table_path
from tablebase.core.storage.writing import write_table
from tablebase.core.tables.search import board_at

KRPK = Material.from_name("KRPK")
KPPK, KPKP = Material.from_name("KPPK"), Material.from_name("KPKP")
# In a process of its own: the build is killed when so many chunks have been written.
KILLED = """
import os, sys
from tablebase.core.outcomes.metrics import DTM
from tablebase.core.rules.material import Material
from tablebase.core.building.builder import Stage
from tablebase.core.building.generator import generate
from tablebase.core.engine import requirements
from tablebase.core.engine.sets import values

requirements.WHOLE_SLOTS = 1_000
values.SHORT_MEN = {}  # there may be any distance
written = 0

def kill(event):
    global written
    written += event.stage is Stage.WRITING
    if written == int(sys.argv[3]):
        os.kill(os.getpid(), 9)

generate([Material.from_name(sys.argv[2])], sys.argv[1], metrics=[DTM], report=kill)
"""


@pytest.fixture(autouse=True)
def small_limits(monkeypatch):
    """Four-man tables with pawns are too large for memory here."""
    monkeypatch.setattr(requirements, "WHOLE_SLOTS", 1_000_000)


def before(material):
    return [needed for needed in plan([material]) if needed != material]


def link_sub_tables(material, tables_dir, folder):
    for needed in before(material):
        table_path(folder, needed).symlink_to(table_path(tables_dir, needed))


@pytest.fixture
def folder(tables_dir, tmp_path):
    """Return a folder with the sub-tables of KRPK."""
    link_sub_tables(KRPK, tables_dir, tmp_path)
    return tmp_path


def names_in(folder):
    return {path.name for path in folder.iterdir()}


def build_and_kill(material, folder, chunks):
    """Kill a build when some chunks have been written; return the names of what it leaves."""
    names = names_in(folder)
    command = [sys.executable, "-c", KILLED, str(folder), material.name, str(chunks)]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    return names_in(folder) - names


def assert_right(folder, tables_dir, material=KRPK):
    with (
        open_table(table_path(tables_dir, material)) as right,
        open_table(table_path(folder, material)) as file,
    ):
        assert file.sha256_of(DTM) == right.sha256_of(DTM)
        assert file.version == right.version
        assert file.counts == right.counts
        assert set(file.attributes["subtables"]) == {one.name for one in material.dependencies()}
    read_table(table_path(folder, material))
    assert names_in(folder) == {f"{one}.h5" for one in (*before(material), material)}


@pytest.mark.thorough
@pytest.mark.parametrize("large", few([1, 1 << 16], 1))
def test_files_are_those_of_whole_tables(large, folder, tables_dir, monkeypatch):
    monkeypatch.setattr(planes, "LARGE_SLICE", large)
    events = []
    built = generate([KRPK], folder, metrics=[DTM], report=events.append)
    assert_right(folder, tables_dir)
    assert built[-1].seconds > 0
    stages = [event.stage for event in events if event.material == KRPK]
    assert {*stages} == {*Stage, None}
    assert max(event.progress.slices_done for event in events if event.progress) == 24


@pytest.mark.thorough
@pytest.mark.parametrize("material", few([KPPK, KPKP], KPPK))
def test_files_of_two_pawns_are_those_of_whole_tables(material, tables_dir, tmp_path, monkeypatch):
    monkeypatch.setattr(by_slices, "batch_size", lambda _: 64)
    link_sub_tables(material, tables_dir, tmp_path)
    generate([material], tmp_path, metrics=[DTM])
    assert_right(tmp_path, tables_dir, material)


@pytest.mark.thorough
@pytest.mark.parametrize("stage", few(Stage, Stage.WRITING))
def test_interruption_leaves_nothing(stage, folder, tables_dir):
    names = names_in(folder)

    def interrupt(event):
        if event.stage is stage:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        generate([KRPK], folder, metrics=[DTM], report=interrupt)
    assert names_in(folder) == names
    generate([KRPK], folder, metrics=[DTM])
    assert_right(folder, tables_dir)


@pytest.mark.thorough
@pytest.mark.parametrize("chunks", few([40, 1, 190], 40))
def test_what_is_left_when_it_is_killed_goes_in_the_next_run(chunks, folder, tables_dir):
    (left,) = build_and_kill(KRPK, folder, chunks)
    assert left.endswith(".partial")
    generate([KRPK], folder, metrics=[DTM])
    assert_right(folder, tables_dir)


def test_damaged_sub_tables_are_noticed(folder):
    path = table_path(folder, Material.from_name("KQRK"))
    with open_table(path) as file:
        place = file.chunks.extents(0, "dtm")[-1][0]
    content = bytearray(path.read_bytes())
    content[place + 9] ^= 4
    path.unlink()
    path.write_bytes(content)
    with pytest.raises(CorruptTableError, match=r"KQRK\.h5"):
        generate([KRPK], folder, metrics=[DTM])
    assert not table_path(folder, KRPK).exists()


@pytest.fixture(params=["KPK", pytest.param("KPPK", marks=pytest.mark.slow)])
def long_path(request, tmp_path, monkeypatch):
    """Return where a table goes that has sub-tables of noise, with distances of up to 762 plies."""
    monkeypatch.setattr(values, "SHORT_MEN", {})
    monkeypatch.setattr(requirements, "WHOLE_SLOTS", 1_000)
    monkeypatch.setattr(by_slices, "batch_size", lambda _: 8)
    material = Material.from_name(request.param)
    for seed, needed in enumerate(before(material)):
        table = noise_table(needed, seed, known=LONG_CODES)
        write_table(table, table_path(tmp_path, needed))
    return table_path(tmp_path, material)


def content_of(path):
    """Return the attributes of a table and its chunks as they are stored."""
    with open_table(path) as file:
        attributes = {name: one for name, one in file.attributes.items() if name != "created"}
        chunks = [[*file.chunks.stored(color, part)] for color in Color for part in file.parts(DTM)]
    return attributes, chunks


@pytest.mark.thorough
def test_files_with_long_distances_are_those_of_whole_tables(long_path, monkeypatch):
    material = Material.from_name(long_path.stem)
    (left,) = build_and_kill(material, long_path.parent, 20)
    assert left.endswith(".partial")
    generate([material], long_path.parent, metrics=[DTM])
    assert names_in(long_path.parent) == {f"{one}.h5" for one in (*before(material), material)}
    attributes, chunks = content_of(long_path)
    assert attributes["format_version"] == 4
    assert "254 plies are to be added" in attributes["encoding"]
    assert attributes["counts"]["white_to_move"]["longest_win"]["plies"] > 508
    assert check_file(long_path).passed
    monkeypatch.setattr(verify, "LARGEST_HELD", 0)
    assert check_file(long_path, sample=100_000).passed
    monkeypatch.setattr(requirements, "WHOLE_SLOTS", 1 << 30)
    long_path.unlink()
    generate([material], long_path.parent, metrics=[DTM])
    assert content_of(long_path) == (attributes, chunks)


def test_probes_know_long_distances_with_pawns(long_path):
    material = Material.from_name(long_path.stem)
    generate([material], long_path.parent, metrics=[DTM])
    table = read_table(long_path)
    longest = 0
    with open_tablebase(long_path.parent) as tables:
        for slot in range(0, table.index.size, table.index.size // 500):
            board = board_at(table, slot, Color.BLACK)
            if board is not None:
                expected = SIGNED_PLIES[table.black[slot]]
                assert tables.probe_dtm(board) == expected
                longest = max(longest, abs(expected))
    assert longest > 254
