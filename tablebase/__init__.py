"""Chess endgame tablebases: build, store and probe exact distances to mate."""

import sys as _sys


def _interrupted(*error: object) -> None:
    if error[0] is KeyboardInterrupt:
        import os  # noqa: PLC0415

        os._exit(130)
    _sys.__excepthook__(*error)  # type: ignore[arg-type]


# For the command line, not for a program that uses this package: the first moments of its imports,
# up to where `__main__` sees to interruptions.
if getattr(_sys, "argv", [""])[0].endswith(("-m", "tablebase")):
    _sys.excepthook = _interrupted

import tablebase.capabilities  # noqa: E402, F401 (fills the seams)
from tablebase._face import attach  # noqa: E402
from tablebase._version import __version__ as __version__  # noqa: E402

__getattr__, __dir__, __all__ = attach(__name__, __file__)
