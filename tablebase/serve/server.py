"""The HTTP server: lichess's tablebase API, and the explorer for people.

`create_app` makes an ASGI application (Starlette), and `serve` runs it on a socket. `limits` bounds
requests and connections, this module bounds threads and time. Answers name no path of this machine
but the one given to `create_app`, and that only to own pages.
"""

from __future__ import annotations

import asyncio
import json
import logging
import mimetypes
import socket
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote
from zlib import crc32

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import (
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
)
from starlette.routing import Route
from starlette.types import ASGIApp

from tablebase._version import __version__
from tablebase.core.answers.tablebase import Tablebase
from tablebase.core.ground.capacity import MAX_MEN
from tablebase.core.ground.errors import (
    CorruptTableError,
    InvalidRulesError,
    MissingTableError,
    TablebaseError,
    UnsupportedPositionError,
)
from tablebase.core.ground.words import quoted
from tablebase.core.positions.any_position import left_out
from tablebase.core.storage.table_names import SUFFIX
from tablebase.publish.listing import LIST
from tablebase.publish.site import FIRST_PAGE, TABLES_FOLDER, page_texts
from tablebase.serve.answering import RETRY, Answering
from tablebase.serve.castling_jobs import CastlingJobs
from tablebase.serve.collection import STANDARD, Collection
from tablebase.serve.downloads import Downloads, TableResponse
from tablebase.serve.hosting import laboratory_routes, list_text, table_file, wanted_file
from tablebase.serve.lichess import (
    describe_mainline,
    describe_many,
    describe_standard,
    men_in_words,
    read_legal,
)
from tablebase.serve.limits import (
    BACKLOG,
    MAX_HEAD,
    AcceptErrors,
    BoundedProtocol,
    RequestBounds,
    allow_descriptors,
    max_connections,
)
from tablebase.serve.mating_jobs import MatingJobs
from tablebase.serve.origins import ServerNames, client_of, is_own_page, require_own_page
from tablebase.serve.overview import describe_tables
from tablebase.serve.parameters import asked_game, fen_parameter, fens_in_body, is_asked, text_of
from tablebase.serve.solving import SolveJobs

PROBING_THREADS = 4
TIME_LIMIT = 10.0  # seconds for one answer
SHUTDOWN_LIMIT = 3  # seconds for answers under way when stopped

_JSON = "application/json"
_log = logging.getLogger(__name__)


