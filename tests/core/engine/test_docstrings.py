"""Docstrings of the engine's kernels: they name the sets and arrays that are read and written."""

import ast
import re
from functools import cache
from pathlib import Path

from support.kernels import Arrays, is_kernel

from tablebase.core import engine

KERNELS = {
    function.name: function
    for path in sorted(Path(engine.__file__).parent.rglob("*.py"))
    for function in ast.parse(path.read_text(encoding="utf-8")).body
    if isinstance(function, ast.FunctionDef) and is_kernel(function)
}
MOST_LINES = 4  # what it does, then which sets it reads and writes


@cache
def uses_of_kernels():
    """Return the `Arrays` of each kernel, writes by the kernels that it calls included."""
    writers = {}
    while True:
        uses = {name: Arrays(function, writers) for name, function in KERNELS.items()}
        found = {name: arrays.written_places() for name, arrays in uses.items()}
        if found == writers:
            return uses
        writers = found


def arrays_to_name(arrays):
    """Return the arrays that a docstring must name.

    They are the sets of positions, the parameters that are read or written by index, and whatever
    else is written but for the work space of a thread, `Scratch`. Flags of lines go with their set.
    """
    sets = {path for path in arrays.named if re.search(r"\bsets\.\w+$", path)}
    read = arrays.read & set(arrays.parameters)
    written = {path for path in arrays.written if "scratch" not in path.split(".")}
    return {path.split(".")[-1].removesuffix("_lines") for path in sets | read | written}


def test_a_docstring_names_what_is_read_and_written():
    for name, kernel in KERNELS.items():
        text = ast.get_docstring(kernel)
        named = {path.split(".")[-1] for path in re.findall(r"`([\w.]+)", text)}
        assert named, f"{name} names nothing"
        assert not arrays_to_name(uses_of_kernels()[name]) - named, name
        assert len([line for line in text.splitlines() if line]) <= MOST_LINES, name


def test_much_is_named():
    assert len(KERNELS) > 80
    assert sum(len(arrays_to_name(arrays)) for arrays in uses_of_kernels().values()) > 120


def test_what_a_kernel_reads_and_writes():
    source = """
def kernel(words, worker, lines, k):
    sets, spare = worker.sets, lines[k]
    reach = sets.reach[0] if k else sets.may_lose[0]
    for word in words:
        spare[k] |= word
    store_line(sets.not_won, k, load_line(reach, 0))
    other(k, worker.scratch.best, worker.team)
"""
    (function,) = ast.parse(source).body
    arrays = Arrays(function, {"other": {2}})
    assert arrays.written == {"lines", "worker.sets.not_won", "worker.team"}
    assert arrays.read >= {"worker.sets.reach", "worker.sets.may_lose"}
    assert arrays_to_name(arrays) == {"lines", "reach", "may_lose", "not_won", "team"}
