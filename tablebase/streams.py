"""The standard output of a program whose reader may leave, as ``head`` does after its lines."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def reader_may_leave() -> Iterator[None]:
    """End what is inside without a word as soon as nobody reads its output.

    It decorates functions, too, which then return None.

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
    """Write what is left, or drop it if that fails: Python would complain at its end."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
