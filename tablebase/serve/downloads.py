"""Table files for clients that take them whole or in parts, however slowly they read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from starlette.datastructures import Headers
from starlette.responses import FileResponse
from starlette.types import Message, Receive, Scope, Send

from tablebase.serve.answering import ask_again

AT_ONCE = 32  # downloads, each with a file open
FOR_ONE = 8  # of them for one client
IN_MEMORY = 2**18  # bytes of an answer that is read at once, so that its file is closed before
RETRY = 5  # seconds until a client may ask again


class Downloads:
    """Counts the downloads under way, in all and of each client."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    @contextmanager
    def one_for(self, client: str) -> Iterator[None]:
        """Count one more; `HTTPException` with status 503 if there are too many."""
        if self._counts[client] >= FOR_ONE or self._counts.total() >= AT_ONCE:
            raise ask_again("too many downloads at once: try again when others have ended", RETRY)
        self._counts[client] += 1
        try:
            yield
        finally:
            self._counts[client] -= 1
            self._counts += Counter()  # forgets who has none


class TableResponse(FileResponse):
    """A table file, or the parts of it that the header Range asks for.

    A short answer is in memory before it begins, so that it is no download; no answer begins before
    something has been read, so that errors can still be told.
    """

    def __init__(
        self, path: Path, headers: dict[str, str], downloads: Downloads, client: str
    ) -> None:
        super().__init__(path, headers=headers, stat_result=path.stat())
        self._downloads, self._client = downloads, client

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request of ASGI."""
        held: list[Message] = []
        with ExitStack() as counted:
            is_download = False

            async def pass_on(message: Message) -> None:
                nonlocal is_download
                held.append(message)
                if message["type"] == "http.response.start":
                    is_download = scope["method"] != "HEAD" and _length(message) > IN_MEMORY
                    if is_download:
                        counted.enter_context(self._downloads.one_for(self._client))
                elif is_download:
                    while held:
                        await send(held.pop(0))

            await super().__call__(scope, receive, pass_on)
        for message in held:
            await send(message)


def _length(start: Message) -> int:
    """Return the number of bytes that the beginning of an answer promises."""
    return int(Headers(raw=start["headers"])["content-length"])
