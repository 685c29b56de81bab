"""The parameters and the body of a request, refused with 400 or 413 if invalid."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import Request

from tablebase.core.outcomes import METRICS
from tablebase.core.streams import decoded
from tablebase.web.game_tables import CHOICES
from tablebase.web.limits import MAX_BODY

Choice = TypeVar("Choice")


class Parameter(NamedTuple):
    """A parameter of the URL.

    Attributes
    ----------
    name, description : str
        The name in the URL, and the meaning.
    schema : mapping
        Its values as JSON Schema; it may be left out if this has a ``default``.
    example : str or int, optional
        One of them.
    """

    name: str
    description: str
    schema: Mapping[str, Any]
    example: str | int | None = None

    def described(self) -> dict[str, Any]:
        """Return its description in OpenAPI."""
        known = {name: value for name, value in self._asdict().items() if value is not None}
        return known | {"in": "query", "required": "default" not in self.schema}


FEN = Parameter(
    "fen", "The position; underscores may stand for spaces.",
    {"type": "string", "maxLength": 200}, "8/8/8/8/8/2k5/1R6/K7_w_-_-_0_1",
)  # fmt: skip
MATERIAL = Parameter(
    "material", "The men, whichever side is the stronger one.", {"type": "string"}, "KRNK"
)
TURN = Parameter(
    "turn", "Side to move, where the stronger side is White.",
    {"type": "string", "enum": ["w", "b"]}, "w",
)  # fmt: skip
RESULT = Parameter("result", "Its result.", {"type": "string", "enum": ["win", "loss"]}, "win")
PLIES = Parameter("plies", "The distance.", {"type": "integer", "minimum": 0, "maximum": 9999}, 31)
METRIC = Parameter(
    "metric",
    "Which distance: to mate, or to zeroing, where 100 more are a draw by the 50-move rule.",
    {"type": "string", "enum": [metric.name for metric in METRICS]}, "dtm",
)  # fmt: skip
GAME = Parameter(
    "game", "Which game of the text.",
    {"type": "integer", "minimum": 1, "maximum": 9999, "default": 1},
)  # fmt: skip
MOVES = Parameter(
    "moves", "Whether to prove the result of every move, too.",
    {"type": "integer", "enum": [0, 1], "default": 0},
)  # fmt: skip
RULES = Parameter(
    "rules", "The game, by a name of /games.", {"type": "string", "maxLength": 200}, "shatranj"
)
GAME_FEN = Parameter(
    "fen", "The position, with the letters of the game; underscores may stand for spaces.",
    {"type": "string", "maxLength": 200}, "8/8/8/3k4/8/1KQ5/8/q7_w",
)  # fmt: skip
CHOICE = Parameter(
    "choice", "Any position, one that the side to move wins, or one of the longest win.",
    {"type": "string", "enum": list(CHOICES), "default": CHOICES[0]},
)  # fmt: skip
LEVEL = Parameter(
    "level", "The difficulty in tenths.",
    {"type": "integer", "minimum": 0, "maximum": 9, "default": 0},
)  # fmt: skip
DIFFICULTY = Parameter(
    "difficulty", "Whether each move has the difficulty of the position after it.",
    {"type": "integer", "enum": [0, 1], "default": 0},
)  # fmt: skip


def text_of(request: Request, asked: Parameter) -> str:
    """Return a parameter of the URL as text."""
    value = request.query_params.get(asked.name, asked.schema.get("default"))
    if value is None:
        raise HTTPException(400, f"the parameter {asked.name} is missing")
    return str(value)


def choice_of(request: Request, asked: Parameter, meanings: Iterable[Choice]) -> Choice:
    """Return the meaning of a parameter with few values. The meanings are in their order."""
    choices = dict(zip(map(str, asked.schema["enum"]), meanings, strict=True))
    try:
        return choices[text_of(request, asked)]
    except KeyError:
        raise HTTPException(
            400, f"the parameter {asked.name} is not {' or '.join(choices)}"
        ) from None


def number_of(request: Request, asked: Parameter) -> int:
    """Return a parameter that is a number, not a negative one."""
    text, most = text_of(request, asked), asked.schema["maximum"]
    if not re.fullmatch("[0-9]{1,4}", text):
        raise HTTPException(400, f"the parameter {asked.name} is not a number up to {most}")
    return int(text)


async def body_of(request: Request) -> str:
    """Return the text that a request brings."""
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > MAX_BODY:
            raise HTTPException(413, f"the text is longer than {MAX_BODY} bytes")
    return decoded(bytes(body))
