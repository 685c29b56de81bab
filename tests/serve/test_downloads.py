"""Downloads of table files by clients that do not read them, over real connections."""

import os
import socket
import subprocess
import sys
from contextlib import ExitStack, suppress
from pathlib import Path
from urllib.parse import urlencode

import pytest
from support.commands import environment_of
from support.in_process import serving_tables
from support.waiting import PATIENCE, until

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from tablebase.serve import downloads, limits

DATA = Path(__file__).parents[2] / "data"
FENS = {
    "KRK": "8/8/8/8/8/2k5/1R6/K7 w - - 0 1",
    "KQK": "8/8/8/8/4k3/8/1Q6/K7 w - - 0 1",
    "KPK": "8/8/8/8/4k3/8/1P6/K7 w - - 0 1",
    "KBK": "8/8/8/8/4k3/8/1B6/K7 w - - 0 1",
}
LARGE = 1 << 26  # bytes, more than fit into buffers


def download(address, stack, name="KNK.h5", **how):
    """Ask for a table, and read the beginning of the answer but nothing after it."""
    return ask(address, stack, f"/tables/{name}", **how)


def ask(address, stack, path, client="", method="GET", more=""):
    """Return a connection, and the beginning of an answer."""
    host, port = address.removeprefix("http://").rstrip("/").split(":")
    connection = stack.enter_context(socket.socket())
    connection.settimeout(PATIENCE)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect((host, int(port)))
    headers = f"X-Forwarded-For: {client}\r\n" * bool(client) + more
    connection.sendall(f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n".encode())
    text = b""
    while b"\r\n\r\n" not in text:
        more_text = connection.recv(500)
        assert more_text, text
        text += more_text
    return connection, text.decode(errors="replace").lower()


def status(answer):
    return int(answer[1].split()[1])


@pytest.fixture
def address(tmp_path, monkeypatch):
    """Serve tables of which one is large, two downloads at once, one for each client."""
    for name in FENS:
        (tmp_path / f"{name}.h5").symlink_to(DATA / f"{name}.h5")
    with (tmp_path / "KNK.h5").open("wb") as file:
        file.truncate(LARGE)
    monkeypatch.setattr(downloads, "AT_ONCE", 2)
    monkeypatch.setattr(downloads, "FOR_ONE", 1)
    with serving_tables(tmp_path) as address:
        yield address


def test_downloads_are_few_for_a_client_and_in_all(address):
    with ExitStack() as stack:
        assert status(download(address, stack, client="192.0.2.1")) == 200
        refused = download(address, stack, client="192.0.2.1")
        assert status(refused) == 503
        assert f"retry-after: {downloads.RETRY}\r\n" in refused[1]
        other, _ = download(address, stack, client="192.0.2.2")
        assert status(download(address, stack, client="192.0.2.3")) == 503
        # Neither heads nor short parts are downloads, nor are reads of other tables.
        assert status(download(address, stack, client="192.0.2.1", method="HEAD")) == 200
        part = download(address, stack, client="192.0.2.1", more="Range: bytes=64-99\r\n")
        assert status(part) == 206
        for name in FENS:
            assert status(download(address, stack, f"{name}.h5", client="192.0.2.1")) == 200
        other.close()
        until(lambda: status(download(address, stack, client="192.0.2.3")) == 200)


def test_who_does_not_read_is_given_up(address, monkeypatch, caplog):
    monkeypatch.setattr(limits, "REQUEST_LIMIT", 0.5)
    with ExitStack() as stack:
        download(address, stack)
        until(lambda: status(download(address, stack)) == 200)
    assert [one for one in caplog.records if one.levelname != "WARNING"] == []


def test_an_answer_that_breaks_off_is_one_line_for_the_operator(tmp_path, address, caplog):
    caplog.clear()
    with ExitStack() as stack:
        connection, _ = download(address, stack)
        os.truncate(tmp_path / "KNK.h5", 0)
        with suppress(ConnectionResetError):
            while connection.recv(1 << 20):
                pass
        until(lambda: caplog.records)
        assert status(download(address, stack, "KRK.h5")) == 200
    (record,) = caplog.records
    assert record.getMessage().startswith("an answer broke off: ")
    assert record.exc_info is None


SMALL = """
import resource, sys
from tablebase.cli import program
from tablebase.serve import downloads, limits, server

limits.REQUEST_LIMIT = PATIENCE
server.max_connections = lambda: 12
downloads.AT_ONCE = 4
wait = server.serve

def serve(app, listener):
    print(len(__import__("os").listdir("/proc/self/fd")), flush=True)
    resource.setrlimit(resource.RLIMIT_NOFILE, (LIMIT, LIMIT))
    wait(app, listener)

server.serve = serve
sys.exit(program.main(sys.argv[1:]))
"""


@pytest.mark.thorough
@pytest.mark.skipif(limits.resource is None, reason="descriptors are not limited")
@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="descriptors cannot be counted")
def test_descriptors_are_left_for_tables(tmp_path):
    """Twelve connections of a client ask for a large table; positions of others are answered."""
    for name in FENS:
        (tmp_path / f"{name}.h5").symlink_to(DATA / f"{name}.h5")
    with (tmp_path / "KNK.h5").open("wb") as file:
        file.truncate(LARGE)
    # 12 connections and one that is refused, 4 downloads, 8 tables, and what a process has anyway.
    code = SMALL.replace("(LIMIT, LIMIT)", "(48, 48)").replace("PATIENCE", str(PATIENCE))
    command = [sys.executable, "-c", code, "serve", "--port", "0", "--dir", str(tmp_path)]
    with subprocess.Popen(
        command,
        env=environment_of(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        try:
            address = running.stdout.readline().split()[0]
            assert int(running.stdout.readline()) <= 20
            with ExitStack() as stack:
                found = [status(download(address, stack)) for _ in range(11)]
                assert found == [200] * 4 + [503] * 7
                for name, fen in FENS.items():
                    path = f"/standard?{urlencode({'fen': fen, 'difficulty': 1})}"
                    with ExitStack() as one:
                        assert status(ask(address, one, path)) == 200, name
        finally:
            running.terminate()
        errors = [line for line in running.stderr.read().splitlines() if "KNK" not in line]
    assert errors == []
