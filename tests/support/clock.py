"""The clock by which positions are solved, owned by a test.

With the environment variable ``TESTS_CLOCK=10`` it runs ten times faster in all tests, with 0.1 ten
times slower, and so do the lines that tell how far the server is.
"""

import os
import sys
import time
from importlib import import_module
from pathlib import Path

RATE = float(os.environ.get("TESTS_CLOCK", "1"))
MODULES = ("core.ground.compiling", "solve.saving", "serve.jobs")


class Clock:
    """Takes the place of the module `time` where positions are solved."""

    def __init__(self, rate=RATE):
        self.rate, self.skipped = rate, 0.0

    def __getattr__(self, name):
        return getattr(time, name)

    def monotonic(self):
        return self.rate * time.monotonic() + self.skipped

    def skip(self, seconds):
        self.skipped += seconds


def set_clock(clock, replace=setattr):
    """Let positions be solved by another clock; `replace` is like `setattr`."""
    for name in MODULES:
        replace(import_module(f"tablebase.{name}"), "time", clock)
    if replace is not setattr:  # a test's own: what is compiled meanwhile takes no time of it
        from tablebase.core.ground import compiling

        replace(compiling, "compilation", compiling.Stopwatch(clock.monotonic))


def run_at_rate():
    """Let positions be solved at the rate of the environment, here and in other processes."""
    if RATE == 1:
        return
    from tablebase.serve import jobs
    from tablebase.solve import on_demand

    set_clock(Clock())
    jobs.HEARTBEAT /= RATE
    launcher = Path(__file__).with_name("launch.py")
    on_demand.COMMAND = (sys.executable, str(launcher), "tablebase.solve.solve_one")
