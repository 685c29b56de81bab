"""The command line as a program: ``tablebase``, and ``python -m tablebase``."""

import os
import signal
import sys

INTERRUPTED = 130


def main() -> int:
    """Run the command line and return its exit code.

    While the program is loaded, and after a command, Ctrl-C ends it at once: nothing needs to be
    cleaned up then, and nothing could catch a KeyboardInterrupt.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)
    from tablebase.cli.program import main as run  # noqa: PLC0415 (that is what takes time)

    code = run()
    if code == INTERRUPTED:  # what was left half done may complain when it is cleared away
        sys.unraisablehook = lambda _: None
    return code


def _end(*_: object) -> None:
    """End the program at once."""
    try:
        os.write(2, b"tablebase: interrupted\n")
    finally:
        os._exit(INTERRUPTED)


if __name__ == "__main__":
    sys.exit(main())
