"""The server in a thread of this process, so that its parts can be replaced."""

import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlencode

from support.waiting import PATIENCE

from tablebase import open_tablebase
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


@contextmanager
def serving_tables(folder, **options) -> Iterator[str]:
    """Serve the tables of a folder; `options` are those of `server.create_app`."""
    with open_tablebase(folder) as tables, serving(server.create_app(tables, **options)) as address:
        yield address


def ask(address, path="/standard", client="", headers=(), **parameters):
    """Return status, Retry-After and text of the answer to a client behind a proxy, or to us."""
    headers = dict(headers) | ({"X-Forwarded-For": client} if client else {})
    url = f"{address}{path}?{urlencode(parameters)}"
    request = urllib.request.Request(url, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return answer.status, None, answer.read().decode(errors="replace")
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers["retry-after"], error.read().decode()
