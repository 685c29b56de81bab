"""Positions solved on demand over HTTP."""

import http.client
import json
import os
import shutil
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import chess
import pytest
from support.clock import Clock, set_clock
from support.commands import environment_of, served
from support.described import DESCRIPTION, check_answer
from support.in_process import serving_tables
from support.waiting import PATIENCE, until

from tablebase.serve import jobs
from tablebase.solve import on_demand
from tablebase.solve.answers import solve_position
from tablebase.solve.budget import read_budget

DATA = Path(__file__).parents[2] / "data"
BUDGET = "10h,1GB"
TREBUCHET = "8/8/8/3pK3/2kP4/8/8/8 w - - 0 1"
BLOCKED = "8/8/3k4/1p1p4/1P1P4/3K4/8/8 w - - 0 1"  # a draw, and two moves that lose
ENDLESS = "8/1p3kpp/8/8/8/1P6/P4KPP/8 w - - 0 1"  # takes minutes, and more memory


@pytest.fixture
def address(tmp_path):
    with serving_tables(tmp_path, solve=read_budget(BUDGET)) as address:
        yield address


def order(address, headers=(), **parameters):
    """Return the answer to an order, to be read line by line."""
    url = f"{address}/solve?{urlencode(parameters)}"
    request = urllib.request.Request(url, method="POST", headers=dict(headers))
    return urllib.request.urlopen(request, timeout=PATIENCE)


def solve(address, **parameters):
    with order(address, **parameters) as answer:
        assert answer.headers["content-type"] == "application/x-ndjson"
        return [json.loads(line) for line in answer]


def refusal(address, headers=(), **parameters):
    """Return status and text of a refusal, which is one that the server describes."""
    with pytest.raises(urllib.error.HTTPError) as refused:
        order(address, headers, **parameters)
    with refused.value as error:
        text = error.read().decode()
    assert len(text.splitlines()) == 1
    assert str(error.code) in DESCRIPTION["paths"]["/solve"]["post"]["responses"]
    return error.code, text


@pytest.mark.thorough
def test_a_position_is_solved_line_by_line_as_described(address):
    lines = solve(address, fen=TREBUCHET.replace(" ", "_"))
    assert [line["done"] for line in lines] == [False] * (len(lines) - 1) + [True]
    assert (lines[0]["solution"], lines[0]["problem"]) == (None, None)
    for line in lines:
        check_answer(line, "/solve")
    found = lines[-1]["solution"]
    expected = json.loads(json.dumps(solve_position(chess.Board(TREBUCHET), BUDGET).as_dict()))
    for one in (found, expected):
        del one["seconds"], one["bytes"]
    board = chess.Board(TREBUCHET)
    plan = found.pop("plan")
    for step in plan:
        assert board.push_san(step["san"]).uci() == step["uci"]
    assert board.is_checkmate()
    del expected["plan"]
    assert found == expected
    assert lines[-1]["problem"] is None
    solution = DESCRIPTION["components"]["schemas"]["Solution"]
    assert set(expected) | {"seconds", "bytes", "plan"} == set(solution["required"])


@pytest.mark.slow
def test_every_move_is_proven_if_asked(address):
    alone, every = (solve(address, fen=BLOCKED, moves=moves)[-1]["solution"] for moves in "01")
    assert alone["result"] == every["result"] == "draw"
    assert not all(move["proven"] for move in alone["moves"])
    assert all(move["proven"] for move in every["moves"])


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("fen", "result"),
    [
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "draw"),
        ("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3", "loss"),
    ],
)
def test_the_end_of_the_game_is_seen(address, fen, result):
    last = solve(address, fen=fen)[-1]
    assert last["problem"] is None
    assert (last["solution"]["result"], last["solution"]["proven"]) == (result, True)


@pytest.mark.thorough
def test_tables_are_made_use_of():
    with serving_tables(DATA, solve=read_budget(BUDGET)) as address:
        assert solve(address, fen=TREBUCHET)[-1]["solution"]["tables"] == ["KPK"]


def test_what_a_server_solves_is_told(address):
    with urllib.request.urlopen(f"{address}/tables") as answer:
        assert json.load(answer)["solve"] == {"seconds": 36_000.0, "memory": 10**9}
    with serving_tables(DATA) as other:
        status, text = refusal(other, fen=TREBUCHET)
        assert status == 404
        assert "--solve" in text
        with urllib.request.urlopen(f"{other}/tables") as answer:
            assert json.load(answer)["solve"] is None


