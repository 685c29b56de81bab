"""One line on the standard error about a command that takes long."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread

from tablebase.compiling import compilation

# Seconds that a command may take without a word.
PATIENCE = 2.0
COMPILES = "compiling kernels, on first use only"


class Notice:
    """What a command is doing.

    Attributes
    ----------
    task : str
        What it works on; nothing if there is no more to tell than that it works.
    is_needed : bool
        Whether nothing else tells of it, such as a progress bar.
    """

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Forget the command before."""
        self.task, self.is_needed = "", True

    def line(self, command: str) -> str:
        """Return what there is to say.

        >>> Notice().line("verify")
        'tablebase verify: working'
        """
        doing = COMPILES if compilation.is_running else f"working {self.task}".rstrip()
        return f"tablebase {command}: {doing}"


# That of the command that runs in this process.
NOTICE = Notice()


@contextmanager
def noticing(command: str) -> Iterator[None]:
    """Say what a command is doing if it has not ended after some time, once that it compiles.

    Parameters
    ----------
    command
        Its name; if there is none, nothing is said.
    """
    over = Event()
    NOTICE.begin()

    def wait() -> None:
        said = set()
        while not over.wait(PATIENCE) and NOTICE.is_needed:
            doing = compilation.is_running
            if doing not in said:
                said.add(doing)
                with suppress(OSError, ValueError):  # nobody is there to be told
                    print(NOTICE.line(command), file=sys.stderr, flush=True)

    if command:
        with suppress(RuntimeError):  # there may be no room for a thread
            Thread(target=wait, daemon=True).start()
    try:
        yield
    finally:
        over.set()
