"""Reading codes: files come and go, threads meet, memory stays bounded."""

import copy
import multiprocessing
import os
import pickle
import shutil
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import chess
import numpy as np
import pytest
from support.forks import in_child, needs_fork, threads_may_fork
from support.oracle import random_boards
from support.waiting import PATIENCE

from tablebase.core.answers.opening import open_tablebase
from tablebase.core.answers.tablebase import Tablebase
from tablebase.core.ground.errors import CorruptTableError, MissingTableError
from tablebase.core.reading import open_tables
from tablebase.core.reading.locate import PAGE_SIZE
from tablebase.core.rules.material import Material
from tablebase.core.storage.reading import open_table

ROOT = Path(__file__).parents[3]
KRK = chess.Board("8/8/8/8/8/2k5/1R6/K7 w - - 0 1")
KQK = chess.Board("8/8/8/8/8/2k5/8/K2Q4 w - - 0 1")


@pytest.fixture
def some_tables(tables_dir, tmp_path):
    for name in ("KRK", "KQK", "KRKN"):
        shutil.copy(tables_dir / f"{name}.h5", tmp_path)
    return tmp_path


def test_available_tables_are_listed_without_opening_them(some_tables):
    (some_tables / "KBK.h5").write_text("not yet looked at")
    for other in ("notes.txt", "nothing.h5", "KKR.h5"):
        (some_tables / other).touch()
    with open_tablebase(some_tables) as tablebase:
        assert [m.name for m in tablebase.available_materials] == ["KBK", "KQK", "KRK", "KRKN"]
        assert tablebase.available_tables["KRK"] == some_tables / "KRK.h5"
        with pytest.raises(CorruptTableError, match=r"KBK\.h5"):
            tablebase.get_dtm(chess.Board("8/8/8/8/8/2k5/8/K2B4 w - - 0 1"))


def test_a_missing_directory_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        open_tablebase(tmp_path / "nowhere")


def test_bare_kings_need_no_file(tmp_path):
    with open_tablebase(tmp_path) as tablebase:
        board = chess.Board("8/8/8/8/8/2k5/8/K7 w - - 0 1")
        assert tablebase.probe_dtm(board) == tablebase.probe_wdl(board) == 0
        assert not tablebase.available_materials


def test_a_missing_table_is_named_with_the_remedy(tmp_path):
    with open_tablebase(tmp_path) as tablebase:
        with pytest.raises(MissingTableError) as raised:
            tablebase.probe_dtm(chess.Board("8/8/8/8/8/2K1n3/8/k2r4 w - - 0 1"))
        message = str(raised.value)
        assert "KRNK" in message
        assert f"`tablebase build KRNK --dir {tmp_path}`" in message
        assert isinstance(raised.value, KeyError)


def test_directories_can_be_added(tables_dir, some_tables):
    board = chess.Board("8/8/8/8/8/2k5/8/K2B4 w - - 0 1")
    with open_tablebase(some_tables) as tablebase:
        assert tablebase.get_dtm(board, 77) == 77
        assert not tablebase.probe_dtm_many([board], skip_missing=True)[1].any()
        assert tablebase.get_dtm(board, 77) == 77
        assert tablebase.add_directory(tables_dir) > 30
        assert tablebase.add_directory(tables_dir) == 0
        assert tablebase.probe_dtm(board) == 0
        assert tablebase.probe_dtm_many([board])[1].all()


def test_closing_forgets_all_and_can_be_repeated(some_tables):
    tablebase = open_tablebase(some_tables)
    plies = tablebase.probe_dtm(KRK)
    tablebase.close()
    tablebase.close()
    assert not tablebase.available_tables
    with pytest.raises(MissingTableError):
        tablebase.probe_dtm(KRK)
    tablebase.add_directory(some_tables)
    assert tablebase.probe_dtm(KRK) == plies
    tablebase.close()


def test_a_table_under_a_wrong_name_is_corrupt(some_tables):
    shutil.copy(some_tables / "KQK.h5", some_tables / "KRK.h5")
    with open_tablebase(some_tables) as tablebase:
        with pytest.raises(CorruptTableError, match="KQK"):
            tablebase.probe_dtm(KRK)
        assert tablebase.probe_wdl(KQK) == 1


