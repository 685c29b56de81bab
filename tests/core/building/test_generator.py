"""Generation: what is built, in which order, what is kept, and what survives being killed."""

import os
import subprocess
import sys
from contextlib import suppress
from types import SimpleNamespace

import numpy as np
import pytest
from support.digests import digests_in, digests_of_built
from support.few import few, thorough
from support.waiting import PATIENCE

from tablebase.core.board.geometry import Color
from tablebase.core.building import generator as generation
from tablebase.core.building import steps as planning
from tablebase.core.building.builder import Stage
from tablebase.core.building.generator import generate
from tablebase.core.building.graph import plan
from tablebase.core.building.steps import check_disk, plan_steps
from tablebase.core.ground.errors import CorruptTableError, TablebaseError
from tablebase.core.outcomes.codes import DRAW
from tablebase.core.outcomes.metrics import DTM, METRICS, metric_named
from tablebase.core.rules.material import Material
from tablebase.core.storage import writing
from tablebase.core.storage.reading import open_table, read_table
from tablebase.core.storage.table_names import table_path
from tablebase.core.storage.writing import write_table
from tablebase.core.tables.table import Table

KPK = Material.from_name("KPK")
NEEDED = ["KK", "KBK", "KNK", "KQK", "KRK", "KPK"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    generate([KPK], folder)
    return folder


@pytest.fixture(scope="module")
def right(folder):
    return digests_in(folder)


def test_steps_are_sub_tables_first(tmp_path):
    steps = plan_steps([KPK], tmp_path)
    assert [step.material.name for step in steps] == NEEDED
    assert not any(step.exists for step in steps)
    assert all(step.memory > step.slots for step in steps)


def test_sub_tables_are_built_too(folder):
    assert [path.name for path in sorted(folder.iterdir())] == sorted(f"{n}.h5" for n in NEEDED)


def test_what_exists_is_kept(folder):
    before = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    assert all(built.seconds is None for built in generate([KPK], folder))
    assert {path: path.stat().st_mtime_ns for path in folder.iterdir()} == before


def test_force_builds_the_wanted_ones_again_with_the_same_values(tmp_path, right):
    generate([KPK], tmp_path)
    built = generate([KPK], tmp_path, force=True)
    assert [b.material.name for b in built if b.seconds is not None] == ["KPK"]
    assert digests_in(tmp_path) == right


@pytest.mark.thorough
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_make_no_difference(tmp_path, right, threads):
    generate([KPK], tmp_path, threads=threads)
    assert digests_in(tmp_path) == right


def test_only_the_missing_one_is_built(tmp_path, right):
    generate([KPK], tmp_path)
    table_path(tmp_path, Material.from_name("KQK")).unlink()
    built = generate([KPK], tmp_path)
    assert [b.material.name for b in built if b.seconds is not None] == ["KQK"]
    assert digests_in(tmp_path) == right


def test_files_name_the_values_they_were_made_from(folder, right):
    with open_table(folder / "KPK.h5") as file:
        for metric in METRICS:
            subtables = file.attributes[f"{metric.prefix}subtables"]
            assert subtables == {name: right[name, metric.name] for name in NEEDED[:-1]}


def test_events_tell_the_stages_in_order(tmp_path):
    events = []
    generate([Material.from_name("KRK")], tmp_path, metrics=[DTM], report=events.append)
    stages = [event.stage for event in events if event.material.name == "KRK"]
    assert stages.pop() is None
    order = list(Stage)
    assert stages[0] is Stage.READING
    assert stages[-1] is Stage.WRITING
    assert [order.index(stage) for stage in stages] == sorted(map(order.index, stages))
    assert {event.total for event in events} == {2}
    assert [event.number for event in events if event.stage is None] == [1, 2]
    seconds = sum(
        build.seconds for build in plan([Material.from_name("KRK")], metrics=[DTM]).builds
    )
    assert events[-1].seconds == events[-1].total_seconds == pytest.approx(seconds)


def test_what_was_built_has_the_digest_of_its_file(tmp_path, right):
    built = generate([KPK], tmp_path)
    assert digests_of_built(built) == right
    assert digests_of_built(generate([KPK], tmp_path)) == right


def test_too_little_memory(tmp_path):
    with pytest.raises(TablebaseError, match=r"KK takes about .* raise --memory"):
        generate([KPK], tmp_path, memory=1_000_000)
    assert not list(tmp_path.iterdir())


def test_too_little_disk(tmp_path, monkeypatch):
    monkeypatch.setattr(planning.shutil, "disk_usage", lambda _: SimpleNamespace(free=0))
    with pytest.raises(TablebaseError, match="disk space"):
        generate([KPK], tmp_path)
    check_disk([], tmp_path)


@pytest.mark.skipif(sys.platform != "linux", reason="no folder that nobody can write to")
def test_a_folder_that_cannot_be_written_to_is_noticed_first():
    told = []
    with pytest.raises(OSError, match=r"'/proc/self/task'$"):
        generate([KPK], "/proc/self/task", report=told.append)
    assert not told


def test_a_file_that_cannot_be_opened_now_is_not_called_damaged(tmp_path):
    resource = pytest.importorskip("resource")
    generate([Material()], tmp_path)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))
    try:
        with pytest.raises(OSError, match="Too many open files") as caught:
            plan_steps([Material()], tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert "--force" not in str(caught.value)


def test_what_exists_needs_no_memory(folder):
    assert len(generate([KPK], folder, memory=1)) == len(NEEDED)


def test_a_damaged_file_is_named_and_built_again_by_force(tmp_path, right):
    generate([KPK], tmp_path)
    path = tmp_path / "KQK.h5"
    path.write_bytes(path.read_bytes()[:5000])
    with pytest.raises(CorruptTableError, match=r"KQK\.h5.*`tablebase build --force KQK --dir .*`"):
        generate([KPK], tmp_path)
    generate([KPK], tmp_path, force=True)
    assert digests_in(tmp_path) == right


def test_a_sub_table_with_damaged_values(tmp_path):
    generate([KPK], tmp_path)
    (tmp_path / "KPK.h5").unlink()
    path = tmp_path / "KQK.h5"
    with open_table(path) as file:
        place = file.chunks.dataset(Color.WHITE, DTM.name).get_chunk_info(0).byte_offset
    content = bytearray(path.read_bytes())
    content[place + 9] ^= 4
    path.write_bytes(content)
    with pytest.raises(CorruptTableError, match=r"KQK\.h5"):
        generate([KPK], tmp_path)
    assert not (tmp_path / "KPK.h5").exists()


def test_tables_that_do_not_belong_together(tmp_path, solved):
    krk, krrk = Material.from_name("KRK"), Material.from_name("KRRK")
    generate([krrk], tmp_path)
    draws = np.full_like(solved[krk].white, DRAW)
    write_table(Table(krk, draws, draws), table_path(tmp_path, krk))
    with pytest.raises(CorruptTableError, match=r"KRRK\.h5 was made from another table of KRK"):
        generate([Material.from_name("KRRRK")], tmp_path)
    generate([krk, krrk], tmp_path, force=True)
    assert not any(one.seconds for one in generate([krrk], tmp_path))


def test_a_table_under_a_wrong_name(tmp_path):
    generate([Material.from_name("KRK")], tmp_path)
    (tmp_path / "KRK.h5").rename(tmp_path / "KQK.h5")
    with pytest.raises(CorruptTableError, match="KRK"):
        generate([Material.from_name("KQK")], tmp_path)


def test_leftovers_are_removed(tmp_path):
    (tmp_path / ".KRK.h5.999999999.partial").write_bytes(b"half")
    generate([Material.from_name("KRK")], tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["KK.h5", "KRK.h5"]


@pytest.mark.parametrize("stage", few(Stage, Stage.SOLVING, Stage.WRITING, others=thorough))
def test_interruption_leaves_only_complete_files(tmp_path, right, stage):
    def interrupt(event):
        if event.material == KPK and event.stage is stage:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        generate([KPK], tmp_path, report=interrupt)
    # The table before may have been under way to the disk.
    assert digests_in(tmp_path).items() <= right.items()
    there = {path.stem for path in tmp_path.glob("*.h5")}
    assert {*NEEDED[:-2]} <= there <= {*NEEDED[:-1]}
    assert not list(tmp_path.glob(".*"))
    generate([KPK], tmp_path)
    assert digests_in(tmp_path) == right


@pytest.mark.parametrize("nth", few(range(0, 11, 2), 0, 4, 10))
def test_a_full_disk(tmp_path, right, monkeypatch, nth):
    written = [0]
    pack = writing.pack

    def failing(*arguments):
        written[0] += 1
        if written[0] > nth:
            raise OSError(28, "No space left on device")
        return pack(*arguments)

    monkeypatch.setattr(writing, "pack", failing)
    with pytest.raises(OSError, match="No space"):
        generate([KPK], tmp_path, threads=1)
    assert digests_in(tmp_path).items() <= right.items()
    assert not list(tmp_path.glob(".*"))
    monkeypatch.setattr(writing, "pack", pack)
    generate([KPK], tmp_path)
    assert digests_in(tmp_path) == right


def build(folder):
    command = [sys.executable, "-m", "tablebase", "build", "KPK", "--dir", str(folder)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


@pytest.mark.thorough
def test_two_builders_at_once(tmp_path, right):
    builders = [build(tmp_path), build(tmp_path)]
    for builder in builders:
        _, message = builder.communicate(timeout=PATIENCE)
        assert builder.returncode == 0, message
    assert digests_in(tmp_path) == right
    assert not list(tmp_path.glob(".*"))


# Kills one build after the other, each in a folder of its own, a moment later than the one before:
# what happens to a folder happens between two of its moments. The last build is not killed.
KILLER = """
import os, signal, sys
from tablebase.core.rules.material import Material
from tablebase.core.building.builder import Stage
from tablebase.core.building.generator import generate

def build(folder, nth):
    moments = 0

    def pass_one():
        nonlocal moments
        moments += 1
        if moments == nth:
            os.kill(os.getpid(), signal.SIGKILL)

    def note(event, arguments):
        if event in {"open", "os.rename", "os.remove"} and folder in str(arguments[0]):
            pass_one()

    def flush(descriptor, fsync=os.fsync):
        pass_one()
        fsync(descriptor)

    sys.addaudithook(note)
    os.fsync = flush
    report = lambda event: event.stage in {Stage.WRITING, None} and pass_one()
    generate([Material.from_name("KRK")], folder, report=report)

status, nth = signal.SIGKILL, 0
while status == signal.SIGKILL:
    nth += 1
    child = os.fork()
    if not child:
        build(os.path.join(sys.argv[1], str(nth)), nth)
        os._exit(0)
    _, status = os.waitpid(child, 0)
sys.exit(status != 0)
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_killed_at_any_moment(tmp_path, right):
    subprocess.run([sys.executable, "-c", KILLER, str(tmp_path)], check=True)
    folders = sorted(tmp_path.iterdir(), key=lambda folder: int(folder.name))
    assert len(folders) > 40
    right = {name: digest for name, digest in right.items() if name[0] in {"KK", "KRK"}}
    assert digests_in(folders[-1]) == right
    for folder in folders:
        assert digests_in(folder).items() <= right.items()
        for name, metric in digests_in(folder):
            read_table(folder / f"{name}.h5", metric_named(metric))
        generate([Material.from_name("KRK")], folder)
        assert digests_in(folder) == right
        assert sorted(path.name for path in folder.iterdir()) == ["KK.h5", "KRK.h5"]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="no tmpfs")
def test_a_disk_that_is_really_full(tmp_path, right, monkeypatch):
    monkeypatch.setattr(generation, "check_disk", lambda *_: None)
    small = tmp_path / "small"
    small.mkdir()
    mount = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", small],
        check=False,
        capture_output=True,
    )
    if mount.returncode:
        pytest.skip("mounting is not allowed here")
    try:
        for size in range(0, 120_000, 4096):
            for path in small.iterdir():
                path.unlink()
            (small / "ballast").write_bytes(bytes(size))
            with suppress(OSError):
                generate([KPK], small)
                assert digests_in(small) == right
            assert digests_in(small).items() <= right.items()
            assert not list(small.glob(".*"))
    finally:
        subprocess.run(["umount", small], check=True)
