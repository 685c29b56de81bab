"""Castling sets that a server has solved beside it: once for all who ask, and nobody waits."""

import http.client
import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode

import chess
import pytest
from support.clock import Clock
from support.commands import environment_of
from support.in_process import ask, serving_tables
from support.waiting import PATIENCE, until

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

import tablebase
from tablebase.core.castling.solved_sets import UnsolvedSetError
from tablebase.core.ground.errors import CorruptTableError
from tablebase.serve import beside, castling_jobs, castling_solver, jobs, server
from tablebase.serve.lichess import describe_mainline, describe_standard, read_legal

ROOT = Path(__file__).parents[2]
DATA = ROOT / "data"
OF_A_SET = [
    "4k3/8/8/8/8/8/8/4K2R b K - 0 1",
    "8/4k3/8/8/8/8/8/4K2R w K - 0 1",
    "8/8/8/8/4k3/8/8/4K2R b K - 0 1",
]
FEN = OF_A_SET[0]
OTHER = "4k3/8/8/8/8/8/8/R3K3 b Q - 0 1"
THIRD = "r3k3/8/8/8/8/8/8/4K3 b q - 0 1"
PLAIN = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"
WORDS = "solving positions with castling rights: KRK, a few seconds"
needs_pipes = pytest.mark.skipif(os.name == "nt", reason="Windows has no named pipes")


@contextmanager
def served(**options):
    with serving_tables(DATA, **options) as address:
        yield address


@pytest.fixture
def started(monkeypatch):
    """Return the tasks of the jobs that are started."""
    tasks, start = [], jobs.Jobs.start

    def noting(self, key, task, client, words):
        tasks.append(task)
        return start(self, key, task, client, words)

    monkeypatch.setattr(jobs.Jobs, "start", noting)
    return tasks


@pytest.fixture
def told(monkeypatch, tmp_path):
    """Replace the process that solves; return a function that tells in its place what it knows."""
    pipe = tmp_path / "told"
    os.mkfifo(pipe)
    monkeypatch.setattr(castling_solver, "COMMAND", ("cat", str(pipe)))
    opened = os.open(pipe, os.O_RDWR)  # for both, so that neither side waits for the other
    yield lambda **known: os.write(opened, json.dumps(known).encode() + b"\n")
    os.close(opened)


@pytest.fixture(scope="module")
def solved():
    """Return the sets that the answer about `FEN` needs, as a process tells them."""
    with tablebase.open_tablebase(DATA) as tables:
        for sets in tables.castling_sets.values():
            sets.take_down()
        answer = describe_standard(tables, read_legal(FEN))
        told = [
            castling_solver.packed(metric, *one)
            for metric, sets in tables.castling_sets.items()
            for one in sets.take_down().items()
        ]
    assert answer["category"] == "loss"
    return told


@pytest.mark.thorough
def test_one_solution_is_for_all_who_ask(started):
    with served() as address, ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda fen: ask(address, fen=fen), OF_A_SET * 2))
        line = ask(address, "/standard/mainline", fen=FEN)
    assert len(started) == 1
    with tablebase.open_tablebase(DATA) as tables:
        boards = [read_legal(fen) for fen in OF_A_SET * 2]
        described = [describe_standard(tables, board) for board in boards]
        assert [(status, json.loads(text)) for status, _, text in answers] == [
            (200, one) for one in described
        ]
        assert json.loads(line[2]) == describe_mainline(tables, boards[0])


@pytest.mark.thorough
def test_a_process_goes_on_with_the_next_set(monkeypatch):
    begun, begin = [], jobs.asyncio.create_subprocess_exec

    async def noting(*command, **options):
        begun.append(command)
        return await begin(*command, **options)

    monkeypatch.setattr(jobs.asyncio, "create_subprocess_exec", noting)
    with served() as address:
        for fen in (FEN, OTHER, THIRD):
            assert ask(address, fen=fen)[0] == 200
    assert begun == [castling_solver.COMMAND]


@needs_pipes
def test_reads_are_answered_while_a_set_is_solved(told, solved, started, monkeypatch):
    monkeypatch.setattr(castling_jobs, "WAIT", 0.0)
    with served() as address:
        for path in ("/standard", "/standard/mainline"):
            assert ask(address, path, fen=FEN) == (503, str(castling_jobs.RETRY), WORDS)
        assert ask(address, fen=PLAIN)[0] == 200
        assert ask(address, "/standard/mainline", fen=PLAIN)[0] == 200
        for path in ("/tables", "/tables/tables.json", "/tables/KRK.json", "/tables/KRK.h5"):
            assert ask(address, path)[0] == 200
        told(compiling=True)
        compiling = f"compiling, once per version, for {WORDS}"
        until(lambda: ask(address, fen=FEN)[2] == compiling)
        told(compiling=False)
        for one in solved:
            told(set=one)
        told(done=True, problem=None)
        assert until(lambda: (found := ask(address, fen=FEN))[0] == 200 and found)
    assert len(started) == 1


@needs_pipes
def test_a_client_that_leaves_ends_nothing(told, solved, started):
    with served() as address, ThreadPoolExecutor(1) as pool:
        gone = http.client.HTTPConnection(address.removeprefix("http://"), timeout=PATIENCE)
        gone.request("GET", f"/standard?{urlencode({'fen': FEN})}")
        until(lambda: started)
        waiting = pool.submit(ask, address, fen=OF_A_SET[1])
        gone.close()
        assert ask(address, fen=PLAIN)[0] == 200
        for one in solved:
            told(set=one)
        told(done=True, problem=None)
        assert waiting.result()[0] == 200
    assert len(started) == 1