@pytest.mark.parametrize(
    ("parameters", "status", "message"),
    [
        ({}, 400, "the parameter fen is missing"),
        ({"fen": "nonsense"}, 400, "nonsense"),
        ({"fen": chess.STARTING_FEN}, 400, "castling rights"),
        ({"fen": "1QQQQK2/8/8/8/8/8/8/k7 w - - 0 1"}, 400, "4 pieces besides kings and pawns"),
        ({"fen": TREBUCHET, "moves": "all"}, 400, "the parameter moves is not 0 or 1"),
    ],
)
def test_what_is_not_solved_is_refused(address, parameters, status, message):
    got, text = refusal(address, **parameters)
    assert got == status
    assert message in text


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "null"},
        {"Origin": "http://evil.example"},
        {"Origin": "http://evil.example", "Sec-Fetch-Site": "same-origin"},
        {"Origin": "http://127.0.0.1:1", "Sec-Fetch-Site": "none"},
    ],
)
def test_pages_of_other_servers_cannot_begin(address, headers):
    status, text = refusal(address, headers, fen=TREBUCHET)
    assert status == 403
    assert "open the page of this one" in text


def test_a_name_of_strangers_cannot_begin(tmp_path):
    """Even if the browser takes their page for one of this server."""
    with served("--dir", tmp_path, "--solve", BUDGET) as (_, address):
        evil = {"Host": "evil.example", "Origin": "http://evil.example"}
        status, text = refusal(address, {**evil, "Sec-Fetch-Site": "same-origin"}, fen=TREBUCHET)
    assert status == 403
    assert text.endswith("--allow-host evil.example")


@pytest.mark.parametrize("headers", [{"Sec-Fetch-Site": "same-origin"}, {"Origin": "own"}])
def test_its_own_page_can_begin(address, headers):
    own = {name: address if value == "own" else value for name, value in headers.items()}
    with order(address, own, fen=TREBUCHET) as answer:
        assert answer.status == 200


def test_a_page_behind_a_proxy_can_begin(tmp_path):
    with serving_tables(tmp_path, solve=read_budget(BUDGET), names=["chess.example"]) as address:
        headers = {"Host": "chess.example", "Origin": "https://chess.example"}
        with order(address, headers, fen=TREBUCHET) as answer:
            assert answer.status == 200


def test_only_an_order_begins(address):
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(f"{address}/solve?{urlencode({'fen': TREBUCHET})}")
    refused.value.close()
    assert refused.value.code == 405


@pytest.mark.thorough
def test_one_at_a_time_and_none_for_clients_that_have_gone(address):
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=PATIENCE)
    connection.request("POST", f"/solve?{urlencode({'fen': ENDLESS})}")
    answer = connection.getresponse()
    while json.loads(answer.readline())["solution"] is None:
        pass
    status, text = refusal(address, fen=TREBUCHET)
    assert status == 503
    assert "another position is being solved" in text
    with urllib.request.urlopen(f"{address}/healthz") as health:  # others are answered
        assert health.status == 200
    answer.close()
    connection.close()

    def solve_another():
        try:
            return solve(address, fen=TREBUCHET)
        except urllib.error.HTTPError as error:  # still busy
            error.close()

    assert until(solve_another)[-1]["solution"]["result"] == "loss"


@pytest.fixture
def told(monkeypatch, tmp_path):
    """Replace the process that solves; return a function that tells in its place what it knows."""
    pipe = tmp_path / "told"
    os.mkfifo(pipe)
    monkeypatch.setattr(on_demand, "COMMAND", ("cat", str(pipe)))
    opened = os.open(pipe, os.O_RDWR)  # for both, so that neither side waits for the other
    yield lambda **known: os.write(opened, json.dumps(known).encode() + b"\n")
    os.close(opened)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no named pipes")
def test_what_is_known_is_told_at_once_and_now_and_then(address, told, monkeypatch):
    clock = Clock(rate=0)
    set_clock(clock, monkeypatch.setattr)
    monkeypatch.setattr(jobs, "HEARTBEAT", 0.01)
    with order(address, fen=ENDLESS) as answer:

        def line():
            return json.loads(answer.readline())

        first = line()
        nothing = {"compiling": False, "problem": None, "solution": None, "seconds": 0.0}
        assert first == {"done": False} | nothing
        assert [line() for _ in range(3)] == [first] * 3
        clock.skip(7)
        until(lambda: line() == first | {"seconds": 7.0})
        told(solution="some")
        until(lambda: line() == first | {"seconds": 7.0, "solution": "some"})
        told(compiling=True)
        until(lambda: line()["compiling"])
        told(done=True, compiling=False, solution="all")
        rest = [json.loads(line) for line in answer]
        assert rest[-1] == nothing | {"done": True, "solution": "all", "seconds": 7.0}


