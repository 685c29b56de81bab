"""Work on threads: results in order, a bounded number of them under way."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import TypeVar

from tablebase.core.ground.argument_readers import as_number

Item = TypeVar("Item")
Result = TypeVar("Result")


def with_deadline(seconds: float, function: Callable[[], Result]) -> Result:
    """Return the result of a function, or raise `TimeoutError` if it takes longer.

    It runs in a thread of its own, and no program waits for the end of a thread that is given up.
    """
    answer: Future[Result] = Future()

    def run() -> None:
        try:
            answer.set_result(function())
        except BaseException as error:  # noqa: BLE001 (it is raised where the answer is awaited)
            answer.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return answer.result(seconds)


def run_blocks(
    function: Callable[[range], None], numbers: range, size: int, threads: int | None = None
) -> None:
    """Call a function for each block of consecutive numbers, see `map_blocks`."""
    for _ in map_blocks(function, numbers, size, threads):
        pass


def map_blocks(
    function: Callable[[range], Result], numbers: range, size: int, threads: int | None = None
) -> Iterator[Result]:
    """Yield what a function returns for each block of consecutive numbers, see `map_on_threads`."""
    blocks = (numbers[first : first + size] for first in range(0, len(numbers), size))
    return map_on_threads(function, blocks, threads)


def map_on_threads(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    threads: int | None = None,
    *,
    ahead: int = 4,
) -> Iterator[Result]:
    """Yield what a function returns for each item, in order; it is called by several threads.

    `ahead` items for each thread may be under way or not yet yielded. When the function raises, or
    a loop directly over this is left, waiting items are dropped, and those under way are finished.
    """
    threads = as_threads(threads)
    pool = ThreadPoolExecutor(threads)
    try:
        yield from map_ahead(pool, function, items, ahead * threads)
    finally:
        pool.shutdown(cancel_futures=True)


def as_threads(given: object) -> int:
    """Return a number of threads, by default one for each processor; else `ValueError`."""
    return default_threads() if given is None else as_number("threads", given, least=1)


def default_threads() -> int:
    """Return the number of processors."""
    return os.cpu_count() or 1


def map_ahead(
    pool: Executor, function: Callable[[Item], Result], items: Iterable[Item], ahead: int
) -> Iterator[Result]:
    """Yield results in order, with a bounded number of them under way."""
    waiting: deque[Future[Result]] = deque()
    for item in items:
        waiting.append(pool.submit(function, item))
        if len(waiting) > ahead:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()
