"""Servers that answer as lichess's tablebase server does, as probers."""

from __future__ import annotations

import json
import time
from functools import partial
from http import HTTPStatus
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlsplit
from urllib.request import Request, urlopen

import chess

from tablebase._version import __version__
from tablebase.core.ground.errors import MissingTableError, TablebaseError
from tablebase.core.ground.parallel import with_deadline
from tablebase.core.ground.words import quoted

PAUSE = 1.0  # seconds between requests, so that a server of others hardly notices
WAIT = 60.0  # seconds after an answer of status 429, unless the server names others
TRIES = 5
TIME_LIMIT = 30.0  # seconds for a whole answer
_LARGEST = 1 << 20  # bytes
_MOST_TOLD = 200  # characters of what a server says
_RESULTS = {"win": 2, "cursed-win": 1, "draw": 0, "blessed-loss": -1, "loss": -2}


class ServerProber:
    """A server that answers ``GET /standard?fen=`` as lichess's does, asked one thing at a time.

    For a `variant`, a class of boards, its name takes the place of ``standard``, as in ``/atomic``.

    An answer has the values after all moves, so a position takes one request. `pause` and `wait`
    are seconds between requests, and after a refusal (429) without a time.

    `TablebaseError` for an address that is not HTTP, or if the server does not answer or refuses.
    """

    def __init__(
        self,
        url: str,
        *,
        variant: type[chess.Board] = chess.Board,
        pause: float | None = None,
        wait: float | None = None,
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.netloc:
            raise TablebaseError(
                f"{quoted(url)} is not the address of a server: write it like https://tablebase.lichess.ovh"
            )
        self.variant = variant
        path = "/standard" if variant is chess.Board else f"/{variant.uci_variant}"
        self._url = f"{url.rstrip('/').removesuffix(path)}{path}"
        self._pause = PAUSE if pause is None else pause
        self._wait = WAIT if wait is None else wait
        self._last: float | None = None
        self._known: dict[str, dict[str, Any] | None] = {}
        self.requests = 0

    def probe_wdl(self, board: chess.Board) -> int:
        """Return the result: 2 for a win, 1 for a cursed win, 0, -1, -2.

        Raises `MissingTableError` if the server does not tell.
        """
        return self._value(board, "wdl")

    def probe_dtz(self, board: chess.Board) -> int:
        """Return the signed distance to zeroing, raises what `probe_wdl` does."""
        return self._value(board, "dtz")

    def probe_dtm(self, board: chess.Board) -> int:
        """Return the signed distance to mate, raises what `probe_wdl` does."""
        return self._value(board, "dtm")

    def _value(self, board: chess.Board, name: str) -> int:
        key = board.epd()
        if key not in self._known:
            self._known = self._look_up(board)
        fields = self._known[key]
        value = None if fields is None else fields[name]
        if value is None:
            raise MissingTableError(f"{self._url} has no {name} of {board.fen()}")
        if type(value) is not int:
            raise self._failure(f"its {name} of {board.fen()} is {quoted(value)}")
        return value

    def _look_up(self, board: chess.Board) -> dict[str, dict[str, Any] | None]:
        """Return the values of a position and of the positions after its moves, by EPD."""
        fen = board.fen().replace(" ", "_")
        answer = self._get(f"{self._url}?fen={quote(fen, safe='/_-')}")
        if answer is None:
            return {board.epd(): None}
        found: dict[str, dict[str, Any] | None] = {}
        try:
            for move in answer["moves"]:
                after = board.copy(stack=False)
                after.push_uci(move["uci"])
                # After a quiet move the clock counts for the category, but not for other probers.
                found[after.epd()] = _fields(move, has_clock=not move["zeroing"])
            found[board.epd()] = _fields(answer, has_clock=False)
        except (KeyError, TypeError, ValueError) as error:
            raise self._failure(f"unexpected content ({error!r})") from None
        return found

    def _get(self, address: str) -> Any:
        """Return a JSON answer, None if there is no table; `TablebaseError` for another or none."""
        request = Request(  # noqa: S310  # the address is one of HTTP
            address, headers={"User-Agent": f"tablebase/{__version__} (audit)"}
        )
        for _ in range(TRIES):
            self._keep_pause()
            try:
                # Each wait of `urlopen` has a limit of its own: a server may send a byte in time.
                return json.loads(with_deadline(TIME_LIMIT, partial(_fetch, request)))
            except TimeoutError:
                raise self._failure(f"no complete answer within {TIME_LIMIT:g} seconds") from None
            except RecursionError:
                raise self._failure("its answer is nested too deeply") from None
            except HTTPError as error:
                error.close()
                if error.code == HTTPStatus.NOT_FOUND:
                    return None
                told = error.headers.get("Retry-After")
                # Our own server needs time for castling sets, for example.
                is_later = error.code == HTTPStatus.SERVICE_UNAVAILABLE and told
                if error.code != HTTPStatus.TOO_MANY_REQUESTS and not is_later:
                    raise self._failure(f"status {error.code} {error.reason}") from None
                time.sleep(_seconds(told, self._wait))
            except URLError as error:
                raise self._failure(str(error.reason)) from None
            except (OSError, HTTPException, ValueError) as error:
                raise self._failure(" ".join(str(error).split())) from None
        raise self._failure(f"too many requests, even after {TRIES} tries with pauses")

    def _keep_pause(self) -> None:
        """Wait until the next request may be made."""
        now = time.monotonic()
        if self._last is not None and now < self._last + self._pause:
            time.sleep(self._last + self._pause - now)
        self._last = time.monotonic()
        self.requests += 1

    def _failure(self, reason: str) -> TablebaseError:
        if len(reason) > _MOST_TOLD:
            reason = f"{reason[:_MOST_TOLD]} ..."
        return TablebaseError(f"{self._url} does not answer like lichess's server: {reason}")


def _fetch(request: Request) -> bytes:
    """Return the body of an answer, or only the beginning of a body that is too large."""
    with urlopen(request, timeout=TIME_LIMIT) as response:  # noqa: S310 (checked by the caller)
        body: bytes = response.read(_LARGEST)
        return body


def _fields(described: dict[str, Any], *, has_clock: bool) -> dict[str, Any]:
    result = None if has_clock else _RESULTS.get(described["category"])
    return {"wdl": result, "dtz": described["dtz"], "dtm": described.get("dtm")}


def _seconds(header: str | None, otherwise: float) -> float:
    """Return the seconds of a header ``Retry-After``, but no more than ten minutes."""
    if header is None or not header.isdecimal():
        return otherwise
    return min(float(header), 600.0)
