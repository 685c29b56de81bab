"""Servers of anyone: whatever they answer, `audit --server` ends with a verdict or one line."""

from __future__ import annotations

import json
import random
import socket
import threading
from contextlib import suppress
from pathlib import Path
from unittest.mock import patch
from urllib.parse import parse_qs, urlsplit

from fuzzing.mutations import change_text, damage
from fuzzing.tables import make_tables
from fuzzing.target import REFUSED, RIGHT, Mutant, Target, WrongAnswerError, run_command

from tablebase import Tablebase, open_tablebase
from tablebase.audit import prober_server
from tablebase.core.ground.errors import TablebaseError
from tablebase.serve.lichess import describe_standard, read_legal

_SAMPLE = "4"  # positions
# Seconds for an answer: few only where it would never end, since a slow machine is no failure.
_LIMIT, _LIMIT_OF_DRIBBLE = 60.0, 0.2
_BODY = "BODY"  # in a head or body that is changed: what our server answers
_LENGTH = "LENGTH"
_OK = f"HTTP/1.1 200 OK\r\nContent-Length: {_LENGTH}\r\nConnection: close\r\n\r\n{_BODY}"
_DRIBBLE = b"DRIBBLE"
_VALUES = (
    "null", "true", "-1", "0", "1", "31", "1e999", "-1e999", "NaN", "3.5", "9" * 40, '"31"', "{}",
    '"\\u001b[31m"', '"win"', '"loss"', '"draw"', '"cursed-win"', '"maybe"', '"e2e4"', '"0000"',
)  # fmt: skip
_BODIES = (
    "[" * 100_000, '{"a":' * 50_000, "[]", "7", '"x"', "", "\x00", "<html>\x1b[31m", '{"moves": 7}',
    '{"moves": [{}], "category": "win"}', '{"moves": [], "dtz": 1, "dtm": 1, "category": "win"}',
    '{"moves": {"uci": 1}}', " " * (1 << 21), '{"moves": null, "category": null, "dtz": null}',
)  # fmt: skip
_HEADS = (
    "HTTP/1.1 404 Not Found\r\n\r\n", "HTTP/1.1 500 \x1b[31mred\r\n\r\n", "HTTP/1.1 999 x\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n{}", "HTTP/1.1 200 OK\r\n" + "X: y\r\n" * 200,
    "HTTP/1.1 302 Found\r\nLocation: /standard?fen=x\r\n\r\n", "ICY 200 OK\r\n\r\n", "\r\n" * 50,
    "HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\n\r\n", "X" * 100_000, "",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n", "HTTP/9.9 abc\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n{", "HTTP/1.1 100 Continue\r\n\r\n" * 30,
    f"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n{_BODY}",
    "HTTP/1.1 429 Slow\r\nRetry-After: 0\r\n\r\n", f"HTTP/1.1 200 OK\r\nX: {'x' * 70_000}\r\n\r\n",
)  # fmt: skip


class Servers(Target):
    """A server that answers with the bytes of a case, our own answers put in where they say so."""

    name = "servers"

    def __init__(self, base: Path) -> None:
        super().__init__(base)
        self._folder = make_tables(base)
        self._tables: Tablebase = open_tablebase(self._folder)
        self._answer, self._how = b"", ""
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self._url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Answer nobody any more."""
        self._listener.close()
        self._tables.close()

    def valid(self) -> list[Mutant]:
        """Return what our server answers."""
        return [Mutant("answer", "nothing", _OK.encode())]

    def mutant(self, rng: random.Random) -> Mutant:
        """Return an answer with another head or body, or one that never ends."""
        how = rng.choice(("body", "head", "bytes", "values", "values", "texts", "dribble"))
        if how == "body":
            text = _OK.replace(_LENGTH, "9999999").replace(_BODY, rng.choice(_BODIES))
        elif how == "head":
            text = rng.choice(_HEADS)
        elif how in {"values", "texts"}:
            # The seed chooses what is changed when there is a body.
            text = f"{rng.randrange(1 << 30)}"
        elif how == "dribble":
            text = rng.choice(("", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\n\r\n{"))
        else:
            data = damage(rng, _OK.encode(), [_OK.encode()])[1]
            return Mutant("answer", how, data)
        return Mutant("answer", how, text.encode("latin-1"))

    def judge(self, mutant: Mutant, path: Path) -> str:
        """Audit the server; a value that is wrong by itself does not pass."""
        del path  # it is sent, not read
        self._answer, self._how = mutant.data, mutant.how
        command = ("audit", "KRK", "--server", self._url, "--sample", _SAMPLE)
        limit = _LIMIT_OF_DRIBBLE if mutant.how == "dribble" else _LIMIT
        with patch.multiple(prober_server, PAUSE=0.0, WAIT=0.0, TIME_LIMIT=limit):
            ended = run_command(*command, "--dir", str(self._folder))
        lines = ended.err.replace("tablebase: working", "").splitlines()
        if ended.code == 2 and not any("tablebase: " in line for line in lines):
            raise WrongAnswerError(f"audit refuses without a reason: {ended.out}{ended.err}")
        if ended.code == 0 and ("KRK: OK, " not in ended.out or "OK, 0 " in ended.out):
            raise WrongAnswerError(f"audit passes with {ended.out}")
        if (
            ended.code == 0
            and mutant.how in {"body", "head", "dribble"}
            and _BODY not in str(mutant.data)
        ):
            raise WrongAnswerError(f"audit passes what is no answer: {ended.out}")
        return RIGHT if ended.code == 0 else REFUSED

    def _accept(self) -> None:
        """Answer each request in a thread of its own."""
        with suppress(OSError):  # it was closed
            while True:
                connection, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            connection.settimeout(60)
            request = b""
            while b"\r\n\r\n" not in request and (part := connection.recv(1 << 16)):
                request += part
            connection.sendall(self._answer_to(request.split(b" ")[1].decode()))
            gone = False
            while self._how == "dribble" and not gone:
                connection.sendall(b" ")
                connection.settimeout(0.01)
                with suppress(TimeoutError):
                    gone = not connection.recv(1)

    def _answer_to(self, path: str) -> bytes:
        """Return the bytes that answer a request."""
        body = b"{}"
        fields = parse_qs(urlsplit(path).query)
        with suppress(TablebaseError, KeyError):  # after a redirection there may be another FEN
            board = read_legal(fields["fen"][0].replace("_", " "))
            body = json.dumps(describe_standard(self._tables, board)).encode()
        answer = self._answer
        if self._how in {"values", "texts"}:
            rng = random.Random(int(answer))
            body = _other_value(rng, body) if self._how == "values" else change_text(rng, body)
            answer = _OK.encode()
        answer = answer.replace(_LENGTH.encode(), str(len(body)).encode())
        return answer.replace(_BODY.encode(), body)


def _other_value(rng: random.Random, body: bytes) -> bytes:
    """Return an answer with another value of a field, of the position or of a move."""
    answer = json.loads(body)
    where = rng.choice([answer, *answer["moves"]])
    where[rng.choice(("dtz", "dtm", "category", "uci", "zeroing", "moves"))] = "VALUE"
    text = json.dumps(answer)
    return text.replace('"VALUE"', rng.choice(_VALUES)).encode()
