"""What was solved, kept in files: read again, gone on from, probed, damaged."""

import json
import subprocess
import sys
import threading
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import chess
import numpy as np
import pytest
from support.clock import set_clock
from support.few import few
from support.forks import in_child, needs_fork, threads_may_fork
from support.waiting import PATIENCE

import tablebase
from tablebase.cli.program import main
from tablebase.core.ground.errors import (
    CorruptTableError,
    MissingTableError,
    UnsupportedPositionError,
)
from tablebase.solve import batches as batches_module
from tablebase.solve import saving as saving_module
from tablebase.solve.answers import NotSavedError, solve_position
from tablebase.solve.bounds import bounds_in
from tablebase.solve.budget import PROGRAM, Budget
from tablebase.solve.places import place_of
from tablebase.solve.region_file import NOT_ASKED, OPEN, RegionFile, write_region
from tablebase.solve.saving import load_region, save_region
from tablebase.solve.solver import Solver
from tablebase.solve.verifying import check_region, contradiction, random_positions

ROOT = Path(__file__).parents[2]
FEN = "2k5/8/p1P5/P2K4/8/8/8/8 w - - 0 1"
PASSING = "8/2p5/8/1P1k4/8/8/8/3K4 b - - 0 1"  # after c7-c5 it can be captured en passant
BUDGET = "10h,2GB"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("regions")
    solve_position(chess.Board(FEN), BUDGET, moves=True, save=folder / "fahrni.region")
    solve_position(chess.Board(PASSING), BUDGET, moves=True, save=folder / "passing.region")
    return folder


def test_what_is_read_is_what_was_written(tmp_path):
    board = chess.Board(PASSING)
    solver = Solver(board, Budget(36_000, 2 * 10**9), threads=1)
    solver.run(moves=True)
    save_region(tmp_path / "a.region", solver.region, board.fen(), ("KPK",), 2)
    other = Solver(board, Budget(36_000, 2 * 10**9), threads=1)
    with RegionFile(tmp_path / "a.region") as file:
        assert (file.header.fen, file.header.few, file.header.tables) == (
            board.fen(), True, ("KPK",)
        )  # fmt: skip
        numbers = load_region(file, other.region)
        assert len(numbers) == solver.structures
    save_region(tmp_path / "b.region", other.region, board.fen(), ("KPK",), 1)
    with RegionFile(tmp_path / "a.region") as one, RegionFile(tmp_path / "b.region") as two:
        for first, second in zip(one.header, two.header, strict=True):
            np.testing.assert_array_equal(first, second)
        last = int(one.starts[-1])
        np.testing.assert_array_equal(one.words(0, last), two.words(0, last))


@pytest.mark.parametrize(("fen", "planes"), [
    ("8/k7/3p4/p2P4/P2P4/8/8/K7 w - - 0 1", 100),
    pytest.param("8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1", 1000, marks=pytest.mark.slow),
])  # fmt: skip
def test_solving_goes_on_from_a_file(tmp_path, fen, planes):
    board, path = chess.Board(fen), tmp_path / "lasker.region"

    def stop_early(solution):
        if solution.planes > planes:
            raise KeyboardInterrupt

    first = solve_position(board, BUDGET, save=path, progress=stop_early)
    assert not first.proven
    second = solve_position(board, BUDGET, save=path)
    assert (second.result, second.proven) == ("win", True)
    third = solve_position(board, BUDGET, save=path)
    assert third.result == "win"
    assert third.planes == second.planes
    assert third.plan