@pytest.mark.skipif(os.name == "nt", reason="Windows has no named pipes")
def test_turns_come_in_the_order_in_which_clients_asked_first(address, told, monkeypatch):
    """However often others ask in the meantime."""
    monkeypatch.setattr(jobs, "PLACE_KEPT", float("inf"))
    fens = {"1": ENDLESS, "2": TREBUCHET, "3": BLOCKED, "4": "8/8/8/8/8/2k5/2P5/2K5 w - - 0 1"}

    def asked(client):
        """Return a client and the answer to it, None if it has to wait."""
        try:
            headers = {"X-Forwarded-For": f"192.0.2.{client}"}
            return client, order(address, headers, fen=fens[client])
        except urllib.error.HTTPError as error:
            error.close()
            return None if error.code == 503 else error

    def first_of(clients):
        return until(lambda: next(filter(None, map(asked, clients)), None))

    with asked("1")[1]:
        assert [asked(client) for client in "23432"] == [None] * 5
        told(done=True)
        second, answer = first_of("4332")
    with answer:
        assert json.loads(answer.readline())["done"] is False
        told(done=True)
        third, answer = first_of("443")
    answer.close()
    assert (second, third) == ("2", "3")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no named pipes")
def test_what_takes_too_long_is_stopped(address, told, monkeypatch):
    """Even if it tells more than a line in each interval."""
    clock = Clock(rate=0)
    set_clock(clock, monkeypatch.setattr)
    monkeypatch.setattr(jobs, "HEARTBEAT", PATIENCE)
    with order(address, fen=ENDLESS) as answer:
        assert not json.loads(answer.readline())["done"]
        clock.skip(read_budget(BUDGET).seconds + on_demand.GRACE + 1)
        told(solution={"result": "unknown", "stopped": ""})
        last = [json.loads(line) for line in answer][-1]
    assert last["done"]
    assert last["problem"] == last["solution"]["stopped"] == "the time is used up"


@pytest.mark.thorough
def test_a_spent_budget_leaves_what_is_proven(tmp_path, monkeypatch):
    monkeypatch.setattr(on_demand, "GRACE", 36_000)  # to start, however slow this machine is
    with serving_tables(tmp_path, solve=read_budget("0.001s,1GB")) as address:
        last = solve(address, fen=ENDLESS)[-1]
    assert last["done"]
    assert last["problem"] is None
    assert not last["solution"]["proven"]
    assert last["solution"]["stopped"] == "the time is used up"


@pytest.mark.thorough
@pytest.mark.skipif(os.name == "nt", reason="Windows has no groups of processes to signal")
def test_ctrl_c_stops_what_is_solved(tmp_path):
    with served("--dir", tmp_path, "--solve", BUDGET, start_new_session=True) as (running, address):
        with order(address, fen=ENDLESS) as answer:
            while json.loads(answer.readline())["solution"] is None:
                pass
            os.killpg(running.pid, signal.SIGINT)  # as a terminal does
            last = [json.loads(line) for line in answer][-1]
        assert last["done"]
        assert last["solution"]["stopped"] == "interrupted"
        output, errors = running.communicate(timeout=PATIENCE)
        assert (running.returncode, output, errors) == (0, "stopped\n", "")


# An interruption while an object is made that cannot be cleared away then, as some of llvmlite's.
TORN = """
import signal
from tablebase.solve import solve_one

class Torn:
    def __init__(self):
        signal.raise_signal(signal.SIGINT)
        self.whole = True

    def __del__(self):
        assert self.whole

signal.signal(signal.SIGINT, signal.default_int_handler)  # whatever the parent ignores
solve_one.solve_position = lambda *args, **kwargs: Torn()
solve_one.main()
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has other signals")
def test_an_interruption_leaves_no_traceback(tmp_path):
    task = {"fen": ENDLESS, "moves": False, "budget": [1, 10**9], "directories": [str(tmp_path)]}
    with subprocess.Popen(
        [sys.executable, "-c", TORN],
        env=environment_of(),
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        running.stdin.write(json.dumps(task) + "\n")
        running.stdin.flush()  # and not closed, which would end it
        assert (running.wait(PATIENCE), running.stderr.read()) == (130, "")


def test_what_is_solved_ends_with_the_server(tmp_path):
    """Even if that is killed."""
    task = {
        "fen": ENDLESS,
        "moves": False,
        "budget": [36_000, 10**9],
        "directories": [str(tmp_path)],
    }
    with subprocess.Popen(
        on_demand.COMMAND,
        env=environment_of(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as running:
        running.stdin.write(json.dumps(task) + "\n")
        running.stdin.flush()
        assert not json.loads(running.stdout.readline())["done"]
        running.stdin.close()
        assert running.wait(timeout=PATIENCE) == 1


@pytest.mark.thorough
def test_damage_is_for_the_operator(tmp_path, capfd):
    shutil.copy(DATA / "KPK.h5", tmp_path)
    broken = bytearray((tmp_path / "KPK.h5").read_bytes())
    broken[10_000:40_000] = bytes(30_000)
    (tmp_path / "KPK.h5").write_bytes(broken)
    with serving_tables(tmp_path, solve=read_budget(BUDGET)) as address:
        last = solve(address, fen=TREBUCHET)[-1]
    assert last["problem"] == jobs.FAILED
    assert str(tmp_path) not in json.dumps(last)
    assert "KPK.h5" in capfd.readouterr().err
