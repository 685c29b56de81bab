"""Servers as probers: one request for a position and its moves, and patience."""

import json
import threading
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socketserver import BaseRequestHandler, ThreadingTCPServer
from urllib.parse import parse_qs, urlsplit

import chess
import pytest

import tablebase
from tablebase.audit import prober_server
from tablebase.audit.prober_audit import audit_prober
from tablebase.audit.prober_server import ServerProber
from tablebase.cli.program import main
from tablebase.core.ground.errors import MissingTableError, TablebaseError
from tablebase.core.rules.material import Material

DATA = Path(__file__).parents[2] / "data"
WON = chess.Board("8/8/8/8/8/2k5/1R6/K7 w - - 0 1")


@contextmanager
def answering(answer):
    """Serve on a free port what a function of request and number gives: status, headers, body."""
    requests = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            requests.append(self)
            status, headers, body = answer(self, len(requests))
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", requests
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture(scope="module")
def described():
    """Return a function that describes a FEN as our server does."""
    pytest.importorskip("starlette")
    from tablebase.serve.lichess import describe_standard, read_legal

    with tablebase.open_tablebase(DATA) as tables:
        yield lambda fen: describe_standard(tables, read_legal(fen))


@pytest.fixture
def slept(monkeypatch):
    """Return the pauses that were made; none of them takes time."""
    pauses = []
    monkeypatch.setattr(prober_server.time, "sleep", pauses.append)
    return pauses


def fen_of(handler):
    return parse_qs(urlsplit(handler.path).query)["fen"][0].replace("_", " ")


def as_json(value):
    return 200, {"Content-Type": "application/json"}, json.dumps(value).encode()


@pytest.mark.thorough
def test_our_server_passes():
    """The whole of it: `tablebase serve` in another process."""
    pytest.importorskip("starlette")
    from support.browsing import serving

    with serving(DATA) as address, tablebase.open_tablebase(DATA) as ours:
        prober = ServerProber(address, pause=0)
        materials = [Material.from_name(name) for name in ("KRK", "KPK", "KRNK")]
        for found in audit_prober(prober, materials, 24, exact=True, reference=ours):
            assert found.passed, found.findings[0]
            assert found.answered == found.compared == 24 + found.positions.get("castling", 0)
            assert found.asked == ("probe_wdl", "probe_dtz", "probe_dtm")
        assert 72 <= prober.requests <= 84  # and a few with castling rights


def test_a_lying_server_is_found(described):
    def answer(handler, _):
        fields = described(fen_of(handler))
        if fields["dtm"] and fields["dtm"] > 1:
            fields["dtm"] += 2
        return as_json(fields)

    with answering(answer) as (address, _):
        prober = ServerProber(f"{address}/standard/", pause=0)
        (found,) = audit_prober(prober, [Material.from_name("KRK")], 24)
    assert found.contradicting
    assert "distance to mate" in found.findings[0].reason


def test_a_position_and_its_moves_take_one_request(described):
    with answering(lambda handler, _: as_json(described(fen_of(handler)))) as (address, requests):
        prober = ServerProber(address, pause=0)
        assert (prober.probe_wdl(WON), prober.probe_dtz(WON), prober.probe_dtm(WON)) == (2, 31, 31)
        for move in list(WON.legal_moves):
            after = WON.copy(stack=False)
            after.push(move)
            assert prober.probe_dtm(after) <= 0
            if WON.is_zeroing(move):
                assert prober.probe_wdl(after) == 0
            else:  # its category depends on the clock
                with pytest.raises(MissingTableError, match="has no wdl"):
                    prober.probe_wdl(after)
    assert len(requests) == 1
    agent = requests[0].headers["User-Agent"]
    assert agent == f"tablebase/{tablebase.__version__} (audit)"


def test_it_pauses_between_requests(described, slept):
    with answering(lambda handler, _: as_json(described(fen_of(handler)))) as (address, _):
        prober = ServerProber(address, pause=1000)
        prober.probe_dtz(WON)
        assert not slept
        prober.probe_dtz(WON.mirror())
    assert len(slept) == 1
    assert 900 < slept[0] <= 1000


@pytest.mark.parametrize(
    ("status", "header", "seconds"),
    [
        (429, {}, 60.0),
        (429, {"Retry-After": "7"}, 7.0),
        (429, {"Retry-After": "soon"}, 60),
        (503, {"Retry-After": "2"}, 2.0),
    ],
)
def test_it_waits_where_the_server_asks_for_it(status, header, seconds, described, slept):
    def answer(handler, number):
        return (status, header, b"") if number < 3 else as_json(described(fen_of(handler)))

    with answering(answer) as (address, requests):
        assert ServerProber(address, pause=0).probe_dtz(WON) == 31
    assert slept == [seconds] * 2
    assert len(requests) == 3


