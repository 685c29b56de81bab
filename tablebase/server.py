"""The HTTP server: lichess's tablebase API, and the explorer for people.

`create_app` makes an ASGI application (Starlette), `serve` runs it on a socket. Everything a
stranger can ask for is bounded: the length of a request, the number of connections, the threads
that probe and the time an answer may take. No answer names a path of this machine.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import chess
import chess.svg
import numpy as np
import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tablebase._version import __version__
from tablebase.errors import (
    CorruptTableError,
    InvalidMaterialError,
    MissingTableError,
    TablebaseError,
    UnsupportedPositionError,
)
from tablebase.overview import describe_tables, hardest_position, random_position
from tablebase.probe import Tablebase
from tablebase.standard import describe_mainline, describe_standard, men_in_words, read_fen

WEB = Path(__file__).parent / "web"

MAX_URL = 2048  # bytes of path and query; a FEN has less than 100
MAX_HEAD = 16_384  # bytes of request line and headers
MAX_CONNECTIONS = 256  # more are answered with 503
PROBING_THREADS = 4
TIME_LIMIT = 10.0  # seconds for one answer
SHUTDOWN_LIMIT = 3  # seconds for answers under way when stopped

_SECURITY = (
    (b"access-control-allow-origin", b"*"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"content-security-policy", b"default-src 'self'; base-uri 'none'; form-action 'self'"),
)
_log = logging.getLogger(__name__)


class Endpoints:
    """What the server answers; probing is left to threads, so that the event loop stays free.

    Parameters
    ----------
    tablebase
        The tables.
    threads
        How many positions to probe at once; more wait.
    time_limit
        Seconds for an answer; 503 after that.
    """

    def __init__(self, tablebase: Tablebase, threads: int, time_limit: float) -> None:
        self._tablebase = tablebase
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix="probe")
        self._time_limit = time_limit
        self._rng = np.random.default_rng()
        self._tables: list[dict[str, Any]] | None = None

    async def standard(self, request: Request) -> Response:
        """Answer ``GET /standard?fen=``."""
        board = read_fen(_parameter(request, "fen"))
        return JSONResponse(await self._in_thread(describe_standard, self._tablebase, board))

    async def mainline(self, request: Request) -> Response:
        """Answer ``GET /standard/mainline?fen=``."""
        board = read_fen(_parameter(request, "fen"))
        try:
            line = await self._in_thread(describe_mainline, self._tablebase, board)
        except MissingTableError as error:
            men = men_in_words(board)
            raise HTTPException(404, f"no table of {men}, or of what it leads to") from error
        return JSONResponse(line)

    async def tables(self, _request: Request) -> Response:
        """Answer ``GET /tables``."""
        if self._tables is None:
            self._tables = await self._in_thread(describe_tables, self._tablebase)
        return JSONResponse({"tables": self._tables})

    async def random(self, request: Request) -> Response:
        """Answer ``GET /random?material=``."""
        return await self._position_of(request, partial(random_position, rng=self._rng))

    async def hardest(self, request: Request) -> Response:
        """Answer ``GET /hardest?material=``."""
        return await self._position_of(request, hardest_position)

    async def health(self, _request: Request) -> Response:
        """Answer ``GET /healthz``."""
        count = len(self._tablebase.available_materials)
        return JSONResponse({"status": "ok", "version": __version__, "tables": count})

    def close(self) -> None:
        """Wait for the probes under way and drop those that wait."""
        self._executor.shutdown(cancel_futures=True)

    async def _position_of(
        self, request: Request, find: Callable[[Tablebase, str], dict[str, Any] | None]
    ) -> Response:
        name = _parameter(request, "material")
        try:
            found = await self._in_thread(find, self._tablebase, name)
        except MissingTableError as error:
            raise HTTPException(404, f"no table of {name}") from error
        if found is None:
            raise HTTPException(404, f"no position of {name} is won")
        return JSONResponse(found, headers={"cache-control": "no-store"})

    async def _in_thread(self, function: Callable[..., Any], *arguments: Any) -> Any:
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(self._time_limit):
            return await loop.run_in_executor(self._executor, function, *arguments)


class Bounds:
    """Refuses requests that are too long, and adds the headers that every answer has."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request as ASGI has it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *_SECURITY]
            await send(message)

        app = self._app
        if len(scope["raw_path"]) + len(scope["query_string"]) > MAX_URL:
            app = PlainTextResponse(f"the URL is longer than {MAX_URL} bytes", 414)
        elif scope["method"] == "OPTIONS":
            allowed = {"access-control-allow-methods": "GET", "access-control-allow-headers": "*"}
            app = Response(status_code=204, headers=allowed)
        await app(scope, receive, send_with_headers)


