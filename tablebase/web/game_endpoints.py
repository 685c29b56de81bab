"""Requests about tables of other games than chess."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import numpy as np
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from tablebase.core.errors import MissingTableError
from tablebase.web.answering import Answering
from tablebase.web.game_tables import CHOICES, GameTables
from tablebase.web.parameters import CHOICE, GAME_FEN, MATERIAL, RULES, choice_of, text_of


class GameEndpoints:
    """The answers to the rows of `description.GAME_ENDPOINTS`.

    Parameters
    ----------
    tables
        The tables.
    answering
        The threads that look them up.
    """

    def __init__(self, tables: GameTables, answering: Answering) -> None:
        self._tables = tables
        self._answering = answering
        self._rng = np.random.default_rng()

    async def games(self, _request: Request) -> Response:
        """Answer ``GET /games``."""
        return JSONResponse({"games": await self._answering.run(self._tables.describe)})

    async def probe(self, request: Request) -> Response:
        """Answer ``GET /games/probe?rules=&fen=``."""
        return await self._of_position(request, self._answering.run, self._tables.probe)

    async def line(self, request: Request) -> Response:
        """Answer ``GET /games/line?rules=&fen=``."""
        return await self._of_position(request, self._answering.run_long, self._tables.line)

    async def pick(self, request: Request) -> Response:
        """Answer ``GET /games/pick?rules=&material=&choice=``."""
        name, choice = text_of(request, MATERIAL), choice_of(request, CHOICE, CHOICES)
        try:
            found = await self._answering.run_long(
                self._tables.position_of, text_of(request, RULES), name, choice, self._rng
            )
        except MissingTableError as error:
            raise HTTPException(404, str(error)) from error
        if found is None:
            raise HTTPException(404, f"no such position of {name} was found")
        return JSONResponse(found, headers={"cache-control": "no-store"})

    async def _of_position(
        self,
        request: Request,
        run: Callable[..., Awaitable[Any]],
        look_up: Callable[[str, str], dict[str, Any]],
    ) -> Response:
        game, fen = text_of(request, RULES), text_of(request, GAME_FEN)
        try:
            return JSONResponse(await run(look_up, game, fen))
        except MissingTableError as error:
            raise HTTPException(404, str(error)) from error
