"""The threads that look up what requests ask for, and how long an answer may take."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any


class Answering:
    """Threads beside the event loop, which stays free, for several probes at once; others wait.

    An answer that takes longer than `time_limit` seconds is a `TimeoutError`.
    """

    def __init__(self, threads: int, time_limit: float) -> None:
        self._quick = ThreadPoolExecutor(threads, thread_name_prefix="probe")
        # What may take seconds has one thread, so that it never keeps all others from probing.
        self._slow = ThreadPoolExecutor(1, thread_name_prefix="slow")
        self._time_limit = time_limit

    async def run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Return the result of a function that is quick."""
        return await self._in(self._quick, function, *arguments)

    async def run_long(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Return the result of a function that may take seconds."""
        return await self._in(self._slow, function, *arguments)

    def close(self) -> None:
        """Wait for what is under way and drop what waits."""
        for executor in (self._quick, self._slow):
            executor.shutdown(cancel_futures=True)

    async def _in(
        self, executor: ThreadPoolExecutor, function: Callable[..., Any], *arguments: Any
    ) -> Any:
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(self._time_limit):
            return await loop.run_in_executor(executor, function, *arguments)