def create_app(
    tablebase: Tablebase, *, threads: int = PROBING_THREADS, time_limit: float = TIME_LIMIT
) -> ASGIApp:
    """Return the ASGI application that serves some tables.

    Parameters
    ----------
    tablebase
        The tables, to be closed by the caller.
    threads
        How many positions to probe at once; more wait.
    time_limit
        Seconds for an answer; 503 after that.
    """
    endpoints = Endpoints(tablebase, threads, time_limit)
    routes = [
        Route("/standard", endpoints.standard),
        Route("/standard/mainline", endpoints.mainline),
        Route("/tables", endpoints.tables),
        Route("/random", endpoints.random),
        Route("/hardest", endpoints.hardest),
        Route("/healthz", endpoints.health),
        Route("/openapi.json", _openapi),
        Route("/pieces/{symbol}.svg", _piece),
        Route("/", _explorer),
        Mount("/web", StaticFiles(directory=WEB)),
    ]
    handlers: dict[Any, Any] = {
        UnsupportedPositionError: _bad_request,
        InvalidMaterialError: _bad_request,
        CorruptTableError: _broken,
        OSError: _broken,
        TimeoutError: _too_late,
        HTTPException: _refusal,
    }

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        yield
        endpoints.close()

    return Bounds(Starlette(routes=routes, exception_handlers=handlers, lifespan=lifespan))


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens.

    Parameters
    ----------
    host
        Name or address, of either version of IP.
    port
        0 for one that is free.

    Raises
    ------
    TablebaseError
        If that is not possible, mostly because the port is in use.
    """
    try:
        family, _, _, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        return socket.create_server(address[:2], family=family, backlog=MAX_CONNECTIONS)
    except OSError as error:
        reason = error.strerror or error
        raise TablebaseError(
            f"cannot listen on {host} port {port}: {reason}; choose another --host or --port"
        ) from error


def configuration(app: ASGIApp) -> uvicorn.Config:
    """Return how uvicorn runs an application, within the bounds above."""
    return uvicorn.Config(
        app,
        http="h11",
        ws="none",
        lifespan="on",
        access_log=False,
        log_level="warning",
        server_header=False,
        proxy_headers=False,
        limit_concurrency=MAX_CONNECTIONS,
        h11_max_incomplete_event_size=MAX_HEAD,
        timeout_graceful_shutdown=SHUTDOWN_LIMIT,
    )


def serve(app: ASGIApp, listener: socket.socket) -> None:
    """Run an application until a signal stops it; answers under way are finished first.

    Parameters
    ----------
    app
        From `create_app`.
    listener
        From `listen`.

    Raises
    ------
    KeyboardInterrupt
        When stopped by Ctrl-C.
    """
    uvicorn.Server(configuration(app)).run([listener])


def _parameter(request: Request, name: str) -> str:
    value = request.query_params.get(name)
    if value is None:
        raise HTTPException(400, f"the parameter {name} is missing")
    return value


async def _explorer(_request: Request) -> Response:
    return FileResponse(WEB / "index.html", headers={"cache-control": "no-cache"})


async def _openapi(_request: Request) -> Response:
    return FileResponse(WEB / "openapi.json", media_type="application/json")


async def _piece(request: Request) -> Response:
    """Draw a man by its colour and letter, like ``wK``."""
    color, letter = request.path_params["symbol"][:1], request.path_params["symbol"][1:]
    if color not in {"w", "b"} or letter not in set("KQRBNP"):
        raise HTTPException(404, "pieces are wK to bP")
    piece = chess.Piece.from_symbol(letter if color == "w" else letter.lower())
    headers = {"cache-control": "public, max-age=86400"}
    return Response(chess.svg.piece(piece), media_type="image/svg+xml", headers=headers)


async def _bad_request(_request: Request, error: Exception) -> Response:
    return PlainTextResponse(str(error), 400)


async def _broken(_request: Request, error: Exception) -> Response:
    _log.error("%s", error)  # for who runs the server: it names the file
    return PlainTextResponse("a table here is damaged or cannot be read", 500)


async def _too_late(_request: Request, _error: Exception) -> Response:
    return PlainTextResponse("too busy to answer in time: try again", 503)


async def _refusal(_request: Request, error: HTTPException) -> Response:
    return PlainTextResponse(error.detail, error.status_code, error.headers)
