"""Requests of strangers: the server answers or refuses, gives nothing away, and goes on."""

from __future__ import annotations

import json
import random
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

from fuzzing.mutations import change_text, damage
from fuzzing.tables import make_tables
from fuzzing.target import REFUSED, RIGHT, Mutant, Target, WrongAnswerError
from fuzzing.worker import bound_memory

from tablebase.core.building.generator import generate
from tablebase.core.rules.material import Material
from tablebase.core.rules.rule_files import built_in_rules

_FEN = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"
_MATE = 31  # plies
_UNKNOWN = "8/8/8/3pK3/2kP4/8/8/8 w - - 0 1"  # to be solved
_DIAMOND = "8/8/8/3k4/8/1KQ5/8/8 w"  # of shatranj
_PASSED = "4k3/8/8/8/3pP3/8/8/4K3 b - e3"
_PATHS = (
    f"/standard?fen={quote(_FEN)}", f"/standard/mainline?fen={quote(_FEN)}", "/tables", "/healthz",
    "/tables/tables.json", "/tables/KPK.json", "/tables/KPK.summary.json", "/tables/KRK.h5",
    "/tables/KRK.exercises.json", "/tables/numbering.json", "/openapi.json", "/pieces/wK.svg",
    "/", "/tables/KRK", "/web/style.css", "/web/../server.py", "/web/%2e%2e/server.py",
    "/web/..%2f..%2ferrors.py", "/web//etc/passwd", "/web/%00", "//evil.example/", "*",
    f"/shatranj?fen={quote(_DIAMOND)}", "/game", "/discs/wQ.svg", "/tables?rules=shatranj",
    f"/shatranj/mainline?fen={quote(_PASSED)}", "/chess?fen=8", "/tables/../../KRK.h5",
    "/tables/shatranj/tables.json", "/tables/%2e%2e/KRK.h5", "/tables/..%2fKRK.json",
    "/standard?fen=&fen=", f"/standard?fen={'1' * 3000}", "http://evil.example/tables",
)  # fmt: skip
_METHODS = ("GET", "GET", "GET", "HEAD", "OPTIONS", "POST", "PUT", "TRACE", "CONNECT", "get")
_HEADERS = (
    "Content-Length: 5", "Content-Length: -1", "Content-Length: 9999999999", "Expect: 100-continue",
    "Transfer-Encoding: chunked", "Transfer-Encoding: chunked, identity", "Upgrade: websocket",
    "Connection: Upgrade", "Range: bytes=0-,1-,2-", "X-Forwarded-For: 127.0.0.1", "Cookie: a=b",
    f"X-Long: {'x' * 20_000}", "no colon", " folded", "If-None-Match: *", "Accept-Encoding: gzip",
)  # fmt: skip
_EVIL = "evil.example"
# What no answer may hold: source files of the program, and files of the system.
_SECRETS = (b"from __future__ import", b"root:x:0:", b"Traceback (most recent")
_STATUS = re.compile(rb"HTTP/1\.1 ([1-5][0-9][0-9])[ \r]")
_BUSY = (b"another position is being solved", b"too busy to answer in time")
_LIMIT = 60.0  # seconds until an answer must be there
_INCOMPLETE = {"headers", "bytes"}  # of these the server may wait for more
_UNANSWERED = 0.5  # seconds after which they are given up


