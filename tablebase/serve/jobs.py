"""What takes long, carried out by processes beside the server for everybody who asks for it.

No request waits for another's job, and neither do reads of tables: a process has a lock of Python
and a compiler of its own, see `core.ground.tasks`. A job continues if a client leaves, and
ends when it is done or overdue.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from asyncio.subprocess import Process
from collections.abc import Callable, Hashable
from contextlib import suppress
from typing import Any

from tablebase.core.ground.interruptions import INTERRUPTED

HEARTBEAT = 1.0  # seconds between looks at the time, and at most between lines for a client
PLACE_KEPT = 15.0  # seconds after which a client that does not ask again loses its place
FAILED = "solving failed: the server's terminal shows the reason"
OVERDUE = "the time is used up"
WAS_INTERRUPTED = "interrupted"
_LONGEST_LINE = 2**22  # bytes; the largest castling set has a third of that
_log = logging.getLogger(__name__)

Known = dict[str, Any]


class Job:
    """A task that a process carries out.

    Attributes
    ----------
    client : str
        Who asked for it first.
    words : str
        What is being done.
    followers : int
        How many wait for it now, for those who count them.
    told : dict
        What is known so far: ``done``, ``compiling``, ``problem`` (None, or why it ended early),
        and what the process has told. Each time it is another object.
    """

    def __init__(self, client: str, words: str) -> None:
        self.client, self.words = client, words
        self.followers = 0
        self.told: Known = {"done": False, "compiling": False, "problem": None}
        self.work: asyncio.Task[None] | None = None
        self._started = time.monotonic()
        self._news = asyncio.Event()

    @property
    def seconds(self) -> float:
        """The time since it began."""
        return time.monotonic() - self._started

    def tell(self, known: Known) -> None:
        """Add to what is known, for all who wait."""
        self.told = self.told | known
        self._news.set()
        self._news = asyncio.Event()

    async def after(self, known: Known, seconds: float) -> Known:
        """Return the news since `known`, or `known` itself if there are none for some seconds."""
        if self.told is known:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._news.wait(), seconds)
        return self.told

    async def end(self, seconds: float) -> bool:
        """Wait for the end, at most so long, and return whether it has come."""
        if self.work is None:
            await asyncio.sleep(max(0, seconds))
        else:
            await asyncio.wait({self.work}, timeout=max(0, seconds))
        return bool(self.told["done"])

    def stop(self) -> None:
        """End it early."""
        if self.work is not None:
            self.work.cancel()


class Jobs:
    """The jobs of one kind, each known by a key.

    Parameters
    ----------
    command
        Returns the command of a process that carries out a task at a time.
    at_once
        How many jobs there may be in all.
    for_one
        How many of them for one client.
    seconds
        How long a job may take.
    take
        Receives each line that a process tells, and returns what is to be known of it; by default
        all is.
    is_kept
        Whether a process is kept for the next job.
    """

    def __init__(
        self,
        command: Callable[[], tuple[str, ...]],
        *,
        at_once: int,
        for_one: int,
        seconds: float,
        take: Callable[[Known], Known] = dict,
        is_kept: bool = False,
    ) -> None:
        self._command, self._take, self._is_kept = command, take, is_kept
        self._at_once, self._for_one, self._time_limit = at_once, for_one, seconds
        self._jobs: dict[Hashable, Job] = {}
        self._idle: list[Process] = []
        self._waiting: dict[str, float] = {}  # clients in the order of their turns, and their time

    async def close(self) -> None:
        """Stop all jobs and processes."""
        self._is_kept = False
        jobs = list(self._jobs.values())
        for job in jobs:
            job.stop()
        work = [job.work for job in jobs if job.work is not None]
        await asyncio.gather(*work, return_exceptions=True)
        while self._idle:
            await _end(self._idle.pop())

    def find(self, key: Hashable) -> Job | None:
        """Return the job of a key that is under way."""
        return self._jobs.get(key)

    def before(self, client: str) -> Job | None:
        """Return a job for which another one of a client has to wait, None if it need not.

        The clients that have to wait get their turns in the order in which they asked first.
        """
        now = time.monotonic()
        self._waiting = {
            one: asked for one, asked in self._waiting.items() if now - asked <= PLACE_KEPT
        }
        own = [job for job in self._jobs.values() if job.client == client]
        if len(own) >= self._for_one:
            return own[0]
        order = list(self._waiting)
        first = order[: order.index(client)] if client in order else order
        if len(self._jobs) + len(first) < self._at_once:
            self._waiting.pop(client, None)
            return None
        self._waiting[client] = now
        return next(iter(self._jobs.values()), None) or Job(first[0], "another client is first")

    def start(self, key: Hashable, task: Known, client: str, words: str) -> Job:
        """Begin a job that has to wait for no other one."""
        job = self._jobs[key] = Job(client, words)
        job.work = asyncio.get_running_loop().create_task(self._carry_out(key, job, task))
        return job

    async def _carry_out(self, key: Hashable, job: Job, task: Known) -> None:
        process: Process | None = None
        last: Known = {"problem": FAILED}
        try:
            process = await self._process()
            assert process.stdin is not None
            process.stdin.write(json.dumps(task).encode() + b"\n")
            last = await self._follow(process, job)
        except (OSError, ValueError) as error:  # there is no process, or it tells nonsense
            _log.error("%s: %s", job.words, error)
        except asyncio.CancelledError:
            last = {"problem": WAS_INTERRUPTED}
        finally:
            if process is not None:
                await self._put_away(process, is_well=not last.get("problem"))
            del self._jobs[key]  # so that the next one may begin when this is known
            job.tell({"compiling": False} | last | {"done": True})

    async def _follow(self, process: Process, job: Job) -> Known:
        """Tell what a process tells until its last line, which is returned."""
        assert process.stdout is not None
        while True:
            with suppress(TimeoutError):
                line = await asyncio.wait_for(process.stdout.readline(), HEARTBEAT)
                if not line:
                    was_interrupted = await process.wait() == INTERRUPTED
                    return {"problem": WAS_INTERRUPTED if was_interrupted else FAILED}
                known = self._take(json.loads(line))
                if known.get("done"):
                    return known
                job.tell(known)
            if job.seconds > self._time_limit:
                return {"problem": OVERDUE}

    async def _process(self) -> Process:
        """Return a process that was kept, or a new one."""
        while self._idle:
            process = self._idle.pop()
            if process.returncode is None:
                return process
        return await asyncio.create_subprocess_exec(
            *self._command(),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=_LONGEST_LINE,
        )

    async def _put_away(self, process: Process, *, is_well: bool) -> None:
        """Keep a process for another job, or end it."""
        if is_well and self._is_kept and not self._idle:
            self._idle.append(process)
        else:
            await _end(process)


async def _end(process: Process) -> None:
    with suppress(ProcessLookupError):  # it has ended
        process.kill()
    await process.communicate()  # which closes its pipes
