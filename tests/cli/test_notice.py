"""The line about a command that takes long, by a clock that the tests own."""

import argparse
from importlib import import_module
from threading import Event

import pytest
from numba import njit

from tablebase.cli import notice, program
from tablebase.cli.notice import NOTICE, noticing
from tablebase.cli.terminal import showing_progress
from tablebase.core.ground.compiling import Stopwatch, compilation

import_module("tablebase.core.jit.dispatchers")  # which measure
LIMIT = 300  # seconds, so that a hang ends


class Lines(list):
    """Lines that are printed; tells when one is there."""

    def __init__(self):
        super().__init__()
        self.there = Event()

    def print(self, line, **_):
        self.append(line)
        self.there.set()


class Clock(Event):
    """Patience is over twice when the test says so, then the command."""

    def wait(self, _seconds):
        super().wait(LIMIT)
        self.times = getattr(self, "times", 0) + 1
        return self.times > 2


@pytest.fixture
def errors(monkeypatch):
    lines = Lines()
    monkeypatch.setattr(notice, "print", lines.print, raising=False)
    return lines


@pytest.fixture
def clock(monkeypatch):
    monkeypatch.setattr(notice, "Event", lambda: clock)
    clock = Clock()
    return clock


@pytest.mark.parametrize(
    ("compiles", "line"),
    [
        (False, "tablebase verify: checking KRK.h5"),
        (True, "tablebase verify: compiling kernels, on first use only"),
    ],
)
def test_one_line_when_patience_is_over(errors, clock, monkeypatch, compiles, line):
    monkeypatch.setattr(notice, "compilation", stopwatch := Stopwatch())
    if compiles:
        stopwatch.start()
    with noticing("verify", "checking tables"), showing_progress("checking KRK.h5"):
        assert not errors
        clock.set()
        assert errors.there.wait(LIMIT)
    assert errors == [line]


def test_quick_commands_say_nothing(errors, monkeypatch):
    waiting = []
    monkeypatch.setattr(
        notice, "Thread", lambda **options: waiting.append(options["target"]) or Idle()
    )
    with noticing("verify", "checking tables"):
        pass
    waiting.pop()()  # it wakes up when the command is over
    with noticing("serve", ""):
        pass
    assert not waiting
    with noticing("verify", "checking tables"):
        NOTICE.is_needed = False  # there is a bar
        monkeypatch.setattr(notice, "PATIENCE", 0)
        waiting.pop()()
    assert errors == []


def test_each_line_is_told_once(errors, monkeypatch):
    """However long a command works, and however often it compiles between."""
    stopwatch, waiting = Stopwatch(), []
    compiling = [False, True, True, False, True, False]

    class Waking(Event):
        def wait(self, _seconds):
            if not compiling:
                return True
            is_running = compiling.pop(0)
            if is_running and not stopwatch.is_running:
                stopwatch.start()
            elif stopwatch.is_running and not is_running:
                stopwatch.stop()
            return False

    monkeypatch.setattr(notice, "compilation", stopwatch)
    monkeypatch.setattr(notice, "Event", Waking)
    monkeypatch.setattr(
        notice, "Thread", lambda **options: waiting.append(options["target"]) or Idle()
    )
    with noticing("verify", "checking tables"):
        waiting.pop()()
    assert errors == [
        "tablebase verify: checking tables",
        "tablebase verify: compiling kernels, on first use only",
    ]


class Idle:
    """A thread that does not run."""

    def start(self):
        pass


def test_every_command_but_those_that_speak_is_noticed():
    parser = program.make_parser()
    (commands,) = (one for one in parser._actions if isinstance(one, argparse._SubParsersAction))
    silent = {name for name, one in commands.choices.items() if not one.get_default("task")}
    assert silent == {"build", "mcp", "serve", "uci"}


def test_a_stopwatch_measures_each_moment_once():
    times = iter([1.0, 4.0, 6.0, 10.0, 11.0])
    watch = Stopwatch(lambda: next(times))
    assert (watch.seconds, watch.is_running) == (0, False)
    watch.start()
    watch.start()
    watch.stop()
    assert watch.is_running
    assert watch.seconds == 3
    watch.stop()
    assert (watch.seconds, watch.is_running) == (5, False)
    watch.start()
    assert watch.seconds == 6


def test_compiling_is_measured_and_loading_is_not():
    before = compilation.seconds
    kernel = njit(lambda number: number + 1)
    assert kernel(1) == 2
    assert compilation.seconds > before
    between = compilation.seconds
    assert kernel(2) == 3
    assert compilation.seconds == between
    assert not compilation.is_running
