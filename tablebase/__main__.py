"""The command line as ``python -m tablebase``."""

import sys

from tablebase.cli.program import main

if __name__ == "__main__":
    sys.exit(main())
