"""Files of text that commands read, or standard input in place of a file."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TextIO, cast

from tablebase.cli.terminal import complain
from tablebase.core.ground.streams import as_text, guessed_letters
from tablebase.core.ground.words import counted

STANDARD_INPUT = "-"


@contextmanager
def open_text(file: str) -> Iterator[TextIO]:
    """Open a file, or the standard input, as `as_text` reads it; name it if it is not Unicode."""
    before = guessed_letters()
    with nullcontext(sys.stdin.buffer) if file == STANDARD_INPUT else Path(file).open("rb") as raw:
        text = as_text(cast("io.BufferedReader", raw))
        try:
            yield text
        finally:
            text.detach()
    if guessed := guessed_letters() - before:
        complain(f"{name_of(file)}: {counted(guessed, 'letter')} not in UTF-8, read as ISO 8859-1")


def name_of(file: str) -> str:
    """Return the name of a file, or of what `STANDARD_INPUT` stands for."""
    return "standard input" if file == STANDARD_INPUT else file
