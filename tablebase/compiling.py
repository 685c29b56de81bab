"""How long kernels have been compiled in this process, as `tablebase.jit` tells."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock


class Stopwatch:
    """Measures how long something is under way, be it several times at once.

    Parameters
    ----------
    clock
        Tells the time in seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._lock = clock, Lock()
        self._under_way, self._since, self._before = 0, 0.0, 0.0

    @property
    def is_running(self) -> bool:
        """Whether it is under way."""
        return bool(self._under_way)

    @property
    def seconds(self) -> float:
        """How long it has been under way, all in all."""
        with self._lock:
            return self._before + (self._clock() - self._since if self._under_way else 0)

    def start(self) -> None:
        """Begin."""
        with self._lock:
            if not self._under_way:
                self._since = self._clock()
            self._under_way += 1

    def stop(self) -> None:
        """End what was begun last."""
        with self._lock:
            self._under_way -= 1
            if not self._under_way:
                self._before += self._clock() - self._since


compilation = Stopwatch()


def time_of_work() -> float:
    """Return the time in seconds of a clock that stands still while kernels are compiled."""
    return time.monotonic() - compilation.seconds
