"""A plain web host of a folder, with ranges or without."""

import functools
import threading
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class _Handler(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # an answer of two small parts would wait for 40 ms
    knows_ranges = True
    lets_all_read = False

    def end_headers(self):
        if self.lets_all_read:
            self.send_header("Access-Control-Allow-Origin", "*")
        super().end_headers()

    def do_GET(self):
        self.requests.append(self.path)
        wanted = self.headers["Range"]
        if not (wanted and self.knows_ranges):
            super().do_GET()
            return
        first, last = map(int, wanted.removeprefix("bytes=").split("-"))
        with Path(self.translate_path(self.path)).open("rb") as file:
            size = file.seek(0, 2)
            file.seek(first)
            data = file.read(last + 1 - first)
        self.send_response(206 if data else 416)
        if data:
            self.send_header("Content-Range", f"bytes {first}-{first + len(data) - 1}/{size}")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        """Say nothing."""


@contextmanager
def hosted(folder, *, ranges=True, all_read=False, requests=None):
    """Serve a folder on a free port, to pages of all hosts or of this one; give its address.

    What is asked for is appended to `requests`.
    """
    given = {
        "knows_ranges": ranges,
        "lets_all_read": all_read,
        "requests": [] if requests is None else requests,
    }
    handler = functools.partial(type("_Host", (_Handler,), given), directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()
