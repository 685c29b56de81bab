"""Limits on requests: their length, their time, and the number of connections.

A connection above the bound takes the place of one of the client that has most, unless it is that
client's own.
"""

from __future__ import annotations

import asyncio
import logging
import math
import socket
from collections import Counter
from typing import Any

import h11
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from tablebase.serve.origins import ServerNames, client_at

try:
    import resource
except ModuleNotFoundError:  # Windows, where sockets are not counted as files
    resource = None  # type: ignore[assignment]

MAX_URL = 2048  # bytes of path and query; a FEN has less than 100
MAX_HEAD = 16_384  # bytes of request line and headers
MAX_CONNECTIONS = 256
BACKLOG = 128  # connections that wait to be accepted
# Open besides connections: tables, each for both distances, downloads, processes, libraries. All
# tables of up to five men take 292, of six 1,022.
OTHER_FILES = 608
MOST_FILES = 2048  # to be open, if the system allows
REQUEST_LIMIT = 10.0  # seconds until a request is complete, or an answer taken
REPORT_INTERVAL = 60.0  # seconds at least between reports of connections that were not accepted

_SECURITY = (
    (b"access-control-allow-origin", b"*"),
    (b"access-control-expose-headers", b"Content-Range, Retry-After"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (
        b"content-security-policy",
        (
            b"default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; base-uri 'none'; "
            b"form-action 'self'; frame-ancestors 'none'"
        ),
    ),
)
_log = logging.getLogger(__name__)


class RequestBounds:
    """Refuses requests that are too long or use a wrong name, and adds headers to answers."""

    def __init__(self, app: ASGIApp, names: ServerNames) -> None:
        self._app = app
        self._names = names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request of ASGI."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        has_begun = False

        async def send_with_headers(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *_SECURITY]
            await send(message)

        app = self._app
        url = len(scope["raw_path"]) + len(scope["query_string"])
        if url > MAX_URL:
            app = PlainTextResponse(f"the URL is longer than {MAX_URL} bytes", 414)
        elif url + sum(len(name) + len(value) for name, value in scope["headers"]) > MAX_HEAD:
            app = PlainTextResponse(f"the headers are longer than {MAX_HEAD} bytes", 431)
        elif (refusal := self._names.refusal(Headers(scope=scope))) is not None:
            app = PlainTextResponse(refusal, 403)
        elif scope["method"] == "OPTIONS":
            allowed = {
                "access-control-allow-methods": "GET, POST",
                "access-control-allow-headers": "*, Authorization",  # which * does not cover
            }
            app = Response(status_code=204, headers=allowed)
        try:
            await app(scope, receive, send_with_headers)
        except Exception as error:
            if not has_begun:
                raise
            # An answer of another kind would come too late.
            _log.error("an answer broke off: %s", error.__cause__ or error)
            await scope["state"]["break_off"]()


class BoundedProtocol(H11Protocol):
    """HTTP/1.1 of uvicorn, with limits on connections and on the client's time.

    uvicorn limits neither: it answers requests of too many connections with 503, but keeps the
    connections, and waits for the rest of a request for ever.
    """

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Accept the connection unless there are too many, and wait for a request."""
        super().connection_made(transport)
        # uvicorn sends head and body apart, so that the body would wait for an acknowledgement.
        # asyncio sees to it only where a socket names its protocol, as accepted ones need not.
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.app_state = {**self.app_state, "break_off": self._break_off}
        self._start_waiting()
        # uvicorn refuses requests when this limit is reached, so it is never reached.
        if self.limit_concurrency and len(self.connections) >= self.limit_concurrency:
            self._one_too_many().end()

    @property
    def who(self) -> str:
        """The client, as `origins.client_at` tells it."""
        return client_at(self.client[0]) if self.client else ""

    @property
    def waits_until(self) -> float:
        """The time at which it is given up if its client does nothing."""
        return self._deadline.when() if self._deadline else math.inf

    def end(self) -> None:
        """End the connection, so that it counts no longer."""
        self.connections.discard(self)
        self.transport.abort()

    def _one_too_many(self) -> BoundedProtocol:
        """Return this connection, or the one that has waited longest of a client that has more."""
        others: list[BoundedProtocol] = [*self.connections]  # type: ignore[list-item]
        counts = Counter(one.who for one in others)
        greedy, most = counts.most_common(1)[0]
        if counts[self.who] == most:
            return self
        return min((one for one in others if one.who == greedy), key=lambda one: one.waits_until)

    async def _break_off(self) -> None:
        """End the connection in the middle of an answer."""
        self.transport.abort()
        await asyncio.sleep(0)  # uvicorn is to know before the answer ends

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._stop_waiting()
        super().connection_lost(exc)

    def handle_events(self) -> None:
        """Handle received data."""
        super().handle_events()
        self._wait_if_needed()

    def send_400_response(self, msg: str) -> None:
        """Refuse an invalid request; close the connection if another request is being answered."""
        if self.conn.our_state is h11.IDLE:
            super().send_400_response(msg)
            return
        if not self.cycle.response_complete:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self.transport.close()

    def on_response_complete(self) -> None:
        """Continue with the next request."""
        super().on_response_complete()
        self._wait_if_needed()

    def pause_writing(self) -> None:
        """Wait for the client to read."""
        super().pause_writing()
        self._wait_if_needed()

    def resume_writing(self) -> None:
        """Continue: the client has read."""
        super().resume_writing()
        self._stop_waiting()
        self._wait_if_needed()

    def _wait_if_needed(self) -> None:
        """Wait while a request is incomplete or the client does not read its answers."""
        incomplete = self.conn.their_state in {h11.IDLE, h11.SEND_BODY}
        if incomplete or self.flow.write_paused or self.transport.is_closing():
            self._start_waiting()
        else:
            self._stop_waiting()

    def _start_waiting(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(REQUEST_LIMIT, self.transport.abort)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


class AcceptErrors:
    """Reports from time to time that connections cannot be accepted.

    Without free descriptors, asyncio tries again many times a second and would print a traceback
    each time.
    """

    def __init__(self) -> None:
        self._silent_until = -REPORT_INTERVAL

    def __call__(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Handle an error of asyncio."""
        message = context["message"]
        closed = isinstance(context.get("exception"), ValueError)
        if closed and "_start_serving" in message:
            return  # asyncio tried again after the server had closed its socket
        if "socket.accept()" not in message:
            loop.default_exception_handler(context)
        elif loop.time() >= self._silent_until:
            self._silent_until = loop.time() + REPORT_INTERVAL
            _log.error("connections are not accepted for now: %s", context.get("exception"))


def max_connections() -> int:
    """Return the number of connections that the limit of descriptors allows."""
    if resource is None:
        return MAX_CONNECTIONS
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if allowed == resource.RLIM_INFINITY:
        return MAX_CONNECTIONS
    # Where few are allowed, connections leave half of them for the rest.
    others = min(OTHER_FILES, allowed // 2)
    return max(1, min(MAX_CONNECTIONS, allowed - BACKLOG - others))


def allow_descriptors() -> None:
    """Raise the limit of open files to the need of the limits above, as much as allowed."""
    if resource is None:
        return
    wanted = MOST_FILES
    allowed, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most != resource.RLIM_INFINITY:
        wanted = min(wanted, most)
    if allowed != resource.RLIM_INFINITY and allowed < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))
