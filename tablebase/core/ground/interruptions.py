"""Ctrl-C while a command runs: always an interruption, never a traceback."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

# Exit code of what was interrupted.
INTERRUPTED = 130
# Seconds after which an interruption is tried again that came at the wrong moment.
AGAIN = 0.02


@contextmanager
def interruptions() -> Iterator[None]:
    """Raise a KeyboardInterrupt for Ctrl-C where it can be caught.

    In the middle of an import it waits: some modules take it for an error of their own. Where
    Python can only print and forget it, as in the callback of a weak reference, it comes again.
    """
    if (
        threading.current_thread() is not threading.main_thread()
        or signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        or not hasattr(signal, "setitimer")  # Windows
    ):
        yield
        return

    interrupted = waits = False

    def wait() -> None:
        nonlocal waits
        waits = True
        signal.setitimer(signal.ITIMER_REAL, AGAIN)

    def interrupt(_number: int, frame: FrameType | None) -> None:
        nonlocal interrupted, waits
        if _is_importing(frame):
            wait()
            return
        interrupted, waits = True, False
        raise KeyboardInterrupt

    def tell(unraisable: Any) -> None:
        if issubclass(unraisable.exc_type, KeyboardInterrupt):
            wait()
        elif not interrupted:  # else it is a consequence
            before(unraisable)

    before, sys.unraisablehook = sys.unraisablehook, tell
    handlers = {
        number: signal.signal(number, interrupt) for number in (signal.SIGINT, signal.SIGALRM)
    }
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in handlers.items():
            signal.signal(number, handler)
        sys.unraisablehook = before
        if waits:
            raise KeyboardInterrupt


def _is_importing(frame: FrameType | None) -> bool:
    """Return whether a frame is part of an import."""
    while frame is not None:
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>":
            return True
        frame = frame.f_back
    return False
