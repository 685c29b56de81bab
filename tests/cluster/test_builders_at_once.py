"""Several builders of one file: no order of them may lose a metric.

A builder is stopped between reading what is there and putting its own file in that place, and
another one does all of its work in the meantime.
"""

import threading
from types import SimpleNamespace

import pytest
from support.digests import digests_in
from support.few import few, thorough
from support.waiting import PATIENCE

from tablebase.cluster import worker
from tablebase.cluster.worker import Introduction, Order
from tablebase.core.board.geometry import Color
from tablebase.core.building import builder
from tablebase.core.building.generator import generate
from tablebase.core.ground.errors import CorruptTableError
from tablebase.core.outcomes.metrics import DTM, DTZ, METRICS
from tablebase.core.rules.material import Material
from tablebase.core.storage import writing
from tablebase.core.storage.reading import open_table, read_table
from tablebase.core.storage.writing import write_table
from tablebase.core.tables.table import Table

KK, KRK = Material(), Material.from_name("KRK")  # the smallest table, and one with all results
KINDS = {"dtm": [DTM], "dtz": [DTZ], "both": METRICS}


@pytest.fixture
def right():
    return {name: digest for name, digest in digests_in("data").items() if name[0] == "KK"}


@pytest.fixture
def between(monkeypatch):
    """Return a function that makes something happen before a builder's nth replacing."""
    write_file = writing._write_file

    def set_up(nth, act):
        left = [nth]

        def write(*arguments):
            attributes = write_file(*arguments)
            left[0] -= 1
            if left[0] == 0:
                act()
            return attributes

        monkeypatch.setattr(writing, "_write_file", write)
        return left

    return set_up


def by_command(folder, metrics, *, force=False):
    generate([KK], folder, metrics=metrics, force=force, threads=1)


def by_worker(folder, metrics, *, force=False):
    """Build as the task of a worker does, which Dask may carry out twice."""
    (folder / ".token").touch()
    order = Order(
        material=KK,
        directory=str(folder),
        token=".token",
        version="",
        threads=1,
        builders={},
        force=force,
        metrics=tuple(metric.name for metric in metrics),
    )
    receipt = worker._build(order, (), SimpleNamespace(address="", log_event=lambda *_: None))
    assert receipt.digests.keys() >= set(order.metrics)


@pytest.fixture(params=[by_command, by_worker])
def build(request, monkeypatch):
    tables = {metric: read_table("data/KK.h5", metric) for metric in METRICS}
    monkeypatch.setattr(builder, "solve", lambda *_, metric, **__: tables[metric])
    monkeypatch.setattr(worker, "introduce", lambda _: Introduction("", "", 1, 1, None))
    return request.param


FIRST = [("dtm", 1), ("dtz", 1), ("both", 1), ("both", 2)]


@pytest.mark.parametrize("second", KINDS)
@pytest.mark.parametrize("first", few(FIRST, *FIRST[::2], others=thorough))
def test_no_order_loses_a_metric(tmp_path, right, between, build, first, second):
    _check(tmp_path, right, between, build, first, second)


@pytest.mark.parametrize(("first", "second"), [("dtm", "dtz"), ("dtz", "both"), ("both", "both")])
def test_building_again_loses_no_metric(tmp_path, right, between, first, second):
    _check(tmp_path, right, between, by_command, (first, 1), second, force=True)


def _check(tmp_path, right, between, build, first, second, *, force=False):
    kind, nth = first
    left = between(nth, lambda: build(tmp_path, KINDS[second], force=force))
    build(tmp_path, KINDS[kind], force=force)
    assert left[0] <= 0
    wanted = {metric for one in (kind, second) for metric in KINDS[one]}
    assert digests_in(tmp_path) == {
        ("KK", metric.name): right["KK", metric.name] for metric in wanted
    }
    for metric in wanted:
        read_table(tmp_path / "KK.h5", metric)
    assert {path.name for path in tmp_path.iterdir()} <= {"KK.h5", ".token"}


@pytest.mark.parametrize("first", METRICS, ids=str)
def test_a_builder_that_replaces_keeps_others_waiting(tmp_path, right, monkeypatch, first):
    """One stands between its last look at the file and replacing it, the other comes then."""
    (second,) = set(METRICS) - {first}
    path = tmp_path / "KK.h5"
    tables = {metric: read_table("data/KK.h5", metric) for metric in METRICS}
    other_waits = threading.Event()
    other = threading.Thread(target=write_table, args=(tables[second], path))
    says_the_same, sole_writer = writing._says_the_same, writing.sole_writer

    def look(file, attributes, metric):
        if metric == first:
            other.start()
            assert other_waits.wait(PATIENCE)
        return says_the_same(file, attributes, metric)

    def wait(target):
        if threading.current_thread() is other:
            other_waits.set()
        return sole_writer(target)

    monkeypatch.setattr(writing, "_says_the_same", look)
    monkeypatch.setattr(writing, "sole_writer", wait)
    write_table(tables[first], path)
    other.join()
    assert digests_in(tmp_path) == right


def test_epochs_are_merged_too(tmp_path, between):
    table = read_table("data/KRK.h5")
    long = Table(KRK, *(codes.astype("uint16") for codes in table.codes))
    zeroing = read_table("data/KRK.h5", DTZ)
    path = tmp_path / "KRK.h5"
    for one, other in ((long, zeroing), (zeroing, long)):
        path.unlink(missing_ok=True)
        between(1, lambda other=other: write_table(other, path))
        write_table(one, path)
        with open_table(path) as file:
            file.check()
            assert file.metrics == METRICS
            assert file.parts(DTM) == ["dtm", "dtm_epoch"]
        assert [read_table(path, metric).material for metric in METRICS] == [KRK, KRK]


def damage(path, metric):
    with open_table(path) as file:
        place = file.chunks.dataset(Color.WHITE, metric.name).get_chunk_info(0).byte_offset
    content = bytearray(path.read_bytes())
    content[place + 9] ^= 4
    path.write_bytes(content)


def test_damage_of_another_builder_is_not_merged(tmp_path, right, between, build):
    path = tmp_path / "KK.h5"

    def add_damaged():
        write_table(read_table("data/KK.h5"), path)
        damage(path, DTM)

    between(1, add_damaged)
    build(tmp_path, [DTZ])
    assert digests_in(tmp_path).keys() == {("KK", "dtz")}
    build(tmp_path, METRICS if build is by_command else [DTM])
    assert digests_in(tmp_path) == right
    assert all(read_table(path, metric).material == KK for metric in METRICS)


def test_a_damaged_metric_that_is_not_kept_is_told(tmp_path, build):
    path = tmp_path / "KK.h5"
    write_table(read_table("data/KK.h5"), path)
    damage(path, DTM)
    remedy = r"KK\.h5 was damaged: no DTM of KK .* `tablebase build --metric dtm KK --dir "
    with pytest.raises(CorruptTableError, match=remedy):
        build(tmp_path, [DTZ])
    assert digests_in(tmp_path).keys() == {("KK", "dtz")}
