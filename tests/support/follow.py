"""Do what a page shows: run its commands, read from the standard input, and its Python.

The input is JSON: the page, a list of the commands, each with what is typed into it, the file that
the shell would write and from which stream, and whether to run the examples in Python as well. The
output is JSON: the exit code, output and errors of each, and what doctest says.
"""

import doctest
import io
import json
import sys
import threading
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path


def follow(arguments, typed, target, stream):
    """Return exit code, output and errors of a command."""
    from tablebase.cli.program import main

    sys.stdin = io.TextIOWrapper(io.BufferedReader(io.BytesIO(typed.encode())), encoding="utf-8")
    output, errors = io.StringIO(), io.StringIO()
    with redirect_stdout(output), redirect_stderr(errors):
        code = main(arguments)
    if target:
        written = errors if stream == "2>" else output
        Path(target).write_text(written.getvalue(), encoding="utf-8")
    return code, output.getvalue(), errors.getvalue()


def main():
    from tablebase.cli import notice

    notice.PATIENCE = threading.TIMEOUT_MAX  # commands take as long as the machine needs
    page, commands, with_examples = json.load(sys.stdin)
    done = [follow(*command) for command in commands]
    told = io.StringIO()
    if with_examples:
        with redirect_stdout(told):
            doctest.testfile(page, module_relative=False, encoding="utf-8")
    json.dump([done, told.getvalue()], sys.stdout)


if __name__ == "__main__":
    main()