@pytest.mark.slow
def test_what_was_not_asked_for_is_asked_for_later(tmp_path):
    root, path = chess.Board("8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1"), tmp_path / "lasker.region"
    first = solve_position(root, BUDGET, save=path)
    with RegionFile(path) as file:
        assert (file.header.states & 2 * NOT_ASKED != 0).mean() > 0.5  # that White does not lose
        boards = list(random_positions(file, 200))
        found = [bounds_in(file, board) for board in boards]
    assert check_region(path, sample=100).passed
    board = next(b for b, bounds in zip(boards, found, strict=True) if bounds == (-1, 1))
    expected = solve_position(board, BUDGET, moves=True)
    solution = solve_position(board, BUDGET, moves=True, save=path)
    assert solution.proven
    assert solution.moves == expected.moves
    assert solution.planes > first.planes
    assert check_region(path, sample=100).passed


def test_results_can_be_probed(folder):
    board = chess.Board(FEN)
    with tablebase.open_tablebase(folder) as tables:
        assert tables.probe_wdl(board) == 1
        assert tables.get_dtm(board) is None
        with pytest.raises(MissingTableError, match=r"no distance to mate: `tablebase\.solve\."):
            tables.probe_dtm(board)
        for uci, expected in (("d5e6", -1), ("d5c5", -1)):
            after = board.copy()
            after.push_uci(uci)
            assert tables.probe_wdl(after) == expected
        passing = chess.Board(PASSING)
        passing.push_uci("c7c5")
        assert passing.has_legal_en_passant()
        assert tables.probe_wdl(passing) == 0
        with pytest.raises(MissingTableError, match="not in"):
            tables.probe_wdl(chess.Board("8/8/8/8/8/1k6/3PPPPP/K7 w - - 0 1"))
        with pytest.raises(UnsupportedPositionError, match="castling"):
            tables.probe_wdl(chess.Board("4k3/8/8/8/8/8/PP6/R3K2R w K - 0 1"))
        assert tables.get_wdl(chess.Board("8/8/8/8/8/1k6/8/KRRRRRR1 w - - 0 1")) is None


def test_many_results_can_be_probed(folder, tmp_path):
    known, outside = chess.Board(FEN), chess.Board("8/8/8/8/8/1k6/3PPPPP/K7 w - - 0 1")
    kings, table = chess.Board("8/8/8/8/8/1k6/8/K7 w - - 0 1"), "8/8/8/8/8/1k6/7P/K7 w - - 0 1"
    with tablebase.open_tablebase(folder) as tables:
        found, valid = tables.probe_wdl_many([known, kings, outside, table], skip_missing=True)
        assert (found.tolist(), valid.tolist()) == ([1, 0, 0, 0], [True, True, False, False])
        assert found.dtype == np.int8
        found, valid = tables.probe_wdl_many([FEN, outside])  # too many men, as before
        assert (found.tolist(), valid.tolist()) == ([1, 0], [True, False])
        with pytest.raises(MissingTableError, match="KPK"):
            tables.probe_wdl_many([FEN, table])
    with tablebase.open_tablebase(tmp_path) as tables:
        assert not tables.probe_wdl_many([known], skip_missing=True)[1].any()
        with pytest.raises(MissingTableError, match="KPK"):
            tables.probe_wdl_many([table])


@pytest.mark.thorough
@needs_fork
@threads_may_fork
def test_a_fork_while_other_threads_probe(folder):
    board = chess.Board(FEN)
    with tablebase.open_tablebase(folder) as tables:
        assert tables.probe_wdl(board) == 1
        stop = threading.Event()

        def probe():
            while not stop.is_set():
                tables.probe_wdl(board)

        threads = [threading.Thread(target=probe) for _ in range(2)]
        for thread in threads:
            thread.start()
        try:
            for _ in range(10):
                assert in_child(lambda: tables.probe_wdl(board) == 1)
        finally:
            stop.set()
            for thread in threads:
                thread.join()


