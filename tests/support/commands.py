"""Commands run in this process: their exit code, and what they print; Python as another one."""

import os
import subprocess
import sys
from pathlib import Path

from tablebase.cli.program import main

ROOT = Path(__file__).parents[2]


def run(capsys, *arguments):
    """Return exit code, output and errors of a command."""
    code = main(arguments)
    captured = capsys.readouterr()
    assert "Traceback" not in captured.err
    return code, captured.out, captured.err


def refusal(capsys, *arguments):
    """Return the one line that a refused command prints."""
    code, _, message = run(capsys, *arguments)
    assert code == 2
    assert message.count("\n") == 1
    return message


def python(*arguments, stdout=subprocess.PIPE):
    """Run Python on the package of this folder, whether it is installed or not."""
    paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(
        command, env=environment, stdout=stdout, stderr=subprocess.PIPE, text=True, check=False
    )
