"""What a fork of the process must wait for."""

from __future__ import annotations

import os
from threading import RLock
from typing import TYPE_CHECKING
from weakref import WeakSet

if TYPE_CHECKING:
    from tablebase.probing.reader import CodeReader


class Readers:
    """All readers of the process: a fork waits until none of them is in the middle of something.

    A child has none of the other threads, so what they hold would stay locked for good.
    """

    def __init__(self) -> None:
        self.compiling = RLock()
        self._lock = RLock()
        self._readers: WeakSet[CodeReader] = WeakSet()
        self._held: list[CodeReader] = []
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(
                before=self._before_fork,
                after_in_parent=self._after_in_parent,
                after_in_child=self._after_in_child,
            )

    def add(self, reader: CodeReader) -> None:
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