@needs_pipes
def test_what_takes_too_long_is_given_up_and_not_tried_again(told, started, monkeypatch):
    clock = Clock(rate=0)
    for module in (jobs, castling_jobs):
        monkeypatch.setattr(module, "time", clock)
    monkeypatch.setattr(castling_jobs, "WAIT", 0.0)
    with served() as address:
        assert ask(address, fen=FEN)[2] == WORDS
        clock.skip(castling_jobs.TIME_LIMIT + 1)
        told(compiling=False)
        given_up = "solving positions with castling rights: KRK took more than 600 seconds"
        found = until(lambda: (found := ask(address, fen=FEN))[2] != WORDS and found)
        assert found == (503, "3601", f"{given_up} and was given up")
        clock.skip(100)
        assert ask(address, fen=FEN)[1] == "3501"
        assert len(started) == 1
        clock.skip(3600)
        assert ask(address, fen=FEN)[2] == WORDS
    assert len(started) == 2


def test_each_client_has_one_set_in_the_making_and_all_have_few(monkeypatch):
    monkeypatch.setattr(castling_solver, "COMMAND", ("cat",))  # which tells no end
    monkeypatch.setattr(castling_jobs, "WAIT", 0.0)
    monkeypatch.setattr(castling_jobs, "AT_ONCE", 2)
    with served() as address:

        def words(fen, client):
            status, retry, text = ask(address, fen=fen, client=client)
            assert (status, retry) == (503, "2")
            return text

        assert words(FEN, "192.0.2.1") == WORDS
        assert words(OTHER, "192.0.2.1") == f"{WORDS}; KRK comes later"
        assert words(OTHER, "192.0.2.2") == WORDS
        assert words(FEN, "192.0.2.2") == WORDS  # which is in the making
        assert words(THIRD, "192.0.2.3") == f"{WORDS}; KKR comes later"
        assert ask(address, fen=PLAIN)[0] == 200


def test_a_process_that_fails_is_not_tried_again_at_once(started, monkeypatch):
    monkeypatch.setattr(castling_solver, "COMMAND", (sys.executable, "-c", "raise SystemExit(3)"))
    with served() as address:
        for _ in range(3):
            status, retry, text = ask(address, fen=FEN)
            assert (status, 0 < int(retry) <= 61) == (503, True)
            assert text == "solving positions with castling rights: KRK failed and was given up"
        assert ask(address, fen=PLAIN)[0] == 200
    assert len(started) == 1


def test_what_fails_is_for_the_operator(monkeypatch, capsys):
    def fail(*_, **__):
        raise CorruptTableError("KRK.h5 is damaged")

    monkeypatch.setattr(castling_solver, "describe_standard", fail)
    task = {"fen": FEN, "difficulty": False, "directories": [str(DATA)]}
    problem = beside.problem_of(castling_solver.solve_sets, "solving", task)
    assert problem == jobs.FAILED
    assert "KRK.h5 is damaged" in capsys.readouterr().err


def test_tables_are_missed_before_anything_is_solved(tmp_path, started):
    with serving_tables(tmp_path) as address:
        status, _, text = ask(address, fen=FEN)
    assert (status, json.loads(text)["category"]) == (200, "unknown")
    assert started == []


def test_a_server_solves_no_set_itself():
    with tablebase.open_tablebase(DATA) as tables:
        server.create_app(tables)
        with pytest.raises(UnsolvedSetError, match=WORDS):
            tables.probe_dtm(chess.Board(FEN))


# A server in a fresh process, where another thread holds the compiler as long as it likes.
LOCKED = """
import sys, threading, urllib.request
from urllib.parse import urlencode
import tablebase
from support.in_process import ask, serving, serving_tables
from tablebase.serve import server
from numba.core.compiler_lock import global_compiler_lock

with tablebase.open_tablebase(sys.argv[1]) as tables:
    app = server.create_app(tables)
    locked, over = threading.Event(), threading.Event()

    def hold():
        with global_compiler_lock:
            locked.set()
            over.wait()

    threading.Thread(target=hold, daemon=True).start()
    locked.wait()
    with serving(app) as address:
        for path, fen in zip(sys.argv[2::2], sys.argv[3::2]):
            query = urlencode({"fen": fen, "difficulty": 1})
            with urllib.request.urlopen(f"{address}/{path}?{query}") as answer:
                print(answer.status, path, flush=True)
        over.set()
"""


@pytest.mark.thorough
def test_no_read_waits_for_the_compiler(games_dir, tmp_path):
    """What reads need is compiled before the first request, in chess and other games."""
    folder = tmp_path / "tables"
    shutil.copytree(games_dir, folder)
    for path in DATA.glob("K*.h5"):
        (folder / path.name).symlink_to(path)
    shatranj = "8/8/8/3k4/8/1KQ5/8/q7 w"
    reads = {
        "standard": PLAIN,
        "standard/mainline": PLAIN,
        "shatranj": shatranj,
        "shatranj/mainline": shatranj,
        "tables": "",
        "tables/tables.json": "",
        "tables/KRK.json": "",
        "tables/numbering.json": "",
        "tables/KRK.summary.json": "",
        "tables/KRK.h5": "",
    }
    command = [sys.executable, "-c", LOCKED, str(folder)]
    told = subprocess.run(
        [*command, *(one for read in reads.items() for one in read)],
        env=environment_of(PYTHONPATH=f"{ROOT}{os.pathsep}{ROOT / 'tests'}"),
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert told.returncode == 0, told.stderr
    assert told.stdout.splitlines() == [f"200 {path}" for path in reads]
