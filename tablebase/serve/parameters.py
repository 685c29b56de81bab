"""The parameters of a request, refused with 400 if invalid."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import Request

from tablebase.serve.collection import STANDARD

Choice = TypeVar("Choice")


class Parameter(NamedTuple):
    """A parameter of the URL."""

    name: str
    description: str
    schema: Mapping[str, Any]  # values as JSON Schema; with a `default` it may be left out
    example: str | int | None = None
    place: str = "query"  # `query` or `path`

    def described(self) -> dict[str, Any]:
        """Return the description of the parameter in OpenAPI."""
        known = {name: value for name, value in self._asdict().items() if value is not None}
        place = known.pop("place")
        return known | {"in": place, "required": "default" not in self.schema}


FEN = Parameter(
    "fen", "The position, with the letters of its game; underscores may stand for spaces.",
    {"type": "string", "maxLength": 200}, "8/8/8/8/8/2k5/1R6/K7_w_-_-_0_1",
)  # fmt: skip
MOVES = Parameter(
    "moves", "Whether to prove the result of every move as well.",
    {"type": "integer", "enum": [0, 1], "default": 0},
)  # fmt: skip
RULES = Parameter(
    "rules", "The game, by a name that /tables lists.", {"type": "string"}, "shatranj", "path"
)
GAME = Parameter(
    "rules", "The game, by one of the listed names.",
    {"type": "string", "maxLength": 200, "default": STANDARD},
)  # fmt: skip
DIFFICULTY = Parameter(
    "difficulty", "Whether to add the difficulty of the position after each move.",
    {"type": "integer", "enum": [0, 1], "default": 0},
)  # fmt: skip


def choice_of(request: Request, asked: Parameter, meanings: Iterable[Choice]) -> Choice:
    """Return the meaning of a parameter with few values. The meanings are in their order."""
    choices = dict(zip(map(str, asked.schema["enum"]), meanings, strict=True))
    try:
        return choices[text_of(request, asked)]
    except KeyError:
        raise HTTPException(
            400, f"the parameter {asked.name} is not {' or '.join(choices)}"
        ) from None


def text_of(request: Request, asked: Parameter) -> str:
    """Return a parameter of the URL as text."""
    value = request.query_params.get(asked.name, asked.schema.get("default"))
    if value is None:
        raise HTTPException(400, f"the parameter {asked.name} is missing")
    return str(value)
