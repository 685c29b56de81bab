"""The HTTP server: lichess's tablebase API, and the explorer for people.

`create_app` makes an ASGI application (Starlette), and `serve` runs it on a socket. All requests
are limited: `limits` bounds their length, the time to send them and the number of connections, and
this module bounds probing threads and the time of an answer. An answer names no path of this
machine except the one given to `create_app`, and that only to pages of this server.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from functools import partial
from string import ascii_uppercase
from typing import Any

import chess
import numpy as np
import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from tablebase._version import __version__
from tablebase.core.capacity import MAX_MEN
from tablebase.core.errors import (
    CorruptTableError,
    InvalidMaterialError,
    MissingTableError,
    TablebaseError,
    UnsupportedPositionError,
)
from tablebase.core.outcomes import METRICS
from tablebase.core.probing import Tablebase
from tablebase.core.seams import ENDPOINTS as OTHER_ENDPOINTS
from tablebase.core.seams import load
from tablebase.study import draw_disc
from tablebase.web.answering import Answering
from tablebase.web.description import ENDPOINTS, GAME_ENDPOINTS, describe_api
from tablebase.web.game_endpoints import GameEndpoints
from tablebase.web.game_tables import GameTables
from tablebase.web.games import GameError, annotated_game
from tablebase.web.lichess import describe_mainline, describe_standard, men_in_words, read_legal
from tablebase.web.limits import (
    BACKLOG,
    MAX_HEAD,
    AcceptErrors,
    BoundedProtocol,
    RequestBounds,
    allow_descriptors,
    max_connections,
)
from tablebase.web.materials import describe_material, difficult_positions, survey_material
from tablebase.web.origins import Names, is_own_page
from tablebase.web.overview import (
    describe_tables,
    exercise,
    hardest_position,
    position_with,
    random_position,
)
from tablebase.web.parameters import (
    DIFFICULTY,
    FEN,
    GAME,
    LEVEL,
    MATERIAL,
    METRIC,
    MOVES,
    PLIES,
    RESULT,
    TURN,
    body_of,
    choice_of,
    number_of,
    text_of,
)
from tablebase.web.site import PIECES, STATIC, draw_piece

PROBING_THREADS = 4
TIME_LIMIT = 10.0  # seconds for one answer
SHUTDOWN_LIMIT = 3  # seconds for answers under way when stopped
_PAGES = {"/": "index.html", "/game": "variant.html", "/tables/course.html": "course.html"}

_log = logging.getLogger(__name__)


class Endpoints:
    """The answers of the server about chess, to the rows of `description.ENDPOINTS`.

    Parameters
    ----------
    tablebase
        The tables.
    answering
        The threads that look them up.
    location
        Options that make commands on this machine work on these tables; None to name none.
    solve
        What solving a position may take; None if none is to be solved.
    """

    def __init__(
        self,
        tablebase: Tablebase,
        answering: Answering,
        location: str | None,
        solve: Any,
    ) -> None:
        self._tablebase = tablebase
        self._location = location
        self._on_demand = None if solve is None else _on_demand(tablebase, solve)
        self._answering = answering
        self._rng = np.random.default_rng()

    async def standard(self, request: Request) -> Response:
        """Answer ``GET /standard?fen=&difficulty=``."""
        board = read_legal(text_of(request, FEN))
        asked = choice_of(request, DIFFICULTY, (False, True))
        describe = partial(describe_standard, difficulty=True) if asked else describe_standard
        return JSONResponse(await self._answering.run(describe, self._tablebase, board))

    async def mainline(self, request: Request) -> Response:
        """Answer ``GET /standard/mainline?fen=``."""
        board = read_legal(text_of(request, FEN))
        try:
            line = await self._answering.run(describe_mainline, self._tablebase, board)
        except MissingTableError as error:
            told = f"no distances to mate of {men_in_words(board)}, or of what it leads to"
            raise HTTPException(404, told) from error
        except UnsupportedPositionError as error:  # as at lichess: no table has it
            raise HTTPException(404, str(error)) from error
        return JSONResponse(line)

    async def tables(self, request: Request) -> Response:
        """Answer ``GET /tables``."""
        tables = await self._answering.run(describe_tables, self._tablebase)
        solve = None if self._on_demand is None else self._on_demand.budget._asdict()
        location = self._location if is_own_page(request.headers) else None
        about = {"max_men": MAX_MEN, "location": location, "solve": solve}
        # A browser must not give what it keeps for this page to another.
        return JSONResponse({"tables": tables, **about}, headers={"cache-control": "no-store"})

    async def random(self, request: Request) -> Response:
        """Answer ``GET /random?material=``."""
        return await self._position_of(request, partial(random_position, rng=self._rng))

    async def hardest(self, request: Request) -> Response:
        """Answer ``GET /hardest?material=``."""
        return await self._position_of(request, partial(hardest_position, rng=self._rng))

    async def find(self, request: Request) -> Response:
        """Answer ``GET /find?material=&turn=&result=&plies=&metric=``."""
        turn = choice_of(request, TURN, (chess.WHITE, chess.BLACK))
        sign = choice_of(request, RESULT, (1, -1))
        metric = choice_of(request, METRIC, METRICS)
        plies = number_of(request, PLIES)
        outcome = plies if sign > 0 else -1 - plies
        look = partial(position_with, turn=turn, metric=metric, outcome=outcome, rng=self._rng)
        name, found = await self._of_material(request, look, self._answering.run_long)
        if found is None:
            raise HTTPException(404, f"no such position of {name} was found")
        return JSONResponse(found, headers={"cache-control": "no-store"})

    async def table(self, request: Request) -> Response:
        """Answer ``GET /table?material=``."""
        _, found = await self._of_material(request, describe_material, self._answering.run)
        return JSONResponse(found)

    async def survey(self, request: Request) -> Response:
        """Answer ``GET /survey?material=``."""
        name, found = await self._of_material(request, survey_material, self._answering.run_long)
        if found is None:
            raise HTTPException(
                404,
                f"the table of {name} is too large to be looked through here, or has no distances"
                f" to mate: try tablebase report {name}",
            )
        return JSONResponse(found)

    async def difficult(self, request: Request) -> Response:
        """Answer ``GET /difficult?material=``."""
        run = self._answering.run_long
        name, found = await self._of_material(request, difficult_positions, run)
        if found is None:
            raise HTTPException(404, f"the table of {name} is too large to be looked through here")
        return JSONResponse(found)

    async def exercise(self, request: Request) -> Response:
        """Answer ``GET /exercise?material=&level=``."""
        look = partial(exercise, rng=self._rng, level=number_of(request, LEVEL))
        name, found = await self._of_material(request, look, self._answering.run)
        if found is None:
            raise HTTPException(404, f"no side of {name} can give anything away")
        return JSONResponse(found, headers={"cache-control": "no-store"})

    async def annotate(self, request: Request) -> Response:
        """Answer ``POST /annotate?game=``."""
        number = number_of(request, GAME)
        try:
            text = await body_of(request)
        except ClientDisconnect:
            return Response(status_code=400)  # for nobody
        answer = await self._answering.run_long(annotated_game, self._tablebase, text, number)
        return JSONResponse(answer)

    async def solve(self, request: Request) -> Response:
        """Answer ``POST /solve?fen=&moves=``."""
        if self._on_demand is None:
            raise HTTPException(404, "this server solves no positions: start it with --solve")
        # It takes time and memory: no page that somebody happens to visit may begin it.
        if not is_own_page(request.headers):
            raise HTTPException(
                403,
                "pages of other servers cannot have positions solved here: open the page of this"
                " one; a proxy before it must pass Host on",
            )
        board = read_legal(text_of(request, FEN))
        moves = choice_of(request, MOVES, (False, True))
        if self._on_demand.is_busy:
            raise HTTPException(503, "another position is being solved here: try again later")
        answer: Response = await self._on_demand.start(board, moves=moves)
        return answer

    async def healthz(self, _request: Request) -> Response:
        """Answer ``GET /healthz``."""
        # Not in the threads that probe: these may be busy though the server is up.
        count = await asyncio.to_thread(lambda: len(self._tablebase.available_tables))
        return JSONResponse({"status": "ok", "version": __version__, "tables": count})

    async def _position_of(
        self, request: Request, find: Callable[[Tablebase, str], dict[str, Any] | None]
    ) -> Response:
        name, found = await self._of_material(request, find, self._answering.run)
        if found is None:
            raise HTTPException(404, f"no position of {name} is won")
        return JSONResponse(found, headers={"cache-control": "no-store"})

    async def _of_material(
        self,
        request: Request,
        find: Callable[[Tablebase, str], dict[str, Any] | None],
        run: Callable[..., Awaitable[Any]],
    ) -> tuple[str, dict[str, Any] | None]:
        """Return the material that is asked for, and what is found of it."""
        name = text_of(request, MATERIAL)
        try:
            return name, await run(find, self._tablebase, name)
        except MissingTableError as error:
            raise HTTPException(404, f"no table of {name}") from error


def _on_demand(tablebase: Tablebase, budget: Any) -> Any:
    """Return the solver of positions, whose kernels take time to load."""
    return load(OTHER_ENDPOINTS["/solve"], "solving positions").OnDemand(tablebase, budget)


def create_app(
    tablebase: Tablebase,
    *,
    threads: int = PROBING_THREADS,
    time_limit: float = TIME_LIMIT,
    location: str | None = None,
    solve: Any = None,
    names: Iterable[str] | None = None,
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
    location
        Options like ``--dir data`` that make commands on this machine work on these tables, for
        the page to show; None to show none. Give it only if the page is for people of this machine.
    solve
        What solving a position may take, a `tablebase.solve.Budget`; None to solve none.
    names
        Names by which the server may be called, besides ``localhost`` and the like; None for any.
        Give them to a server of this machine, or pages of strangers whose name leads here are taken
        for its own.
    """
    answering = Answering(threads, time_limit)
    games = GameTables(tablebase.directories)
    answers = {
        Endpoints(tablebase, answering, location, solve): ENDPOINTS,
        GameEndpoints(games, answering): GAME_ENDPOINTS,
    }
    routes = [
        *(
            Route(row.path, getattr(endpoints, row.name), methods=[row.method])
            for endpoints, rows in answers.items()
            for row in rows
        ),
        Route("/openapi.json", _openapi),
        Route("/pieces/{symbol}.svg", _piece),
        Route("/discs/{symbol}.svg", _disc),
        *(Route(path, partial(_page, name)) for path, name in _PAGES.items()),
        Route("/tables/{material}", partial(_page, "material.html")),
        Mount("/web", StaticFiles(directory=STATIC)),
    ]

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        asyncio.get_running_loop().set_exception_handler(AcceptErrors())
        yield
        answering.close()
        games.close()

    app = Starlette(routes=routes, exception_handlers=_HANDLERS, lifespan=lifespan)
    app.router.redirect_slashes = False  # the address would come from the request's Host
    return RequestBounds(app, Names(names))


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
        return socket.create_server(address[:2], family=family, backlog=BACKLOG)
    except OSError as error:
        reason = error.strerror or error
        raise TablebaseError(
            f"cannot listen on {host} port {port}: {reason}; choose another --host or --port"
        ) from error


