"""Ctrl-C: no traceback at any moment from the first import on, and exit code 130."""

import os
import signal
import sys
import time
from functools import partial
from importlib import import_module
from pathlib import Path

import pytest
from support.commands import python

from tablebase.core.ground.interruptions import interruptions

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
DATA = str(Path(__file__).parents[3] / "data")
LIMIT = 300  # seconds, so that a hang ends

# Runs the command line as a script does. It gets SIGINT when a module is about to be imported.
SCRIPT = """
import os, re, signal, sys, threading
signal.signal(signal.SIGINT, signal.default_int_handler)  # whatever the parent ignores
wanted = sys.argv.pop(1)

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == wanted:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Finder())
sys.argv[0] = "bin/tablebase"
from tablebase.__main__ import main
if wanted == "end":
    threading._register_atexit(os.kill, os.getpid(), signal.SIGINT)
sys.exit(main())
"""


def wait_after(action):
    """Carry something out, and wait until it is interrupted."""
    end = time.monotonic() + LIMIT
    with interruptions():
        action()
        while time.monotonic() < end:
            time.sleep(0.001)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("tablebase._face", ["--version"]),
        ("tablebase._version", ["--version"]),
        ("tablebase.cli.program", ["--version"]),
        ("argparse", ["--version"]),
        ("tablebase.cli.commands.info", ["info", "KK", "--dir", "."]),
        ("h5py", ["info", "KK", "--dir", DATA]),
        ("numba.core.types", ["verify", "KK", "--dir", DATA]),
        ("end", ["--version"]),
    ],
)
def test_no_traceback_when_imports_are_interrupted(name, arguments):
    result = python("-c", SCRIPT, name, *arguments)
    assert result.returncode == 130, result.stderr
    assert set(result.stderr.splitlines()) <= {
        "tablebase: interrupted",
        "tablebase info: reading table files",
        "tablebase verify: checking tables",
        f"tablebase {arguments[0]}: compiling kernels, on first use only",
        f"tablebase {arguments[0]}: checking KK.h5",
    }


def test_an_import_is_not_interrupted(tmp_path, monkeypatch):
    (tmp_path / "interrupting.py").write_text(
        "import signal\nsignal.raise_signal(signal.SIGINT)\ndone = True\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        wait_after(partial(import_module, "interrupting"))
    assert sys.modules.pop("interrupting").done


class Torn:
    """Its end is the moment of an interruption, which Python can only print."""

    def __del__(self):
        signal.raise_signal(signal.SIGINT)


def test_an_interruption_that_python_would_forget_comes_again(capsys):
    with pytest.raises(KeyboardInterrupt):
        wait_after(Torn)
    assert capsys.readouterr().err == ""


def test_handlers_are_put_back():
    before = [signal.getsignal(one) for one in (signal.SIGINT, signal.SIGALRM)], sys.unraisablehook
    with interruptions():
        assert signal.getsignal(signal.SIGINT) is not before[0][0]
    assert before == (
        [signal.getsignal(one) for one in (signal.SIGINT, signal.SIGALRM)],
        sys.unraisablehook,
    )
    ignored = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with interruptions():
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, ignored)
