"""What a request asks for: its parameters and its body, refused with 400 or 413 if need be."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import Request

from tablebase.web.limits import MAX_BODY

Choice = TypeVar("Choice")


def parameter(request: Request, name: str, default: str | None = None) -> str:
    """Return a parameter of the URL as it is."""
    value = request.query_params.get(name, default)
    if value is None:
        raise HTTPException(400, f"the parameter {name} is missing")
    return value


def choice_of(
    request: Request, name: str, choices: Mapping[str, Choice], default: str | None = None
) -> Choice:
    """Return what a parameter means that has few values."""
    try:
        return choices[parameter(request, name, default)]
    except KeyError:
        raise HTTPException(400, f"the parameter {name} is not {' or '.join(choices)}") from None


def number_of(request: Request, name: str, default: str | None = None) -> int:
    """Return a parameter that is a number, not a negative one."""
    text = parameter(request, name, default)
    if not re.fullmatch("[0-9]{1,4}", text):
        raise HTTPException(400, f"the parameter {name} is not a number up to 9999")
    return int(text)


async def body_of(request: Request) -> str:
    """Return the text that a request brings."""
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > MAX_BODY:
            raise HTTPException(413, f"the text is longer than {MAX_BODY} bytes")
    return body.decode("utf-8-sig", errors="replace")
