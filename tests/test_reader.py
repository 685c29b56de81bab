"""Reading codes: files come and go, threads meet, memory stays bounded."""

import shutil
from concurrent.futures import ThreadPoolExecutor

import chess
import numpy as np
import pytest
from oracle import random_boards

from tablebase.errors import CorruptTableError, MissingTableError
from tablebase.locate import PAGE_SIZE
from tablebase.material import Material
from tablebase.probe import Tablebase, open_tablebase

KRK = chess.Board("8/8/8/8/8/2k5/8/K2R4 w - - 0 1")
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
        assert len(tablebase._pages) <= max(1, cache_size // PAGE_SIZE)


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