@pytest.mark.parametrize("cache_size", [0, 5 * PAGE_SIZE, 2**28])
def test_memory_is_bounded_and_values_do_not_depend_on_it(tables_dir, cache_size):
    boards = list(random_boards(Material.from_name("KRKN"), 300, seed=8))
    with open_tablebase(tables_dir) as tablebase:
        expected = [tablebase.probe_dtm(board) for board in boards]
    with open_tablebase(tables_dir, cache_size=cache_size) as tablebase:
        assert [tablebase.probe_dtm(board) for board in boards] == expected
        plies, valid = tablebase.probe_dtm_many(boards)
        assert plies.tolist() == expected
        assert valid.all()
        assert len(tablebase._reader._pages) <= max(1, cache_size // PAGE_SIZE)


def test_many_threads_may_probe(tables_dir):
    names = ("KRK", "KQK", "KRKN", "KPKP", "KQKR", "KBNK")
    boards = [b for name in names for b in random_boards(Material.from_name(name), 60, seed=9)]
    with open_tablebase(tables_dir) as tablebase:
        expected = [tablebase.probe_dtm(board) for board in boards]

    def probe(tablebase, seed):
        order = np.random.default_rng(seed).permutation(len(boards))
        if seed % 4 == 0:
            return tablebase.probe_dtm_many(boards)[0].tolist()
        found = {i: tablebase.probe_dtm(boards[i]) for i in order}
        return [found[i] for i in range(len(boards))]

    with (
        Tablebase(cache_size=20 * PAGE_SIZE) as tablebase,
        ThreadPoolExecutor(8) as pool,
    ):
        tablebase.add_directory(tables_dir)
        jobs = [pool.submit(probe, tablebase, seed) for seed in range(16)]
        assert all(job.result() == expected for job in jobs)


def in_new_process(code, *arguments):
    """Return what a program prints in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        check=True, capture_output=True, text=True, env=environment, timeout=PATIENCE,
    ).stdout  # fmt: skip


def test_the_first_probes_may_come_from_many_threads(some_tables):
    code = """
import sys, threading, chess
from tablebase.core.answers.opening import open_tablebase
tablebase, found, start = open_tablebase(sys.argv[1]), [], threading.Barrier(16)
def probe():
    start.wait()
    found.append(tablebase.probe_dtm(chess.Board("8/8/8/8/8/2k5/1R6/K7 w - - 0 1")))
threads = [threading.Thread(target=probe) for _ in range(16)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(found == [31] * 16)
"""
    assert in_new_process(code, some_tables) == "True\n"


# Forks: a child has only the thread that forked.


@needs_fork
@threads_may_fork
def test_batches_after_a_fork(tables_dir):
    boards = list(random_boards(Material.from_name("KRKN"), 100, seed=10))
    with open_tablebase(tables_dir) as tablebase:
        expected = tablebase.probe_dtm_many(boards * 100, threads=2)[0].tolist()
        for _ in range(3):
            assert in_child(
                lambda: tablebase.probe_dtm_many(boards * 100, threads=2)[0].tolist() == expected
            )
        assert tablebase.probe_dtm_many(boards)[0].tolist() == expected[:100]


@pytest.mark.thorough
@needs_fork
@threads_may_fork
def test_a_fork_while_other_threads_probe(tables_dir):
    boards = list(random_boards(Material.from_name("KRKN"), 200, seed=10))
    with open_tablebase(tables_dir, cache_size=0) as tablebase:
        expected = [tablebase.probe_dtm(board) for board in boards]
        stop = threading.Event()

        def probe():
            while not stop.is_set():
                for board in boards:
                    tablebase.probe_dtm(board)

        threads = [threading.Thread(target=probe) for _ in range(2)]
        for thread in threads:
            thread.start()
        try:
            for _ in range(10):
                assert in_child(lambda: [tablebase.probe_dtm(b) for b in boards] == expected)
        finally:
            stop.set()
            for thread in threads:
                thread.join()


@pytest.mark.thorough
@needs_fork
@threads_may_fork
def test_pools_of_forked_and_of_new_processes(tables_dir):
    with open_tablebase(tables_dir) as tablebase:
        tablebase.probe_dtm_many([KRK, KQK])
        expected = [tablebase.probe_dtm(board) for board in (KRK, KQK)]
        for method in ("fork", "spawn"):
            with multiprocessing.get_context(method).Pool(2) as pool:
                assert pool.map(tablebase.probe_dtm, [KRK, KQK]) == expected


def test_copies_open_the_same_folders(some_tables, monkeypatch):
    monkeypatch.chdir(some_tables.parent)
    with open_tablebase(some_tables.name, cache_size=PAGE_SIZE) as tablebase:
        plies = tablebase.probe_dtm(KRK)
        monkeypatch.chdir("/")
        copies = [
            pickle.loads(pickle.dumps(tablebase)),
            copy.deepcopy(tablebase),
            copy.copy(tablebase),
        ]
    for one in copies:
        with one:
            assert one.directories == (some_tables,)
            assert one._sizes["cache_size"] == PAGE_SIZE
            assert one.probe_dtm(KRK) == plies
    assert not pickle.loads(pickle.dumps(tablebase)).directories  # it is closed


# Files that come and go


def test_new_and_removed_tables_are_seen(tables_dir, some_tables):
    board = chess.Board("8/8/8/8/8/2k5/8/K2B4 w - - 0 1")
    with open_tablebase(some_tables) as tablebase:
        assert tablebase.get_dtm(board, 77) == 77
        assert not tablebase.probe_dtm_many([board], skip_missing=True)[1].any()
        shutil.copy(tables_dir / "KBK.h5", some_tables)
        assert tablebase.probe_dtm_many([board], skip_missing=True)[1].all()
        assert tablebase.probe_dtm(board) == 0
        assert len(tablebase.available_materials) == 4
        (some_tables / "KBK.h5").unlink()
        assert "KBK" not in tablebase.available_tables
        with pytest.raises(MissingTableError, match="KBK"):
            tablebase.probe_dtm(board)


def test_a_file_that_goes_before_it_is_opened_is_missing(some_tables):
    with open_tablebase(some_tables) as tablebase:
        for name in ("KRK", "KQK"):
            (some_tables / f"{name}.h5").unlink()
        with pytest.raises(MissingTableError, match="build KRK --dir"):
            tablebase.probe_dtm(KRK)
        assert not tablebase.probe_dtm_many([KQK], skip_missing=True)[1].any()
        with pytest.raises(MissingTableError, match="build KQK --dir"):
            tablebase.probe_dtm_many([KQK])
        shutil.rmtree(some_tables)
        with pytest.raises(MissingTableError, match="there is no folder"):
            tablebase.probe_dtm(chess.Board("8/8/8/8/8/2K1n3/8/k2r4 w - - 0 1"))
        assert not tablebase.available_tables


def test_a_replaced_file_is_opened_anew(tables_dir, some_tables):
    shutil.copy(some_tables / "KQK.h5", some_tables / "KRK.h5")
    with open_tablebase(some_tables) as tablebase:
        with pytest.raises(CorruptTableError):
            tablebase.probe_dtm(KRK)
        shutil.copy(tables_dir / "KRK.h5", some_tables / "new")
        (some_tables / "new").replace(some_tables / "KRK.h5")
        assert tablebase.probe_dtm(KRK) == 31
        _, file = tablebase._reader._files[Material.from_name("KRK")]
        shutil.copy(tables_dir / "KRK.h5", some_tables / "new")
        (some_tables / "new").replace(some_tables / "KRK.h5")
        assert len(tablebase.available_tables) == 3
        assert tablebase.probe_dtm(KRK) == 31
        assert tablebase._reader._files[Material.from_name("KRK")][1] is not file


def test_unchanged_folders_are_not_read_again(some_tables, monkeypatch):
    with open_tablebase(some_tables) as tablebase:
        os.utime(some_tables, (1, 1))
        assert len(tablebase.available_tables) == 3
        monkeypatch.setattr(os, "scandir", None)
        assert tablebase.get_dtm(chess.Board("8/8/8/8/8/2k5/8/K2B4 w - - 0 1")) is None
        assert len(tablebase.available_tables) == 3


def test_a_file_without_the_metric_is_opened_once(some_tables, monkeypatch):
    opened = []
    monkeypatch.setattr(
        open_tables, "open_table", lambda *one: opened.append(one) or open_table(*one)
    )
    with open_tablebase(some_tables) as tablebase:
        assert [tablebase.get_dtz(KRK) for _ in range(3)] == [None] * 3
        assert len(opened) == 1
        shutil.copy(some_tables / "KRK.h5", some_tables / "new")
        (some_tables / "new").replace(some_tables / "KRK.h5")
        assert tablebase.get_dtz(KRK) is None
        assert len(opened) == 2
        with pytest.raises(MissingTableError, match="DTZ of KRK"):
            tablebase.probe_dtz(KRK)


def test_names_of_more_men_than_tables_have_cost_nothing(some_tables):
    for name in ("KPPPPPPPPKPPPPPPPP", "KQRBNPPPKQRBNPPP", "KPPPPKPPPP"):
        (some_tables / f"{name}.h5").touch()
    (some_tables / "KBK.h5").mkdir()
    with open_tablebase(some_tables) as tablebase:
        assert [m.name for m in tablebase.available_materials] == ["KQK", "KRK", "KRKN"]


def test_the_first_folder_counts(tables_dir, some_tables):
    with open_tablebase(some_tables) as tablebase:
        tablebase.add_directory(tables_dir)
        assert tablebase.available_tables["KRK"] == some_tables / "KRK.h5"
        assert tablebase.available_tables["KBK"] == tables_dir / "KBK.h5"
        assert tablebase.directories == (some_tables, tables_dir)
        (some_tables / "KRK.h5").unlink()
        assert tablebase.probe_dtm(KRK) == 31
        assert tablebase.available_tables["KRK"] == tables_dir / "KRK.h5"


def test_folders_are_found_without_being_named(some_tables, monkeypatch):
    monkeypatch.setenv("TABLEBASE_PATH", f"{some_tables / 'none'}{os.pathsep}{some_tables}")
    with open_tablebase() as tablebase:
        assert tablebase.directories == (some_tables,)
        assert repr(tablebase) == f"<Tablebase: 3 tables in {some_tables}>"
    assert repr(tablebase) == "<Tablebase: 0 tables in no directory>"
    monkeypatch.setenv("TABLEBASE_PATH", str(some_tables / "none"))
    with pytest.raises(FileNotFoundError, match="none: make it with `tablebase build`"):
        open_tablebase()
