"""The server in a thread of this process, so that its parts can be replaced."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from support.waiting import PATIENCE

from tablebase.serve import server


@contextmanager
def serving(app) -> Iterator[str]:
    """Serve an application from a thread of this process; give the address."""
    listener = server.listen("127.0.0.1", 0)
    config = server.configuration(app)
    config.timeout_keep_alive = int(PATIENCE)
    running = server.uvicorn.Server(config)
    thread = threading.Thread(target=running.run, args=([listener],))
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        running.should_exit = True
        thread.join()
        listener.close()
