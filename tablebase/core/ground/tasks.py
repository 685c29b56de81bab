"""Tasks of a server that a process of its own carries out, told in lines of JSON.

The process reads tasks from its standard input and writes what it finds to its standard output. It
can be stopped within compiled code, gives its memory back, and never holds the server up: neither
by Python's lock nor by the compiler's. It ends when its standard input does, so never later than
the server.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Iterator
from queue import SimpleQueue
from typing import Any

from tablebase.core.ground.compiling import compilation

_WRITING = threading.Lock()  # lines of two threads
_BETWEEN = 0.2  # seconds between looks at the compiler
_GONE = 1  # exit code when the server has gone


def tasks() -> Iterator[dict[str, Any]]:
    """Yield the tasks of this process, with less urgency than the server's own answers."""
    waiting: SimpleQueue[str] = SimpleQueue()

    def read() -> None:
        for line in sys.stdin:
            waiting.put(line)
        os._exit(_GONE)

    for other_work in (read, _tell_compiling):
        threading.Thread(target=other_work, daemon=True).start()
    if hasattr(os, "nice"):
        os.nice(10)
    while True:
        yield json.loads(waiting.get())


def _tell_compiling() -> None:
    """Tell when compiling begins and ends, which takes its time on first use only."""
    told = False
    while True:
        if told != compilation.is_running:
            told = not told
            tell({"compiling": told})
        time.sleep(_BETWEEN)


def tell(known: dict[str, Any]) -> None:
    """Write what is known of the present task; ``done`` ends it."""
    with _WRITING:
        sys.stdout.write(json.dumps(known) + "\n")
        sys.stdout.flush()
