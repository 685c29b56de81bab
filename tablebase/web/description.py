"""The table of endpoints, and their description in OpenAPI."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple, is_typeddict

from tablebase.web import game_schemas, schemas
from tablebase.web.games import MAX_MOVES
from tablebase.web.limits import MAX_BODY
from tablebase.web.parameters import (
    CHOICE,
    DIFFICULTY,
    FEN,
    GAME,
    GAME_FEN,
    LEVEL,
    MATERIAL,
    METRIC,
    MOVES,
    PLIES,
    RESULT,
    RULES,
    TURN,
    Parameter,
)

_UNFIT = "Not a FEN, or an illegal position."
_NO_MATERIAL = "Not the name of a material."
_TROUBLE = {
    503: "Too busy to answer in time, or a table cannot be read at the moment.",
    500: "A table is damaged.",
}


class Endpoint(NamedTuple):
    """A request, answered by the method that has its `name`.

    Attributes
    ----------
    path, summary, description : str
        The address, a title, and details.
    answer, known : type, str
        The record of the answer, one of `schemas` or `game_schemas`, and its description.
    parameters : tuple of Parameter
        The parameters.
    errors : dict
        Reasons of refusal, by status.
    method, media_type : str
        The HTTP method, and the type of the answer.
    body : str
        An example of the body; empty if there is none.
    """

    path: str
    summary: str
    answer: type
    known: str
    parameters: tuple[Parameter, ...] = ()
    errors: dict[int, str] = _TROUBLE
    method: str = "GET"
    description: str = ""
    body: str = ""
    media_type: str = "application/json"

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition("/")[2]

    def described(self) -> dict[str, Any]:
        """Return its description in OpenAPI."""
        answer = {"schema": schemas.schema_of(self.answer)}
        errors = {
            str(status): {"description": why, "content": {"text/plain": _TEXT}}
            for status, why in self.errors.items()
        }
        more: dict[str, Any] = {}
        if self.description:
            more["description"] = self.description
        if self.body:
            content = {"text/plain": _TEXT | {"example": self.body}}
            more["requestBody"] = {"required": True, "content": content}
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
        schemas.Position, "The position.", (FEN, DIFFICULTY), {400: _UNFIT} | _TROUBLE,
    ),
    Endpoint(
        "/standard/mainline", "The moves up to mate, or to a draw by the 50-move rule",
        schemas.Mainline, "The line.", (FEN,),
        {400: _UNFIT, 404: "A table that is needed is not here, or there are castling rights."}
        | _TROUBLE,
    ),
    Endpoint("/tables", "The available tables", schemas.Tables, "Simpler materials first."),
    Endpoint(
        "/random", "A legal position of a material, all with equal probability",
        schemas.Found, "A position.", (MATERIAL,),
        {400: _NO_MATERIAL, 404: "No such table."} | _TROUBLE,
    ),
    Endpoint(
        "/hardest", "A position of the longest win of a material",
        schemas.Found, "A position.", (MATERIAL,),
        {400: _NO_MATERIAL, 404: "No such table, or nothing in it is won."} | _TROUBLE,
    ),
    Endpoint(
        "/find", "A position of a result and distance",
        schemas.Found, "A random position.",
        (MATERIAL, TURN, RESULT, PLIES, METRIC),
        {
            400: f"{_NO_MATERIAL[:-1]}, or a parameter that is missing or makes no sense.",
            404: "No such table, or no such position was found within five seconds.",
        } | _TROUBLE,
    ),
    Endpoint(
        "/table", "A table's counts by result and distance",
        schemas.Material, "The figures.", (MATERIAL,),
        {400: _NO_MATERIAL, 404: "No such table."} | _TROUBLE,
    ),
    Endpoint(
        "/survey", "Longest wins and mutual zugzwangs of a table",
        schemas.Survey, "The figures.", (MATERIAL,),
        {
            400: _NO_MATERIAL,
            404: "No such table, or the table is too large to scan or has no distances to mate.",
        } | _TROUBLE,
    ),
    Endpoint(
        "/difficult", "The positions of a table that are hardest to win and to hold",
        schemas.Difficult, "The hardest first, for each side to move and result.", (MATERIAL,),
        {
            400: _NO_MATERIAL,
            404: "No such table, or the table is too large to scan or has no distances to zeroing.",
        } | _TROUBLE,
    ),
    Endpoint(
        "/exercise", "A random position to win or to hold, of about a given difficulty",
        schemas.Exercise, "A position.", (MATERIAL, LEVEL),
        {
            400: _NO_MATERIAL,
            404: "No such table, no distances to zeroing, or nothing to give away in it.",
        } | _TROUBLE,
    ),
    Endpoint(
        "/annotate", "An annotated game",
        schemas.Game, "The game.", (GAME,),
        {
            400: "The text has no such game, or the game is too long or of another variant.",
            413: "The text is too long.",
        } | _TROUBLE,
        "POST",
        f"A game of the text, which may have {MAX_BODY // 1024} KiB. The game may have"
        f" {MAX_MOVES:,} moves, variations included. Every known position gets its value. Moves"
        " that change the result or are slow get a mark and a comment.",
        '[FEN "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"]\n\n1. Rb3+ Kxb3 1/2-1/2',
    ),
    Endpoint(
        "/solve", "A position without a table, solved on demand",
        schemas.Solving, "The progress in a line about each second; the last line has `done`.",
        (FEN, MOVES),
        {
            400: "Not a FEN, an illegal position, or one that cannot be solved.",
            403: "Asked by a page of another server: Origin is not Host, or Sec-Fetch-Site is not"
            " same-origin or none.",
            404: "This server solves no positions.",
            503: "Another position is being solved.",
        },
        "POST",
        "It needs a server started with --solve, which solves one position at a time and refuses"
        " pages of other servers. Closing the connection stops it.",
        media_type="application/x-ndjson",
    ),
    Endpoint("/healthz", "Whether the server is up", schemas.Health, "It is up.", errors={}),
)  # fmt: skip

_NO_GAME = "No tables of such a game."
# Requests about other games than chess, answered by `game_endpoints.GameEndpoints`.
GAME_ENDPOINTS = (
    Endpoint(
        "/games", "The games besides chess that there are tables of, with pieces and tables",
        game_schemas.Games, "In the order of their names.",
    ),
    Endpoint(
        "/games/probe", "The result of a position of another game and of all its moves",
        game_schemas.GamePosition, "The position.", (RULES, GAME_FEN),
        {
            400: "Not a FEN of the game, or an illegal position.",
            404: f"{_NO_GAME[:-1]}, or of these men.",
        } | _TROUBLE,
    ),
    Endpoint(
        "/games/line", "The moves of best play in another game, to its end",
        game_schemas.GameLine, "The line; none of a draw.", (RULES, GAME_FEN),
        {
            400: "Not a FEN of the game, or an illegal position.",
            404: f"{_NO_GAME[:-1]}, or of these men.",
        } | _TROUBLE,
    ),
    Endpoint(
        "/games/pick", "A position of a material of another game",
        game_schemas.GameFound, "A position.", (RULES, MATERIAL, CHOICE),
        {400: _NO_MATERIAL, 404: f"{_NO_GAME[:-1]}, no such table or no such position."}
        | _TROUBLE,
    ),
)  # fmt: skip


@lru_cache(maxsize=1)
def describe_api() -> dict[str, Any]:
    """Return the description of all endpoints in OpenAPI 3.1, made from the table above."""
    known = (vars(schemas) | vars(game_schemas)).values()
    records = [one for one in known if is_typeddict(one)]
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "chess-tablebase",
            "version": "1",
            "description": "Exact distances to mate and to zeroing of chess endgames. /standard and"
            " /standard/mainline are those of lichess's tablebase server.",
            "license": {"name": "GPL-3.0-or-later", "identifier": "GPL-3.0-or-later"},
        },
        "servers": [{"url": "/"}],
        "paths": {
            one.path: {one.method.lower(): one.described()} for one in (*ENDPOINTS, *GAME_ENDPOINTS)
        },
        "components": {"schemas": {one.__name__: schemas.schema_of_record(one) for one in records}},
    }
