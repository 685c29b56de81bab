"""The parameters of a request, refused with 400 if invalid; ``openapi.json`` describes them."""

from __future__ import annotations

import json
from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException
from starlette.requests import Request

from tablebase.serve.collection import STANDARD

MOST_POSITIONS = 256  # in one request, answered in about a third of a second
_MOST_BYTES = 65_536  # of the body; a FEN has less than 100


def is_asked(request: Request, name: str) -> bool:
    """Return whether a parameter of the URL is 1; it may be 0 or left out."""
    value = text_of(request, name, "0")
    if value not in {"0", "1"}:
        raise HTTPException(400, f"the parameter {name} is not 0 or 1")
    return value == "1"


def text_of(request: Request, name: str, default: str | None = None) -> str:
    """Return a parameter of the URL as text."""
    value = request.query_params.get(name, default)
    if value is None:
        raise HTTPException(400, f"the parameter {name} is missing")
    return value


def asked_game(request: Request) -> str:
    """Return the name of the game in the address, chess by default."""
    return str(request.path_params.get("rules", STANDARD))


def fen_parameter(request: Request) -> str:
    """Return the parameter ``fen``.

    A plus sign in an address stands for a space, but not in a FEN that has ``_`` for spaces: there
    it is that of checks, as in ``3+3``.
    """
    fen = text_of(request, "fen")
    if "_" not in fen:
        return fen
    return dict(parse_qsl(request.url.query.replace("+", "%2B")))["fen"]


async def fens_in_body(request: Request) -> list[str]:
    """Return the FENs of a body, a JSON list; 413 if there are too many."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > _MOST_BYTES:
            raise HTTPException(413, f"the body is longer than {_MOST_BYTES:,} bytes")
    try:
        fens = json.loads(body)
    except (ValueError, RecursionError):
        fens = None
    if not isinstance(fens, list) or not all(isinstance(fen, str) for fen in fens):
        raise HTTPException(400, 'the body is not a JSON list of FENs, like ["8/8/..."]')
    if len(fens) > MOST_POSITIONS:
        raise HTTPException(413, f"{len(fens):,} positions are more than {MOST_POSITIONS}")
    return fens
