"""Positions solved on demand, one at a time; the answer tells how far each is, line by line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from starlette.responses import StreamingResponse

from tablebase.core.ground.seams import ENDPOINTS, load
from tablebase.serve import jobs
from tablebase.serve.answering import ask_again
from tablebase.serve.jobs import Jobs

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    import chess
    from starlette.types import Receive, Scope, Send

    from tablebase.core.answers.tablebase import Tablebase
    from tablebase.serve.jobs import Job

RETRY = 5  # seconds until a client may ask again


class SolutionResponse(StreamingResponse):
    """How far a solution is, as lines of JSON, until it ends.

    It is given up when nobody follows it any more.
    """

    def __init__(self, job: Job) -> None:
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        super().__init__(self._lines(), media_type="application/x-ndjson", headers=headers)
        self._job = job
        job.followers += 1

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request of ASGI."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._job.followers -= 1
            if not self._job.followers:
                self._job.stop()

    async def _lines(self) -> AsyncIterator[str]:
        known = self._job.told
        yield self._line(known)
        while not known["done"]:
            known = await self._job.after(known, jobs.HEARTBEAT)
            yield self._line(known)

    def _line(self, known: dict[str, Any]) -> str:
        known = {"solution": None} | known
        if known["problem"] and known["solution"]:
            known["solution"] = known["solution"] | {"stopped": known["problem"]}
        return json.dumps(known | {"seconds": round(self._job.seconds, 1)}) + "\n"


class SolveJobs:
    """Solves positions within a budget, with the values of complete tables."""

    def __init__(self, tables: Tablebase, budget: Any) -> None:
        self.budget = budget
        self._tables = tables
        # Its kernels take time to load.
        self._on_demand = load(ENDPOINTS["/solve"], "solving positions")
        self._jobs = Jobs(
            lambda: self._on_demand.COMMAND,
            at_once=1,
            for_one=1,
            seconds=budget.seconds + self._on_demand.GRACE,
        )

    async def close(self) -> None:
        """Stop what is being solved."""
        await self._jobs.close()

    def solve(self, board: chess.Board, client: str, *, moves: bool) -> SolutionResponse:
        """Begin to solve a position, and every move with `moves`, or follow who has begun.

        Raises `UnsupportedPositionError` if the position cannot be solved, and `HTTPException`
        with status 503 while another one is being solved.
        """
        task = self._on_demand.task_of(board, self.budget, self._tables.directories, moves=moves)
        key = task["fen"], moves
        job = self._jobs.find(key)
        if job is None:
            other = self._jobs.before(client)
            if other is not None:
                left = max(0, self.budget.seconds - other.seconds)
                raise ask_again(
                    f"another position is being solved, for at most {left:.0f} more seconds", RETRY
                )
            job = self._jobs.start(key, task, client, f"solving {board.fen()}")
        return SolutionResponse(job)
