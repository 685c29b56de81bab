"""Run commands as if the folders of some capabilities were deleted.

Usage: python without.py CAPABILITY[,CAPABILITY...] "COMMAND ARGUMENT ..." ...

After each command it prints a line with the exit code.
"""

import shlex
import sys
from importlib.abc import MetaPathFinder


class Deleted(MetaPathFinder):
    """Finds none of the modules of some packages."""

    def __init__(self, packages):
        self._packages = packages

    def find_spec(self, name, _path=None, _target=None):
        if any(f"{name}.".startswith(f"{package}.") for package in self._packages):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def main():
    capabilities, *commands = sys.argv[1:]
    sys.meta_path.insert(0, Deleted([f"tablebase.{one}" for one in capabilities.split(",")]))
    from tablebase.cli.program import main as run

    for command in commands:
        try:
            code = run(shlex.split(command))
        except SystemExit as end:
            code = end.code
        print(f"exit code {code}", flush=True)  # noqa: T201 (a program)


if __name__ == "__main__":
    main()