def test_it_gives_up(slept):
    with answering(lambda *_: (429, {}, b"")) as (address, requests):
        with pytest.raises(TablebaseError, match="too many requests") as raised:
            ServerProber(address, pause=0).probe_dtz(WON)
        assert len(requests) == len(slept) == prober_server.TRIES
    assert address in str(raised.value)
    with pytest.raises(TablebaseError, match="does not answer"):  # nobody listens there any more
        ServerProber(address, pause=0).probe_dtz(WON)


@pytest.mark.parametrize(
    "answer",
    [
        (500, {}, b""),
        (400, {}, b""),
        (200, {}, b"<html>"),
        (200, {}, b"{}"),
        (200, {}, b"[]"),
        (200, {}, b'{"moves": [{"uci": "a1a8"}], "dtz": 1, "category": "win"}'),
        (200, {}, b'{"moves": [], "dtz": "far", "category": "win"}'),
    ],
)
def test_what_is_no_answer_of_such_a_server(answer):
    with answering(lambda *_: answer) as (address, _):
        with pytest.raises(
            TablebaseError, match=f"{address}/standard does not answer like"
        ) as raised:
            ServerProber(address, pause=0).probe_dtz(WON)
        assert not isinstance(raised.value, KeyError)
        assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "answer",
    [
        b"[" * 200_000,
        b'{"a":' * 100_000,
        b'{"moves": [], "dtz": 1e999, "category": "win"}',
        b'{"moves": [], "dtz": NaN, "category": "win"}',
        b'{"moves": [], "dtz": "31", "category": "win"}',
        b'{"moves": [], "dtz": true, "category": "win"}',
        b'{"moves": [], "dtz": "' + b"\\u001b" * 100_000 + b'", "category": "win"}',
    ],
)
def test_odd_answers_are_one_short_line(answer):
    with (
        answering(lambda *_: (200, {}, answer)) as (address, _),
        pytest.raises(TablebaseError, match="does not answer like lichess's server") as raised,
    ):
        ServerProber(address, pause=0).probe_dtz(WON)
    assert len(str(raised.value)) < 500
    assert str(raised.value).isprintable()


@contextmanager
def dribbling(beginning):
    """Serve a beginning and then blanks, one after the other, until the client has gone."""
    stop = threading.Event()

    class Handler(BaseRequestHandler):
        def handle(self):
            self.request.recv(1 << 16)
            with suppress(OSError):
                self.request.sendall(beginning)
                while not stop.wait(0.01):
                    self.request.sendall(b" ")

    with ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            stop.set()
            server.shutdown()
            thread.join()


@pytest.mark.parametrize(
    "beginning",
    [b"", b"HTTP/1.1 200 OK\r\nX-Header:", b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n{"],
    ids=["status", "header", "body"],
)
def test_a_server_that_dribbles_is_given_up(beginning, monkeypatch, capsys):
    """Each wait of the client is short enough; only the answer as a whole is not."""
    monkeypatch.setattr(prober_server, "TIME_LIMIT", 0.3)
    with dribbling(beginning) as address:
        with pytest.raises(TablebaseError, match=r"no complete answer within 0\.3 seconds"):
            ServerProber(address, pause=0).probe_dtz(WON)
        assert main(["audit", "KRK", "--server", address, "--dir", str(DATA)]) == 2
    waiting = "checking tables of others", "asking about KRK"  # said where it takes long
    (line,) = [one for one in capsys.readouterr().err.splitlines() if not one.endswith(waiting)]
    assert f"{address}/standard does not answer" in line


def test_where_there_is_no_table():
    with answering(lambda *_: (404, {}, b"")) as (address, requests):
        prober = ServerProber(address, pause=0)
        for probe in (prober.probe_wdl, prober.probe_dtz, prober.probe_dtm):
            with pytest.raises(MissingTableError, match="has no"):
                probe(WON)
        assert len(requests) == 1


@pytest.mark.parametrize("url", ["tablebase.lichess.ovh", "file:///etc/passwd", "http://", ""])
def test_addresses(url):
    with pytest.raises(
        TablebaseError, match="is not the address of a server: write it like https://"
    ):
        ServerProber(url)
