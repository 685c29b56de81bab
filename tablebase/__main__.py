"""The command line as a program: ``tablebase``, and ``python -m tablebase``."""

import os
import signal
import sys

INTERRUPTED = 130


def main() -> int:
    """Run the command line and return its exit code.

    Ctrl-C ends the program at once while it is loaded, and after a command: then nothing is under
    way that would have to be put in order, and nothing could catch a KeyboardInterrupt.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)
    from tablebase.cli.program import main as run  # noqa: PLC0415 (that is what takes time)

    code = run()
    if code == INTERRUPTED:  # what was left half done may complain when it is cleared away
        sys.unraisablehook = lambda _: None
    return code


def _end(*_: object) -> None:
    """End the program without further ado."""
    try:
        os.write(2, b"tablebase: interrupted\n")
    finally:
        os._exit(INTERRUPTED)


if __name__ == "__main__":
    sys.exit(main())
