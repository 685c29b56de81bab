"""The table of endpoints, and their description in OpenAPI."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple, is_typeddict

from tablebase.serve import schemas
from tablebase.serve.parameters import DIFFICULTY, FEN, GAME, MOVES, RULES, Parameter

_UNFIT = "Not a FEN, or an illegal position."
_NO_GAME = "No tables of such a game."
_TROUBLE = {
    503: "The answer comes later: no answer within 10 seconds, or a table cannot be read now.",
    500: "A table is damaged.",
}
_CASTLING = _TROUBLE | {
    503: "The answer comes later: the text says which castling set is being solved for it, or that"
    " there is no answer within 10 seconds, or that a table cannot be read now.",
}
_RETRY_AFTER = {
    "Retry-After": {
        "description": "Seconds after which to ask again.",
        "schema": {"type": "integer"},
        "required": True,
    }
}


class Endpoint(NamedTuple):
    """A request, answered by the method that has its `name`."""

    path: str
    summary: str
    answer: type  # one of `schemas`
    known: str  # description of the answer
    parameters: tuple[Parameter, ...] = ()
    errors: dict[int, str] = _TROUBLE  # reasons of refusal, by status
    method: str = "GET"
    description: str = ""
    media_type: str = "application/json"

    @property
    def name(self) -> str:
        """The last part of the path; what answers about chess answers about any game."""
        return self.path.replace("{rules}", "standard").rpartition("/")[2]

    def described(self) -> dict[str, Any]:
        """Return the description of the endpoint in OpenAPI."""
        answer = {"schema": schemas.schema_of(self.answer)}
        errors: dict[str, dict[str, Any]] = {
            str(status): {"description": why, "content": {"text/plain": _TEXT}}
            for status, why in self.errors.items()
        }
        if "503" in errors:
            errors["503"]["headers"] = _RETRY_AFTER
        more: dict[str, Any] = {}
        if self.description:
            more["description"] = self.description
        return {
            "summary": self.summary,
            "parameters": [one.described() for one in self.parameters],
            "responses": {"200": {"description": self.known, "content": {self.media_type: answer}}}
            | errors,
        } | more


_TEXT = {"schema": {"type": "string"}}

ENDPOINTS = (
    Endpoint(
        "/standard", "The result of a position and of all its moves",
        schemas.Position, "The position.", (FEN, DIFFICULTY), {400: _UNFIT} | _CASTLING,
    ),
    Endpoint(
        "/standard/mainline", "The moves up to mate, or to a draw by the 50-move rule",
        schemas.Mainline, "The line.", (FEN,),
        {400: _UNFIT, 404: "A table that is needed is not here."} | _CASTLING,
    ),
    Endpoint(
        "/tables", "The available tables of a game", schemas.Tables, "Simpler materials first.",
        (GAME,), {404: _NO_GAME} | _TROUBLE,
    ),
    Endpoint(
        "/solve", "Solve a position without a table",
        schemas.Solving, "The progress, about one line a second; the last line has `done`.",
        (FEN, MOVES),
        {
            400: "Not a FEN, an illegal position, or one that cannot be solved.",
            403: "Asked by a page of another server: Origin is not Host, or Sec-Fetch-Site is not"
            " same-origin or none.",
            404: "This server solves no positions.",
            503: "Another position is being solved; the text says for how long at most.",
        },
        "POST",
        "It needs a server started with --solve, which solves one position at a time and refuses"
        " pages of other servers. It ends when nobody follows it.",
        media_type="application/x-ndjson",
    ),
    Endpoint("/healthz", "Whether the server is up", schemas.Health, "It is up.", errors={}),
    Endpoint(
        "/{rules}", "The result of a position of another game and of all its moves",
        schemas.Position, "The position.", (RULES, FEN, DIFFICULTY),
        {400: _UNFIT, 404: _NO_GAME} | _TROUBLE,
    ),
    Endpoint(
        "/{rules}/mainline", "The moves of best play in another game, up to its end",
        schemas.Mainline, "The line.", (RULES, FEN),
        {400: _UNFIT, 404: f"{_NO_GAME[:-1]}, or a table that is needed is not here."} | _TROUBLE,
    ),
)  # fmt: skip


@lru_cache(maxsize=1)
def describe_api() -> dict[str, Any]:
    """Return the description of all endpoints in OpenAPI 3.1, made from the table above."""
    records = [one for one in vars(schemas).values() if is_typeddict(one)]
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "chess-tablebase",
            "version": "1",
            "description": "Exact distances to mate and to zeroing of chess endgames. /standard and"
            " /standard/mainline answer like lichess's tablebase server.",
            "license": {"name": "GPL-3.0-or-later", "identifier": "GPL-3.0-or-later"},
        },
        "servers": [{"url": "/"}],
        "paths": {one.path: {one.method.lower(): one.described()} for one in ENDPOINTS},
        "components": {"schemas": {one.__name__: schemas.schema_of_record(one) for one in records}},
    }
