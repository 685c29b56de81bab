"""Positions with castling rights: their sets are solved beside the server, once for all who ask."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Any

import chess

from tablebase.core.answers.tablebase import Tablebase
from tablebase.core.castling.placements import CastlingSet, castling_set_of
from tablebase.core.castling.solved_sets import UnsolvedSetError, castling_rights, solving_in_words
from tablebase.serve import castling_solver
from tablebase.serve.answering import ask_again
from tablebase.serve.jobs import FAILED, OVERDUE, Job, Jobs

AT_ONCE = 3  # sets in the making
FOR_ONE = 1  # of them for one client
SETS_OF_ANSWER = 3  # that an answer waits for, one after the other
TIME_LIMIT = 600.0  # seconds for a set, compiling included; the longest take half a minute
WAIT = 3.0  # seconds that a request waits for a set; most are solved by then
RETRY = 2  # seconds until a client may ask again
# Seconds until a set that could not be solved is tried again.
GIVEN_UP = {OVERDUE: 3600, FAILED: 60}


class CastlingJobs:
    """Solves what positions with castling rights need, and gives it to their tables.

    From then on these tables solve no set themselves, but raise `UnsolvedSetError`.
    """

    def __init__(self, tables: Tablebase) -> None:
        self._tables = tables
        for sets in tables.castling_sets.values():
            sets.only_taken = True
        self._taken = 0  # sets
        self._jobs = Jobs(
            lambda: castling_solver.COMMAND,
            at_once=AT_ONCE,
            for_one=FOR_ONE,
            seconds=TIME_LIMIT,
            take=self._take,
            is_kept=True,
        )
        self._given_up: dict[CastlingSet, tuple[float, str]] = {}  # until when, and why

    async def close(self) -> None:
        """Stop what is being solved."""
        await self._jobs.close()

    async def answer(
        self,
        look_up: Callable[[], Awaitable[Any]],
        board: Any,
        client: str,
        *,
        difficulty: bool,
    ) -> Any:
        """Return the answer of a look-up about a position, once the sets for it are solved.

        Raises `HTTPException` as `solve` does.
        """
        for _ in range(SETS_OF_ANSWER):
            while True:
                taken = self._taken
                try:
                    return await look_up()
                except UnsolvedSetError:
                    if taken == self._taken:  # else it may have come meanwhile
                        break
            await self.solve(board, client, difficulty=difficulty)
        raise ask_again(f"{solving_in_words(_set_of(board))}, one set after the other", RETRY)

    async def solve(self, board: chess.Board, client: str, *, difficulty: bool) -> None:
        """Have solved what the answer about a position needs.

        A client that asks for a set that is being solved waits for that. Raises `HTTPException`
        with status 503 and a reason if the client has waited for `WAIT` seconds, or if the job was
        given up.
        """
        placed = _set_of(board)
        self._refuse_hopeless(placed)
        until = time.monotonic() + WAIT
        while True:
            job = self._jobs.find(placed)
            other = None if job else self._jobs.before(client)
            if job is None and other is None:
                job = self._start(placed, board, client, difficulty=difficulty)
            waited_for = job or other
            assert waited_for is not None
            if not await waited_for.end(until - time.monotonic()):
                later = f"; {placed.material.name} comes later" if waited_for is other else ""
                raise ask_again(_in_words(waited_for) + later, RETRY)
            if waited_for is job:
                break
        self._refuse_hopeless(placed)

    def _start(
        self, placed: CastlingSet, board: chess.Board, client: str, *, difficulty: bool
    ) -> Job:
        task = {
            "fen": board.shredder_fen(),
            "difficulty": difficulty,
            "directories": [str(path) for path in self._tables.directories],
        }
        job = self._jobs.start(placed, task, client, solving_in_words(placed))
        assert job.work is not None
        # Whether anybody waits for it then or not.
        job.work.add_done_callback(lambda _: self._give_up(placed, job.told["problem"]))
        return job

    def _take(self, told: dict[str, Any]) -> dict[str, Any]:
        """Give a set to the tables; return what else a process has told."""
        given = told.pop("set", None)
        if given:
            metric, placed, outcomes = castling_solver.unpacked(given)
            self._tables.castling_sets[metric].take(placed, outcomes)
            self._taken += 1
        return told

    def _give_up(self, placed: CastlingSet, problem: str | None) -> None:
        """Remember a set that could not be solved, if a problem says so."""
        if problem in GIVEN_UP:
            reason = f"took more than {TIME_LIMIT:g} seconds" if problem == OVERDUE else "failed"
            why = f"{placed.material.name} {reason} and was given up"
            until = time.monotonic() + GIVEN_UP[problem]
            self._given_up[placed] = until, f"solving positions with castling rights: {why}"

    def _refuse_hopeless(self, placed: CastlingSet) -> None:
        """Raise an error for a set that was given up a short time ago."""
        now = time.monotonic()
        self._given_up = {one: known for one, known in self._given_up.items() if known[0] > now}
        if placed in self._given_up:
            until, why = self._given_up[placed]
            raise ask_again(why, int(until - now) + 1)


def _set_of(board: chess.Board) -> CastlingSet:
    return castling_set_of(board, castling_rights(board))


def _in_words(job: Job) -> str:
    """Return words for the current work of a job."""
    return f"compiling, once per version, for {job.words}" if job.told["compiling"] else job.words
