"""Commands run in this process, Python as another one, the server as one that goes on."""

import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

from tablebase.cli.program import main

ROOT = Path(__file__).parents[2]
LAUNCH = Path(__file__).with_name("launch.py")


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


def environment_of(**variables):
    """Return an environment in which Python finds the package of this folder, installed or not."""
    paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths)), **variables}


def python(*arguments, stdout=subprocess.PIPE):
    """Run Python on the package of this folder, whether it is installed or not."""
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(
        command,
        env=environment_of(),
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )


@contextmanager
def served(*arguments, stderr=subprocess.PIPE, variables=(), **options):
    """Run the server on a free port; give its process, and the address that it prints.

    `variables` are those of the environment, `options` those of `subprocess.Popen`.
    """
    command = [sys.executable, LAUNCH, "tablebase", "serve", "--port", "0", *arguments]
    with subprocess.Popen(
        list(map(str, command)),
        env=environment_of(**dict(variables)),
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
        **options,
    ) as running:
        try:
            line = running.stdout.readline()
            assert line.startswith("http://"), running.communicate()
            yield running, line.split()[0].rstrip("/")
        finally:
            running.kill()