class Endpoints:
    """The answers of the server to the requests of ``openapi.json``, each by a method of its name.

    `location` are the options by which commands here find these tables, None to name none; `solve`
    limits the solving of positions, None to refuse it.
    """

    def __init__(
        self,
        collection: Collection,
        answering: Answering,
        location: str | None,
        solve: Any,
    ) -> None:
        self._collection = collection
        self._location = location
        chess = collection.tables_of(STANDARD)
        self._castling = CastlingJobs(chess)
        self._mating = MatingJobs(chess, answering)
        self._solving = None if solve is None else SolveJobs(chess, solve)
        self._answering = answering
        self._downloads = Downloads()

    async def close(self) -> None:
        """Stop what is being solved."""
        await self._castling.close()
        await self._mating.close()
        if self._solving is not None:
            await self._solving.close()

    async def standard(self, request: Request) -> Response:
        """Answer ``/standard?fen=&difficulty=&can_win=``, or FENs, and ``/{rules}``."""
        asked = is_asked(request, "difficulty")
        describe = partial(describe_standard, difficulty=True) if asked else describe_standard
        if request.method == "POST":
            tables, fens = self._tables_of(asked_game(request)), await fens_in_body(request)
            run = partial(self._answering.run, client_of(request.scope))
            return JSONResponse(await run(describe_many, describe, tables, fens))
        tables, board = self._asked(request)
        answer = await self._described(request, describe, tables, board, difficulty=asked)
        if is_asked(request, "can_win"):
            answer |= await self._mating.chances(request, tables, board)
        return JSONResponse(answer)

    async def mainline(self, request: Request) -> Response:
        """Answer ``GET /standard/mainline?fen=``, and ``/{rules}/mainline`` of another game."""
        tables, board = self._asked(request)
        try:
            line = await self._described(request, describe_mainline, tables, board)
        except MissingTableError as error:
            told = (
                f"no distances to mate of {men_in_words(board)}, or of positions that it leads to"
            )
            raise HTTPException(404, told) from error
        except UnsupportedPositionError as error:  # as at lichess: no table has it
            raise HTTPException(404, str(error)) from error
        return JSONResponse(line)

    async def tables(self, request: Request) -> Response:
        """Answer ``GET /tables?rules=``."""
        tables = self._tables_of(text_of(request, "rules", STANDARD))
        described = await self._answering.run(client_of(request.scope), describe_tables, tables)
        # A browser must not give what it keeps for this page to another.
        return JSONResponse(
            {"tables": described, **self.about(request)}, headers={"cache-control": "no-store"}
        )

    def about(self, request: Request) -> dict[str, Any]:
        """Return the abilities of the server, and what it tells only to its own pages."""
        solve = None if self._solving is None else self._solving.budget._asdict()
        location = self._location if is_own_page(request.headers) else None
        games = list(self._collection.other_games())
        return {"max_men": MAX_MEN, "location": location, "solve": solve, "games": games}

    async def hosted(self, request: Request) -> Response:
        """Answer for a file of the folder that `tablebase publish` would write."""
        folder, _, name = request.path_params["address"].rpartition("/")
        if name and not folder and "." not in name:  # the page of a material in earlier versions
            return RedirectResponse(f"material.html?material={quote(name)}")
        tables = self._tables_of(folder or STANDARD)
        client = client_of(request.scope)
        run = partial(self._answering.run, client)
        if name == LIST:
            games = {} if folder else self._collection.other_games()
            text = await run(list_text, tables, games, self.about(request))
            headers = {"cache-control": "no-store"}  # as for /tables
            return Response(text, media_type=_JSON, headers=headers)
        headers = {"cache-control": "no-cache"}
        if name.endswith(SUFFIX) and (path := await run(table_file, tables, name)):
            response: Response = await run(TableResponse, path, headers, self._downloads, client)
            return response
        wanted = await run(wanted_file, tables, name)
        if wanted and wanted.key:
            run = partial(self._answering.run_long, client, wanted.key, wanted.doing)
        text = await run(wanted.make) if wanted else ""
        if not text:
            raise HTTPException(404, f"no table here has {quoted(name)}")
        return Response(text, media_type=_JSON, headers=headers)

    async def solve(self, request: Request) -> Response:
        """Answer ``POST /solve?fen=&moves=``."""
        if self._solving is None:
            raise HTTPException(
                404, "this server solves no positions: start it with --solve 1m,2GB"
            )
        require_own_page(request.headers, "solved")
        board: Any = read_legal(fen_parameter(request))
        moves = is_asked(request, "moves")
        return self._solving.solve(board, client_of(request.scope), moves=moves)

    async def healthz(self, _request: Request) -> Response:
        """Answer ``GET /healthz``."""
        # Not in the threads that probe: these may be busy though the server is up.
        chess = self._collection.tables_of(STANDARD)
        count = await asyncio.to_thread(lambda: len(chess.available_tables))
        return JSONResponse({"status": "ok", "version": __version__, "tables": count})

    async def _described(
        self,
        request: Request,
        describe: Callable[..., Any],
        tables: Tablebase,
        board: Any,
        *,
        difficulty: bool = False,
    ) -> Any:
        """Return a description of a position, once the castling sets for it are solved.

        It says in words what of the FEN does not count, if anything.
        """
        client = client_of(request.scope)
        look_up = partial(self._answering.run, client, describe, tables, board)
        answer = await self._castling.answer(look_up, board, client, difficulty=difficulty)
        words = left_out(fen_parameter(request), tables.rules)
        return answer | ({"left_out": words} if words else {})

    def _asked(self, request: Request) -> tuple[Tablebase, Any]:
        """Return the tables of the game, and the position that is asked for."""
        tables = self._tables_of(asked_game(request))
        return tables, read_legal(fen_parameter(request), tables.rules)

    def _tables_of(self, game: str) -> Tablebase:
        try:
            return self._collection.tables_of(game)
        except MissingTableError as error:
            raise HTTPException(404, str(error)) from error


async def _bad_request(_request: Request, error: Exception) -> Response:
    return PlainTextResponse(str(error), 400)


async def _broken(_request: Request, error: Exception) -> Response:
    _log.error("%s", error)  # for the operator: it names the file
    return PlainTextResponse("a table here is damaged", 500)


async def _unreadable(_request: Request, error: Exception) -> Response:
    _log.error("%s", error)  # as above
    return _busy("a table cannot be read at the moment: try again")


