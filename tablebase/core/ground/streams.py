"""Text that comes in and text that goes out: encodings, and a reader who leaves early.

The program writes UTF-8, whatever the system prefers; a terminal gets escape sequences for what its
encoding cannot express. Foreign files are read by `as_text`.
"""

from __future__ import annotations

import codecs
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_GUESS = "tablebase.windows-1252"


class _Guesses:
    """The number of bytes that were no UTF-8 but Windows-1252; see `codecs.register_error`.

    Each such byte is a letter of its own, so files that mix both encodings are also read.
    """

    def __init__(self) -> None:
        self.number = 0

    def __call__(self, error: UnicodeError) -> tuple[str, int]:
        if not isinstance(error, UnicodeDecodeError):
            raise error
        self.number += 1
        byte = error.object[error.start : error.start + 1]
        try:
            return byte.decode("cp1252"), error.start + 1
        except UnicodeDecodeError:  # one of five that mean nothing there
            return byte.decode("latin-1"), error.start + 1


_guesses = _Guesses()
codecs.register_error(_GUESS, _guesses)


@contextmanager
def reader_may_leave() -> Iterator[None]:
    """End the enclosed code silently when nobody reads its output any more.

    It also decorates functions, which then return None, and sets the streams up.

    >>> with reader_may_leave():
    ...     print("8/8/8/8/8/2k5/1R6/K7 w - - 0 1")
    8/8/8/8/8/2k5/1R6/K7 w - - 0 1
    """
    set_up_streams()
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        pass
    finally:
        finish_output()


def set_up_streams() -> None:
    """Let no character end the program that its streams cannot express, and no byte that it gets.

    Line ends stay as the system has them. Bytes of standard input that are no text are kept, since
    a path may have any.
    """
    policies = (
        (sys.stdin, "utf-8-sig", "surrogateescape"),
        (sys.stdout, "utf-8", "backslashreplace"),
        (sys.stderr, "utf-8", "backslashreplace"),
    )
    for stream, encoding, errors in policies:
        if isinstance(stream, io.TextIOWrapper):  # not what a notebook or a test puts there
            own = stream.encoding if stream.isatty() else encoding
            with suppress(io.UnsupportedOperation):  # somebody has read from it
                stream.reconfigure(encoding=own, errors=errors)


def finish_output() -> None:
    """Flush the output, or drop it if that fails, because Python would complain at exit."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def guessed_letters() -> int:
    """Return the number of letters that this process has read and that were not UTF-8."""
    return _guesses.number


def decoded(text: bytes) -> str:
    """Return bytes as the text that `as_text` reads.

    >>> decoded("Müller".encode("latin-1")), decoded("Müller".encode("utf-16"))
    ('Müller', 'Müller')
    """
    return as_text(io.BufferedReader(io.BytesIO(text))).read()


def as_text(file: io.BufferedReader) -> io.TextIOWrapper:
    """Return the text of a file, which is at its beginning.

    It is UTF-8, or UTF-16 with a byte-order mark or an ASCII character at the beginning. Bytes that
    are not UTF-8 are letters of Windows-1252, which contains ISO 8859-1.
    """
    return io.TextIOWrapper(file, *_codec_of(file.peek(2)[:2]))


def _codec_of(start: bytes) -> tuple[str, str]:
    """Return the encoding of a text by its first bytes, and how to treat wrong bytes.

    The first character of a PGN, FEN or EPD is ASCII, so a zero is a half of it in UTF-16.
    """
    if start in {codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE}:
        return "utf-16", "replace"
    if b"\0" in start:
        return "utf-16-be" if start[:1] == b"\0" else "utf-16-le", "replace"
    return "utf-8-sig", _GUESS
