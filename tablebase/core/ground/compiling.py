"""The time of compiling kernels in this process, as measured by `tablebase.core.jit`."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock


class Stopwatch:
    """Measures the time during which at least one of several tasks is under way, by a `clock`."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._lock = clock, Lock()
        self._under_way, self._since, self._before = 0, 0.0, 0.0

    @property
    def is_running(self) -> bool:
        """Whether it is under way."""
        return bool(self._under_way)

    @property
    def seconds(self) -> float:
        """The time measured so far."""
        with self._lock:
            return self._before + (self._clock() - self._since if self._under_way else 0)

    def start(self) -> None:
        """Begin a task."""
        with self._lock:
            if not self._under_way:
                self._since = self._clock()
            self._under_way += 1

    def stop(self) -> None:
        """End a task."""
        with self._lock:
            self._under_way -= 1
            if not self._under_way:
                self._before += self._clock() - self._since


compilation = Stopwatch()


def time_of_work() -> float:
    """Return the time in seconds of a clock that stands still while kernels are compiled."""
    return time.monotonic() - compilation.seconds
