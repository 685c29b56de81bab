"""Locks for which a fork of the process must wait."""

from __future__ import annotations

import os
from threading import RLock
from typing import Any, Protocol
from weakref import WeakSet

# Its own lock is taken before a fork, too. What was registered last comes first: a reader's lock,
# whose holder may wait for that of h5py.
import h5py  # noqa: F401


class Lockable(Protocol):
    """A lock for which a fork waits."""

    lock: Any

    def begin_anew_after_fork(self) -> None:
        """Forget the threads of the process that was forked."""


class Readers:
    """All readers of the process: a fork waits until none of them is in the middle of something.

    A child has none of the other threads, so what they hold would stay locked for good.
    """

    def __init__(self) -> None:
        self.compiling = RLock()
        self._lock = RLock()
        self._readers: WeakSet[Lockable] = WeakSet()
        self._held: list[Lockable] = []
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(
                before=self._before_fork,
                after_in_parent=self._after_in_parent,
                after_in_child=self._after_in_child,
            )

    def add(self, reader: Lockable) -> None:
        """Let forks wait for one more reader."""
        with self._lock:
            self._readers.add(reader)

    def _before_fork(self) -> None:
        self._lock.acquire()
        self._held = list(self._readers)
        for reader in self._held:
            reader.lock.acquire()
        self.compiling.acquire()

    def _after_in_parent(self) -> None:
        self.compiling.release()
        for reader in self._held:
            reader.lock.release()
        self._held = []
        self._lock.release()

    def _after_in_child(self) -> None:
        for reader in self._held:
            reader.begin_anew_after_fork()
        self._held = []
        self.compiling, self._lock = RLock(), RLock()


READERS = Readers()


class ForkLock:
    """A lock that a fork of the process waits for; its holder waits for no other such lock."""

    def __init__(self) -> None:
        self.lock = RLock()
        READERS.add(self)

    def begin_anew_after_fork(self) -> None:
        """Forget the threads of the process that was forked."""
        self.lock = RLock()