def configuration(app: ASGIApp) -> uvicorn.Config:
    """Return the configuration of uvicorn for an application, within the bounds of `limits`."""
    return uvicorn.Config(
        app,
        http=BoundedProtocol,
        ws="none",
        lifespan="on",
        access_log=False,
        log_level="error",  # a warning for each malformed request would let strangers fill the log
        server_header=False,
        proxy_headers=False,
        limit_concurrency=max_connections() + 1,
        backlog=BACKLOG,
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
    allow_descriptors()
    uvicorn.Server(configuration(app)).run([listener])


async def _page(name: str, _request: Request) -> Response:
    return FileResponse(STATIC / name, headers={"cache-control": "no-cache"})


async def _openapi(_request: Request) -> Response:
    return JSONResponse(describe_api())


async def _piece(request: Request) -> Response:
    """Draw a man by its colour and letter, like ``wK``."""
    name = request.path_params["symbol"]
    if name not in PIECES:
        raise HTTPException(404, "pieces are wK to bP")
    headers = {"cache-control": "public, max-age=86400"}
    return Response(draw_piece(name), media_type="image/svg+xml", headers=headers)


async def _disc(request: Request) -> Response:
    """Draw a man of another game than chess, by its colour and letter, as a letter on a disc."""
    color, letter = request.path_params["symbol"][:1], request.path_params["symbol"][1:]
    if color not in {"w", "b"} or letter not in set(ascii_uppercase):
        raise HTTPException(404, "discs are wA to bZ")
    headers = {"cache-control": "public, max-age=86400"}
    picture = draw_disc(letter if color == "w" else letter.lower())
    return Response(picture, media_type="image/svg+xml", headers=headers)


async def _bad_request(_request: Request, error: Exception) -> Response:
    return PlainTextResponse(str(error), 400)


async def _broken(_request: Request, error: Exception) -> Response:
    _log.error("%s", error)  # for the operator: it names the file
    return PlainTextResponse("a table here is damaged", 500)


async def _unreadable(_request: Request, error: Exception) -> Response:
    _log.error("%s", error)  # as above
    return PlainTextResponse("a table cannot be read at the moment: try again", 503)


async def _too_late(_request: Request, _error: Exception) -> Response:
    return PlainTextResponse("too busy to answer in time: try again", 503)


async def _refusal(_request: Request, error: HTTPException) -> Response:
    return PlainTextResponse(error.detail, error.status_code, error.headers)


_HANDLERS: dict[Any, Any] = {
    UnsupportedPositionError: _bad_request,
    InvalidMaterialError: _bad_request,
    GameError: _bad_request,
    CorruptTableError: _broken,
    OSError: _unreadable,
    MemoryError: _unreadable,
    TimeoutError: _too_late,
    HTTPException: _refusal,
}
