"""Who can still mate where rules and tables leave it open: searched beside the server, in turn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tablebase.serve import answering, mating_search
from tablebase.serve.answering import ask_again
from tablebase.serve.chances import describe_chances
from tablebase.serve.jobs import Jobs
from tablebase.serve.origins import client_of, require_own_page

if TYPE_CHECKING:
    import chess
    from starlette.requests import Request

    from tablebase.core.answers.tablebase import Tablebase
    from tablebase.serve.answering import Answering
    from tablebase.serve.jobs import Job

TIME_LIMIT = 60.0  # seconds for a position, compiling included
RETRY = 2  # seconds until a client may ask again
TRY_AGAIN = 60  # seconds until a client may ask again for what failed
MOST_KEPT = 256  # positions


class MatingJobs:
    """Searches one position at a time, with the tables of some folders, and keeps what is found."""

    def __init__(self, tables: Tablebase, answering: Answering) -> None:
        self._tables, self._answering = tables, answering
        self._found: dict[str, dict[str, Any]] = {}
        self._jobs = Jobs(
            lambda: mating_search.COMMAND,
            at_once=1,
            for_one=1,
            seconds=TIME_LIMIT,
            is_kept=True,
        )

    async def close(self) -> None:
        """Stop what is being searched."""
        await self._jobs.close()

    async def chances(self, request: Request, tables: Tablebase, board: Any) -> dict[str, Any]:
        """Return the sides that can still win, in chess by a search if nothing else tells.

        Raises `HTTPException` as `answer` does, and with status 403 for a page of another server.
        """
        client = client_of(request.scope)
        told: dict[str, Any] = await self._answering.run(client, describe_chances, tables, board)
        if None not in told["can_win"].values() or tables is not self._tables:
            return told
        require_own_page(request.headers, "searched for a mate")
        return await self.answer(board, client)

    async def answer(self, board: chess.Board, client: str) -> dict[str, Any]:
        """Return the chances of both sides after a search, as of `chances.describe_chances`.

        Raises `HTTPException` with status 503 and a reason if the client has to ask again.
        """
        key = board.epd(shredder=True)
        if key not in self._found:
            job = self._jobs.find(key) or self._start(key, board, client)
            if not await job.end(answering.WAIT):
                doing = "compiling, once per version, for " if job.told["compiling"] else ""
                raise ask_again(f"{doing}{job.words}", RETRY)
            if job.told["problem"]:
                raise ask_again(f"{job.words}: {job.told['problem']}", TRY_AGAIN)
        return self._found[key]

    def _start(self, key: str, board: chess.Board, client: str) -> Job:
        if self._jobs.before(client):
            raise ask_again("another position is being searched for a mate", RETRY)
        directories = [str(path) for path in self._tables.directories]
        task = {"fen": board.shredder_fen(), "directories": directories}
        job = self._jobs.start(key, task, client, "searching for a mate in which both sides help")
        assert job.work is not None
        # Whether anybody waits for it then or not.
        job.work.add_done_callback(lambda _: self._keep(key, job))
        return job

    def _keep(self, key: str, job: Job) -> None:
        if "chances" in job.told:
            self._found[key] = job.told["chances"]
        while len(self._found) > MOST_KEPT:
            del self._found[next(iter(self._found))]
