"""The parameters of a request, refused with 400 if invalid; ``openapi.json`` describes them."""

from __future__ import annotations

from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException
from starlette.requests import Request


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


def fen_parameter(request: Request) -> str:
    """Return the parameter ``fen``.

    A plus sign in an address stands for a space, but not in a FEN that has ``_`` for spaces: there
    it is that of checks, as in ``3+3``.
    """
    fen = text_of(request, "fen")
    if "_" not in fen:
        return fen
    return dict(parse_qsl(request.url.query.replace("+", "%2B")))["fen"]
