"""The threads that look up what requests ask for, and how long an answer may take."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from starlette.exceptions import HTTPException

RETRY = 1  # seconds until a client may ask again
WAIT = 3.0  # seconds that a request waits for what takes long


def ask_again(why: str, seconds: int = RETRY) -> HTTPException:
    """Return the refusal of a request that may be made again after some seconds."""
    return HTTPException(503, why, {"retry-after": str(seconds)})


class Turns:
    """Places that clients get in turn: one with many requests lets others pass in between."""

    def __init__(self, places: int) -> None:
        self._free = places
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}  # the next one comes first

    async def take(self, client: str) -> None:
        """Wait for a place, which is to be given back."""
        if self._free:
            self._free -= 1
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(client, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.give_back()
            raise

    def give_back(self) -> None:
        """Give a place to the client whose turn it is."""
        while self._waiting:
            client = next(iter(self._waiting))
            turns = self._waiting.pop(client)
            turn = turns.popleft()
            if turns:
                self._waiting[client] = turns  # after all others
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1


class _Threads:
    """Some threads, and the turns of clients for them."""

    def __init__(self, count: int, name: str) -> None:
        self._turns = Turns(count)
        self.executor = ThreadPoolExecutor(count, thread_name_prefix=name)

    async def run(self, client: str, function: Callable[[], Any]) -> Any:
        await self._turns.take(client)
        loop = asyncio.get_running_loop()
        try:
            work = self.executor.submit(function)
        except RuntimeError:  # the server is being stopped
            self._turns.give_back()
            raise
        # Not when nobody waits for it any more: the thread is busy for as long as it runs.
        work.add_done_callback(lambda _: loop.call_soon_threadsafe(self._turns.give_back))
        return await asyncio.wrap_future(work)


class Answering:
    """Threads beside the event loop, which stays free, for several probes at once; others wait.

    Clients get threads in turn. An answer that takes longer than `time_limit` seconds is a
    `TimeoutError`.
    """

    def __init__(self, threads: int, time_limit: float) -> None:
        self._quick = _Threads(threads, "probe")
        # What may take seconds has one thread, so that it never keeps all others from probing.
        self._slow = _Threads(1, "slow")
        self._under_way: dict[str, asyncio.Task[Any]] = {}
        self._time_limit = time_limit

    async def run(self, client: str, function: Callable[..., Any], *arguments: Any) -> Any:
        """Return the result of a function that is quick."""
        async with asyncio.timeout(self._time_limit):
            return await self._quick.run(client, partial(function, *arguments))

    async def run_long(self, client: str, key: str, doing: str, function: Callable[[], Any]) -> Any:
        """Return the result of a function that may take seconds, run once for all who ask.

        It continues when they leave. Raises `HTTPException` with status 503, which says what is
        being done, if it takes longer than `WAIT` seconds.
        """
        work = self._under_way.get(key)
        if work is None:
            work = asyncio.create_task(self._slow.run(client, function))
            self._under_way[key] = work
            work.add_done_callback(lambda work: self._end(key, work))
        await asyncio.wait({work}, timeout=WAIT)
        if not work.done():
            raise ask_again(doing)
        return work.result()

    def _end(self, key: str, work: asyncio.Task[Any]) -> None:
        del self._under_way[key]
        if not work.cancelled():
            work.exception()  # or asyncio would complain where nobody waits for it

    def close(self) -> None:
        """Wait for what is under way and drop what waits."""
        for threads in (self._quick, self._slow):
            threads.executor.shutdown(cancel_futures=True)
