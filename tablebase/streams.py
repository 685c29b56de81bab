"""Standard output whose reader may leave early, as ``head`` does."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def reader_may_leave() -> Iterator[None]:
    """End the enclosed code silently when nobody reads its output any more.

    It also decorates functions, which then return None.

    Examples
    --------
    >>> with reader_may_leave():
    ...     print("8/8/8/8/8/2k5/1R6/K7 w - - 0 1")
    8/8/8/8/8/2k5/1R6/K7 w - - 0 1
    """
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        pass
    finally:
        finish_output()


def finish_output() -> None:
    """Flush the output, or drop it if that fails, because Python would complain at exit."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