async def _too_late(_request: Request, _error: Exception) -> Response:
    return _busy("no answer in time: try again")


def _busy(why: str) -> Response:
    return PlainTextResponse(why, 503, {"retry-after": str(RETRY)})


async def _refusal(_request: Request, error: HTTPException) -> Response:
    return PlainTextResponse(error.detail, error.status_code, error.headers)


_HANDLERS: dict[Any, Any] = {
    UnsupportedPositionError: _bad_request,
    InvalidRulesError: _bad_request,
    CorruptTableError: _broken,
    OSError: _unreadable,
    MemoryError: _unreadable,
    TimeoutError: _too_late,
    HTTPException: _refusal,
}


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
        What solving a position may take, a `tablebase.solve.budget.Budget`; None to solve none.
    names
        Names by which the server may be called, besides ``localhost`` and the like; None for any.
        Give them to a server of this machine, or pages of strangers whose name leads here are taken
        for its own.
    """
    answering = Answering(threads, time_limit)
    collection = Collection(tablebase)
    collection.prepare()
    endpoints = Endpoints(collection, answering, location, solve)
    description = json.loads(Path(__file__).with_name("openapi.json").read_text(encoding="utf-8"))
    *first, game, line = _described_routes(description, endpoints)
    routes = [
        *first,
        Route("/openapi.json", partial(_openapi, description)),
        Route("/pieces/{symbol}.svg", partial(_man, "pieces", "wK to bP")),
        Route("/discs/{symbol}.svg", partial(_man, "discs", "wA to bZ")),
        *_page_routes(),
        *laboratory_routes(),
        Route(f"/{TABLES_FOLDER}/{{address:path}}", endpoints.hosted),
        Route("/game", _game_page),
        Route("/solve", _only_order),  # else it would be a game
        game,  # after all names that no game can have
        line,
    ]

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        asyncio.get_running_loop().set_exception_handler(AcceptErrors())
        yield
        await endpoints.close()
        answering.close()
        collection.close()

    app = Starlette(routes=routes, exception_handlers=_HANDLERS, lifespan=lifespan)
    app.router.redirect_slashes = False  # the address would come from the request's Host
    return RequestBounds(app, ServerNames(names))


def _described_routes(description: dict[str, Any], endpoints: Endpoints) -> Iterator[Route]:
    """Yield the requests of the description; what answers about chess answers about any game."""
    for path, methods in description["paths"].items():
        name = path.replace("{rules}", "standard").rpartition("/")[2]
        yield Route(path, getattr(endpoints, name), methods=[one.upper() for one in methods])


async def _openapi(description: dict[str, Any], _request: Request) -> Response:
    return JSONResponse(description)


async def _man(folder: str, names: str, request: Request) -> Response:
    """Draw a man by its colour and letter, like ``wK``, in the manner of a folder of pictures."""
    picture = page_texts().get(f"{folder}/{request.path_params['symbol']}.svg")
    if picture is None:
        raise HTTPException(404, f"{folder} are {names}")
    headers = {"cache-control": "public, max-age=86400"}
    return Response(picture, media_type="image/svg+xml", headers=headers)


def _page_routes() -> Iterator[Route]:
    """Yield the addresses of all files of the pages, with the folder for the first page."""
    texts = page_texts()
    for address, text in {"": texts[FIRST_PAGE], **texts}.items():
        kind, _ = mimetypes.guess_type(address or FIRST_PAGE)
        yield Route(f"/{address}", partial(_text, text, kind or "text/plain", _tag_of(text)))


async def _text(text: str, kind: str, tag: str, request: Request) -> Response:
    """Answer with a file of the pages, unless the browser has it."""
    headers = {"cache-control": "no-cache", "etag": tag}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(text, media_type=kind, headers=headers)


def _tag_of(text: str) -> str:
    """Return a tag of a text for a header, which differs for other texts."""
    return f'"{crc32(text.encode()):08x}"'


async def _game_page(request: Request) -> Response:
    """Lead an address of earlier versions to the page of all games."""
    query = request.url.query
    return RedirectResponse(f"./?{query}" if query else "./")


async def _only_order(_request: Request) -> Response:
    return PlainTextResponse("a solution is ordered by POST", 405, {"allow": "POST"})


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens on a host of either IP version, for port 0 on any free port.

    Raises `TablebaseError` if that is impossible, mostly because the port is in use.
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
