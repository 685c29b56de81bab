"""Run a module as Python's ``-m`` does, with the limits and the clock of the tests."""

import runpy
import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).parents[1])

from support.clock import run_at_rate
from support.waiting import lift_limits

if __name__ == "__main__":
    lift_limits()
    run_at_rate()
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