class Web(Target):
    """The server in a process of its own, with solving on demand."""

    name = "requests"

    def __init__(self, base: Path) -> None:
        super().__init__(base)
        self._folder = make_tables(base)
        generate([Material.from_name("KQK", built_in_rules()["shatranj"])], self._folder)
        self._log = (base / "server.log").open("w+b")
        command = [sys.executable, "-m", "tablebase", "serve", "--port", "0", "--solve", "20s,1GB"]
        self._server = subprocess.Popen(
            [*command, "--dir", str(self._folder)], stdout=subprocess.PIPE, stderr=self._log
        )
        assert self._server.stdout is not None
        address = self._server.stdout.readline().decode().split()[0]
        self._port = int(address.rstrip("/").rpartition(":")[2])
        self._check()
        bound_memory(self._server.pid)

    def close(self) -> None:
        """Stop the server as Ctrl-C does."""
        self._server.send_signal(signal.SIGINT)
        self._server.wait(_LIMIT)

    def valid(self) -> list[Mutant]:
        """Return requests as a browser sends them."""
        heads = [_head("GET", path, self._host) for path in _PATHS[:12]]
        return [Mutant("request", "nothing", head.encode()) for head in heads]

    @property
    def _host(self) -> str:
        return f"127.0.0.1:{self._port}"

    def mutant(self, rng: random.Random) -> Mutant:
        """Return a request with odd methods, paths, headers, bodies or bytes."""
        # The port is another one in each run: it is put in when the request is sent.
        own, other = "127.0.0.1:PORT", rng.choice((f"{_EVIL}:PORT", _EVIL, "", "localhost:PORT"))
        kind = rng.randrange(12)
        if kind == 0:
            sites = "same-origin", "cross-site", "none", "same-site"
            headers = rng.choice(([], [f"Sec-Fetch-Site: {rng.choice(sites)}"]))
            origins = "null", *(f"http://{one}" for one in (own, other))
            if rng.random() < 0.8:
                headers.append(f"Origin: {rng.choice(origins)}")
            path = rng.choice((f"/solve?fen={quote(_UNKNOWN)}", "/tables"))
            method = "POST" if path.startswith("/solve") else "GET"
            text = _head(method, path, rng.choice((own, other)), headers)
            return Mutant("request", "origin", text.encode())
        if kind == 1:
            body = bytes(rng.randrange(256) for _ in range(rng.randrange(2000)))
            path = rng.choice(("/solve", "/standard", "/tables/KRK.json"))
            text = _head("POST", path, own, (f"Content-Length: {len(body)}",))
            return Mutant("request", "body", text.encode() + body)
        path = rng.choice(_PATHS)
        if kind < 6:
            changed = change_text(rng, path.encode())
            path = changed.decode(errors="replace") if kind < 5 else quote(changed, safe="/?=&")
        headers = rng.sample(_HEADERS, rng.randrange(4)) if kind >= 6 else []
        method = rng.choice(_METHODS) if kind >= 6 else "GET"
        request = _head(method, path, own, headers).encode(errors="replace")
        if kind < 9:
            return Mutant("request", "path" if kind < 6 else "headers", request)
        request *= rng.choice((1, 1, 2, 50))  # several at once
        return Mutant("request", "bytes", damage(rng, request, [request])[1])

    def judge(self, mutant: Mutant, path: Path) -> str:
        """Send the request, look at the answer, and ask for a mate that is known."""
        del path  # it is sent, not read
        request = mutant.data.replace(b"PORT", str(self._port).encode())
        patience = _UNANSWERED if mutant.how in _INCOMPLETE else _LIMIT
        answer = self._send(request, patience)
        for secret in _SECRETS:
            if secret in answer:
                raise WrongAnswerError(f"the answer holds {secret.decode()!r}")
        status = self._status(answer)
        if mutant.how == "origin":
            self._check_origin(request.decode(), answer, status)
        self._wait_for_children()
        self._check()
        return RIGHT if 200 <= status < 400 else REFUSED

    @staticmethod
    def _status(answer: bytes) -> int:
        """Return the status of the first answer, 0 if there is none."""
        if not answer:
            return 0
        found = _STATUS.match(answer)
        if found is None:
            raise WrongAnswerError(f"not an answer of HTTP: {answer[:80]!r}")
        status = int(found[1])
        if status >= 500 and not any(reason in answer for reason in _BUSY):
            raise WrongAnswerError(f"status {status}: {answer[-100:]!r}")
        return status

    def _check_origin(self, request: str, answer: bytes, status: int) -> None:
        """Raise an error if a page of another server got what it may not have."""
        lines = dict(line.split(": ", 1) for line in request.splitlines()[1:] if ": " in line)
        host = lines.get("Host", "")
        page = lines.get("Origin", f"http://{host}").replace(str(self._port), "PORT")
        loopback = host.partition(":")[0] in {"127.0.0.1", "localhost"}
        if loopback and page == f"http://{host}".replace(str(self._port), "PORT"):
            return
        if status == 200 and "/solve" in request:
            raise WrongAnswerError(f"a page of {page!r} had a position solved")
        if str(self._folder).encode() in answer:
            raise WrongAnswerError(f"a page of {page!r} was told a folder")

    def _send(self, request: bytes, patience: float = _LIMIT) -> bytes:
        """Return the server's answer, nothing if it only closes the connection.

        After `patience` seconds the server sees the end of the input.
        """
        answer = bytearray()
        address = "127.0.0.1", self._port
        with socket.create_connection(address, _LIMIT) as connection, suppress(ConnectionError):
            connection.sendall(request)
            connection.settimeout(patience)
            try:
                answer += connection.recv(1 << 16)
            except TimeoutError:
                connection.shutdown(socket.SHUT_WR)
            connection.settimeout(_LIMIT)
            # Of the lines of a solution one is enough.
            while b"x-ndjson" not in answer and (part := connection.recv(1 << 16)):
                answer += part
        return bytes(answer)

    def _check(self) -> None:
        """Raise an error if the server does not know a mate, or has complained."""
        if self._server.poll() is not None:
            raise WrongAnswerError(f"the server ended with {self._server.returncode}")
        request = _head("GET", f"/standard?fen={quote(_FEN)}", self._host)
        _, _, body = self._send(request.encode()).partition(b"\r\n\r\n")
        if (found := json.loads(body)["dtm"]) != _MATE:
            raise WrongAnswerError(f"the mate is said to be in {found} plies")
        self._log.seek(0)
        log = self._log.read()
        self._log.truncate(0)
        if b"Traceback" in log:
            text = log.decode(errors="replace").strip()
            raise WrongAnswerError(f"the server printed {text.splitlines()[-1]}\n{text}")

    def _wait_for_children(self) -> None:
        """Wait until no process solves a position any more, where the system tells."""
        until = time.monotonic() + _LIMIT
        tasks = Path(f"/proc/{self._server.pid}/task")
        while any(path.read_text().strip() for path in tasks.glob("*/children")):
            if time.monotonic() > until:
                raise WrongAnswerError("a process still solves though its client has gone")
            time.sleep(0.01)


def _head(method: str, path: str, host: str, headers: Sequence[str] = (), body: str = "") -> str:
    """Return a request."""
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host}", "Connection: close", *headers]
    return "\r\n".join([*lines, "", body])
