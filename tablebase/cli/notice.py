"""One line on standard error about a command that takes long."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread

from tablebase.core.ground.compiling import compilation

# Seconds that a command may take without output.
PATIENCE = 2.0
COMPILES = "compiling kernels, on first use only"


class Notice:
    """The present `task` of a command, like ``checking KRK.h5``; first the task of all its work.

    `is_needed` is False if a progress bar shows it.
    """

    def __init__(self, task: str = "") -> None:
        self.begin(task)

    def begin(self, task: str) -> None:
        """Begin with the task of a command, and forget the previous one."""
        self.task, self.is_needed = task, True

    def line(self, command: str) -> str:
        """Return the line to print.

        >>> Notice("checking tables").line("verify")
        'tablebase verify: checking tables'
        """
        doing = COMPILES if compilation.is_running else self.task
        return f"tablebase {command}: {doing}"


# That of the command that runs in this process.
NOTICE = Notice()


@contextmanager
def noticing(command: str, task: str) -> Iterator[None]:
    """Print the task of a named command that takes long, and once that it compiles kernels.

    A command without a task prints nothing.
    """
    over = Event()
    NOTICE.begin(task)

    def wait() -> None:
        said = set()
        while not over.wait(PATIENCE) and NOTICE.is_needed:
            doing = compilation.is_running
            if doing not in said:
                said.add(doing)
                with suppress(OSError, ValueError):  # nobody is there to be told
                    print(NOTICE.line(command), file=sys.stderr, flush=True)

    if task:
        with suppress(RuntimeError):  # there may be no room for a thread
            Thread(target=wait, daemon=True).start()
    try:
        yield
    finally:
        over.set()
