"""Programs end without a word when the reader of their output has left."""

import os
import re
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.commands import python

from tablebase.core.ground.streams import reader_may_leave

ROOT = Path(__file__).parents[2]
# Those that stand on nothing of the package cannot use its `reader_may_leave`.
EXAMPLES = [
    path
    for path in sorted((ROOT / "examples").glob("*.py"))
    if re.search(r"^\s*(from|import) tablebase", path.read_text(encoding="utf-8"), re.MULTILINE)
]
# Scripts with options.
SCRIPTS = [
    "benchmark", "benchmark_probe", "figures", "fit_costs", "generate",
]  # fmt: skip

pytestmark = pytest.mark.skipif(os.name != "posix", reason="pipes of POSIX")


@contextmanager
def no_reader():
    """Give the end of a pipe whose other end is closed."""
    output, end = os.pipe()
    os.close(output)
    yield end
    os.close(end)


def ends_without_a_word(*command):
    with no_reader() as end:
        done = python(*command, stdout=end)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
@pytest.mark.parametrize("name", SCRIPTS)
def test_the_help_of_a_script(name):
    ends_without_a_word(ROOT / "scripts" / f"{name}.py", "--help")


@pytest.mark.thorough
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example(path, tmp_path):
    others = {"own_table": [tmp_path], "bisimulation": ["chess", "KK"], "three_kings": ["49"]}
    ends_without_a_word(path, *others.get(path.stem, [ROOT / "data"]))


@pytest.mark.thorough
def test_an_example_that_takes_nothing_of_the_package():
    ends_without_a_word(ROOT / "examples" / "conformance.py", "--adjudicator", "python-chess")


# A part of benchmark.py, which lets the reader leave.
PROGRAMS = sorted({*(ROOT / "scripts").glob("*.py")} - {ROOT / "scripts" / "benchmark_against.py"})


@pytest.mark.parametrize("path", [*PROGRAMS, *EXAMPLES], ids=lambda path: path.stem)
def test_who_prints_lets_the_reader_leave(path):
    text = path.read_text(encoding="utf-8")
    prints = any(sign in text for sign in ("print(", "sys.stdout", "ArgumentParser("))
    assert prints == ("reader_may_leave()" in text)


@pytest.mark.parametrize("lines", [1, 100_000])
def test_what_is_left_is_dropped(monkeypatch, lines):
    with no_reader() as end, os.fdopen(os.dup(end), "w") as output:
        monkeypatch.setattr(sys, "stdout", output)
        with reader_may_leave():
            output.write("8/8/8/8/8/2k5/1R6/K7 w - - 0 1\n" * lines)


def test_a_help_that_nobody_reads_is_dropped(monkeypatch):
    @reader_may_leave()
    def main():
        sys.stdout.write("usage\n")
        raise SystemExit(0)

    with no_reader() as end, os.fdopen(os.dup(end), "w") as output:
        monkeypatch.setattr(sys, "stdout", output)
        with pytest.raises(SystemExit):
            main()


def test_other_errors_are_raised():
    with pytest.raises(KeyError), reader_may_leave():
        raise KeyError