@pytest.mark.thorough
@needs_fork
def test_a_fork_before_anything_else_has_loaded_hdf5(folder):
    """Its lock is another one that a fork waits for; the order must be that of threads."""
    code = f"""
import os, threading
import chess
import tablebase
board = chess.Board({FEN!r})
tables = tablebase.open_tablebase({str(folder)!r})
results, stop = [tables.probe_wdl(board)], threading.Event()
def probe():
    while not stop.is_set():
        tables.probe_wdl(board)
threads = [threading.Thread(target=probe) for _ in range(2)]
for thread in threads: thread.start()
for _ in range(10):
    child = os.fork()
    if not child: os._exit(tables.probe_wdl(board))
    results.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
stop.set()
for thread in threads: thread.join()
print(results == [1] * 11)
"""
    result = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert result.stdout == "True\n", result.stderr


def test_regions_that_are_added_or_removed_are_noticed(folder, tmp_path):
    board = chess.Board(FEN)
    with tablebase.open_tablebase(tmp_path) as tables:
        assert tables.get_wdl(board) is None
        path = tmp_path / "new.region"
        path.write_bytes((folder / "fahrni.region").read_bytes())
        assert tables.get_wdl(board) == 1
        path.unlink()
        assert tables.get_wdl(board) is None


def test_damage_is_found(folder, tmp_path):
    good = (folder / "fahrni.region").read_bytes()
    rng = np.random.default_rng(0)
    bad, found = tmp_path / "bad.region", 0
    for place in rng.choice(len(good), 40, replace=False):
        data = bytearray(good)
        data[place] ^= 1 << rng.integers(8)
        bad.write_bytes(data)
        try:
            with RegionFile(bad) as file:
                file.words(0, int(file.starts[-1]))
        except CorruptTableError:
            found += 1
    assert found >= 35  # there may be places that mean nothing
    bad.write_bytes(good[: len(good) // 2])
    board = chess.Board(FEN)
    with tablebase.open_tablebase(tmp_path) as tables, pytest.raises(CorruptTableError):
        tables.probe_wdl(board)
    with pytest.raises(CorruptTableError):
        solve_position(board, BUDGET, save=bad)


def test_a_file_that_does_not_fit_is_left_as_it_is(folder):
    path = folder / "fahrni.region"
    before = path.read_bytes()
    budget = Budget(36_000, PROGRAM + 800_000)
    solution = solve_position(chess.Board(FEN), budget, save=path)
    assert "memory" in solution.stopped
    assert path.read_bytes() == before


class Clock:
    """A clock that stands still but for what a test lets take time."""

    def __init__(self, monkeypatch, seconds_to_solve, seconds_to_save):
        self.now, self.saved = 0.0, 0
        set_clock(self, monkeypatch.setattr)
        self.let_take(monkeypatch, batches_module, "solve_batch", seconds_to_solve, _structures)
        for name in ("rehearse_writing", "write_region"):
            self.let_take(monkeypatch, saving_module, name, seconds_to_save, _written)
        monkeypatch.setattr(batches_module, "CHUNK", 8)

    def let_take(self, monkeypatch, place, name, seconds, amount):
        original = getattr(place, name)

        def slow(*given):
            self.now += seconds * amount(*given)
            return original(*given)

        monkeypatch.setattr(place, name, slow)

    def monotonic(self):
        return self.now


def _structures(_region, _work, _todo, first, last):
    return last - first


def _written(_path, header, _words, _threads):
    return len(header.keys)


@pytest.mark.parametrize("seconds_to_save", few([0.01, 0.5, 4], 0.5))
def test_the_time_for_saving_is_left(tmp_path, monkeypatch, seconds_to_save):
    board, path = chess.Board("8/1p3kpp/8/8/8/1P6/P4KPP/8 w - - 0 1"), tmp_path / "a.region"
    clock = Clock(monkeypatch, 1, seconds_to_save)
    solution = solve_position(board, Budget(2000, 2 * 10**9), threads=1, save=path)
    assert solution.stopped == "the time is used up"
    assert clock.now <= 2000 + batches_module.CHUNK
    # Nor is much of it wasted.
    assert solution.structures * (1 + seconds_to_save) > 1000
    with RegionFile(path) as file:
        assert len(file.header.keys) >= solution.structures


def test_reading_a_file_takes_time_of_the_budget(tmp_path, monkeypatch):
    board, path = chess.Board("8/1p3kpp/8/8/8/1P6/P4KPP/8 w - - 0 1"), tmp_path / "a.region"
    clock = Clock(monkeypatch, 1, 0.5)
    solve_position(board, Budget(1500, 2 * 10**9), threads=1, save=path)
    before = path.read_bytes()
    monkeypatch.setattr(saving_module, "_PART", 1 << 12)
    clock.let_take(monkeypatch, RegionFile, "words", 1e-3, lambda _file, first, last: last - first)
    with RegionFile(path) as file:
        seconds = 1e-3 * int(file.starts[-1])
    # It ends while the file is read, or before anything that is new could be saved.
    for budget in (seconds / 2, seconds + 10):
        clock.now = 0
        solution = solve_position(board, Budget(budget, 2 * 10**9), threads=1, save=path)
        assert solution.stopped == "the time is used up"
        assert clock.now < 1.1 * budget
        assert path.read_bytes() == before


def test_leftovers_of_killed_processes_are_removed(tmp_path):
    script = (
        "import os, sys; from pathlib import Path\n"
        "from tablebase.core.storage.atomic import partial_file\n"
        "with partial_file(Path(sys.argv[1])): os._exit(9)"
    )
    path = tmp_path / "a.region"
    subprocess.run([sys.executable, "-c", script, str(path)], cwd=ROOT, check=False)
    assert [one.suffix for one in tmp_path.iterdir()] == [".partial"]
    solve_position(chess.Board(PASSING), BUDGET, save=path)
    assert list(tmp_path.iterdir()) == [path]


@contextmanager
def files_no_larger_than(size):
    """Let the system refuse what makes a file larger, as a full disk does."""
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_what_cannot_be_saved_is_not_lost(folder, tmp_path, capsys):
    path = tmp_path / "a.region"
    path.write_bytes((folder / "passing.region").read_bytes())
    before = path.read_bytes()
    arguments = ["solve", FEN, "--save", "a", "--json", "--dir", str(tmp_path)]
    with files_no_larger_than(4000):
        with pytest.raises(NotSavedError, match=r"a\.region: .*make room") as caught:
            solve_position(chess.Board(FEN), BUDGET, save=path)
        assert main(arguments) == 2
    assert caught.value.solution.result == "win"
    captured = capsys.readouterr()
    assert json.loads(captured.out)["result"] == "win"
    told = captured.err.splitlines()
    assert len(told) == 1
    assert "the solution could not be saved" in told[0]
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_bytes() == before


def test_a_place_where_nothing_can_be_saved_is_refused_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr(Solver, "run", lambda *_, **__: pytest.fail("it is solved"))
    with pytest.raises(FileNotFoundError, match=r"none/a\.region"):
        solve_position(chess.Board(FEN), BUDGET, save=tmp_path / "none" / "a.region")


@pytest.mark.thorough
def test_what_follows_passes_the_check(folder):
    for name in ("fahrni", "passing"):
        report = check_region(folder / f"{name}.region", sample=150)
        assert report.passed, report.differences
        assert report.sampled > 50


def test_flipped_bits_are_found(folder, tmp_path):
    """Lower bounds that claim too much are found, wherever they are."""
    rng = np.random.default_rng(1)
    bad = tmp_path / "bad.region"
    with RegionFile(folder / "passing.region") as file:
        header, words = file.header, file.words(0, int(file.starts[-1]))
        starts, planes = file.starts, header.planes
    flipped = 0
    while flipped < 6:
        number = int(rng.integers(len(starts) - 1))
        size = 64 * int(planes[number])
        changed = words.copy()
        # Where White is sure to win with Black to move: claimed of a position where he is not, but
        # no other bound says so.
        sets = changed[starts[number] : starts[number + 1]].reshape(-1, size)
        free = ~sets[1] & ~sets[3]
        if header.states[number] & OPEN:
            free &= sets[5]
        if not free.any():
            continue
        places = np.flatnonzero(free)
        at = places[rng.integers(len(places))]
        sets[1, at] |= _some_bit(rng, free[at])
        write_region(bad, header, [changed])
        flipped += 1
        report = check_region(bad, sample=5)
        assert not report.passed
        assert "do not follow" in report.differences[0]


def test_bounds_that_contradict_each_other_are_damage(folder, tmp_path):
    """An edited file whose checksums are right is refused in one line, whoever reads it."""
    board, bad = chess.Board(PASSING), tmp_path / "bad.region"
    board.push_uci("d5e6")  # a draw
    with RegionFile(folder / "passing.region") as file:
        header, words = file.header, file.words(0, int(file.starts[-1]))
        place = place_of(board)
        number = file.find(*place.structure)
        start, planes = int(file.starts[number]), int(header.planes[number])

    def edited(*attackers):
        """Return the words where these are sure to win in the position."""
        changed = words.copy()
        above = 2 if header.states[number] & OPEN else 0
        for bound in {attacker + part for attacker in attackers for part in (0, above)}:
            at = start + ((2 * bound + place.turn) * planes + place.plane) * 64
            changed[at + place.white_king] |= np.uint64(1 << place.black_king)
        return changed

    write_region(bad, header, [edited(0, 1)])
    with (
        tablebase.open_tablebase(tmp_path) as tables,
        pytest.raises(CorruptTableError, match=r"bad\.region is damaged: bounds on the result of"),
    ):
        tables.probe_wdl(board)
    for read in (check_region, lambda path: solve_position(board, BUDGET, save=path)):
        with pytest.raises(CorruptTableError, match=r"bad\.region is damaged: bounds contradict"):
            read(bad)
    # Each structure for itself may be sound, but not what the moves of the position say.
    for attacker in range(2):
        write_region(bad, header, [edited(attacker)])
        with pytest.raises(CorruptTableError, match=r"bad\.region is damaged: bounds on the res"):
            solve_position(board, BUDGET, moves=True, save=bad)


def _some_bit(rng, word):
    return np.uint64(1) << np.uint64(rng.choice([s for s in range(64) if int(word) >> s & 1]))


def test_forward_moves_find_what_is_claimed_too_much(folder, tmp_path):
    with RegionFile(folder / "passing.region") as file:
        boards = list(random_positions(file, 300))
        header, words = file.header, file.words(0, int(file.starts[-1]))
        for board in boards:
            place = place_of(board)
            number = file.find(*place.structure)
            is_open = number is None or header.states[number] & OPEN  # has two bounds to change
            if bounds_in(file, board) == (0, 0) and not is_open:
                break
        planes = int(header.planes[number])
        own = ((2 * place.turn + place.turn) * planes + place.plane) * 64 + place.white_king
        changed = words.copy()
        changed[file.starts[number] + own] |= np.uint64(1) << np.uint64(place.black_king)
    write_region(tmp_path / "bad.region", header, [changed])
    with RegionFile(tmp_path / "bad.region") as file:
        assert "at least 1" in contradiction(file, board)


def test_the_tables_that_it_rests_on_are_kept(tables_dir, tmp_path):
    board, path = chess.Board("8/8/8/8/1k1p4/8/2P5/3K4 w - - 0 1"), tmp_path / "a.region"
    with tablebase.open_tablebase(tables_dir) as tables:
        used = solve_position(board, BUDGET, moves=True, tables=tables, save=path).tables
    again = solve_position(board, BUDGET, moves=True, save=path)
    assert again.tables == used != ()
    report = check_region(path, sample=50)
    assert report.passed
    assert report.from_tables > 0
    # Of a region that has nothing but what tables gave, nothing is checked.
    nothing = replace(report, structures=report.from_tables, sampled=0)
    assert (nothing.passed, nothing.differs) == (False, False)
