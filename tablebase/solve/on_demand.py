"""Positions solved on demand, one at a time, each by a process that ends with its request.

A process can be stopped within compiled code, gives its memory back, and never blocks the server.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from starlette.responses import StreamingResponse

from tablebase.core.interruptions import INTERRUPTED
from tablebase.solve.budget import read_budget
from tablebase.solve.places import check_solvable

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from collections.abc import AsyncIterator

    import chess
    from starlette.types import Receive, Scope, Send

    from tablebase.core.probing import Tablebase
    from tablebase.solve.budget import Budget

# What solves a position: it reads the task from its standard input, and writes lines.
COMMAND = (sys.executable, "-m", "tablebase.solve.solve_one")
HEARTBEAT = 1.0  # seconds between lines, so that it is noticed that a client has gone
GRACE = 60.0  # seconds beyond the budget: to load what is needed, and for the winning line
FAILED = "solving failed: the server's terminal shows the reason"
OVERDUE = "the time is used up"
WAS_INTERRUPTED = "interrupted"
_LONGEST_LINE = 2**20  # bytes; one of 218 moves has 20,000


class SolutionResponse(StreamingResponse):
    """The progress of a solution as lines of JSON, until its process ends.

    The process is stopped when the client disconnects, and when it is overdue.
    """

    def __init__(self, process: Process, time_limit: float) -> None:
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        super().__init__(self._lines(), media_type="application/x-ndjson", headers=headers)
        self._process = process
        self._started = time.monotonic()
        self._time_limit = time_limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request of ASGI."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._stop()

    def _stop(self) -> None:
        with suppress(ProcessLookupError):  # it has ended
            self._process.kill()

    async def _lines(self) -> AsyncIterator[str]:
        known: dict[str, Any] = {"done": False, "compiling": False}
        known |= {"problem": None, "solution": None}
        assert self._process.stdout is not None
        yield self._line(known)
        while not known["done"]:
            with suppress(TimeoutError):
                line = await asyncio.wait_for(self._process.stdout.readline(), HEARTBEAT)
                known |= json.loads(line) if line else await self._ended()
            if not known["done"] and self._seconds > self._time_limit:
                known |= {"done": True, "problem": OVERDUE}
            if known["done"]:  # so that the next one may begin when this is read
                self._stop()
                await self._process.wait()
                if known["problem"] and known["solution"]:
                    known["solution"]["stopped"] = known["problem"]
            yield self._line(known)

    async def _ended(self) -> dict[str, Any]:
        """Return the end of a solution whose process did not report it."""
        was_interrupted = await self._process.wait() == INTERRUPTED
        return {"done": True, "problem": WAS_INTERRUPTED if was_interrupted else FAILED}

    @property
    def _seconds(self) -> float:
        return time.monotonic() - self._started

    def _line(self, known: dict[str, Any]) -> str:
        return json.dumps(known | {"seconds": round(self._seconds, 1)}) + "\n"


def budget_of(text: str) -> Budget:
    """Return the budget for a position, from the text of `serve --solve`."""
    return read_budget(text)


class OnDemand:
    """Solves one position at a time within a budget, with the values of complete tables."""

    def __init__(self, tablebase: Tablebase, budget: Budget) -> None:
        self.budget = budget
        self._tablebase = tablebase
        self._starting = asyncio.Lock()
        self._process: Process | None = None

    @property
    def is_busy(self) -> bool:
        """Whether a position is being solved."""
        running = self._process is not None and self._process.returncode is None
        return running or self._starting.locked()

    async def start(self, board: chess.Board, *, moves: bool) -> SolutionResponse:
        """Begin to solve a position, and every move with `moves`, while nothing else `is_busy`.

        Raises `UnsupportedPositionError` if the position cannot be solved.
        """
        check_solvable(board)
        task = {
            "fen": board.fen(),
            "moves": moves,
            "budget": self.budget,
            "directories": [str(directory) for directory in self._tablebase.directories],
        }
        async with self._starting:
            self._process = await asyncio.create_subprocess_exec(
                *COMMAND,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                limit=_LONGEST_LINE,
            )
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(task).encode() + b"\n")
        return SolutionResponse(self._process, self.budget.seconds + GRACE)
