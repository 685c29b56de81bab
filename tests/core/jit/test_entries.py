"""Python calls entries alone: another kernel would be compiled by each process anew."""

import ast
from functools import cache
from importlib import import_module
from inspect import getsourcefile
from pathlib import Path

from support.measures import nodes_of, tree_of

import tablebase

PACKAGE = Path(tablebase.__file__).parent
LINKED = frozenset({"kernel", "hot_kernel", "inlined_kernel"})
ENTRIES = frozenset({"entry", "hot_entry"})


@cache
def decorated(path, decorators):
    """Return the functions of a file, inner ones too, that have one of some decorators."""
    return [
        node
        for node in nodes_of(path)
        if isinstance(node, ast.FunctionDef)
        and {getattr(item, "id", "") for item in node.decorator_list} & decorators
    ]


def linked_at_the_top(path):
    """Return the names of the kernels without an entry that a file gives."""
    top = {id(node) for node in tree_of(path).body}
    return {node.name for node in decorated(path, LINKED) if id(node) in top}


@cache
def is_linked(module, name):
    """Return whether a name that a module, or a face, gives is a kernel without an entry."""
    function = getattr(getattr(import_module(module), name, None), "__wrapped__", None)
    return function is not None and name in linked_at_the_top(Path(getsourcefile(function)))


def called_from_python(path):
    """Return the names of kernels without an entry that a file calls outside of kernels."""
    linked = linked_at_the_top(path)
    for node in nodes_of(path):
        if isinstance(node, ast.ImportFrom) and node.module.startswith("tablebase."):
            names = {alias.name for alias in node.names}
            linked |= {name for name in names if is_linked(node.module, name)}
    kernels = decorated(path, LINKED | ENTRIES)
    inside = {id(inner) for kernel in kernels for inner in ast.walk(kernel)}
    return linked & {
        node.func.id
        for node in nodes_of(path)
        if isinstance(node, ast.Call) and id(node) not in inside and isinstance(node.func, ast.Name)
    }


def test_python_calls_entries_alone():
    found = {path: called_from_python(path) for path in PACKAGE.rglob("*.py")}
    assert len(found) > 200
    assert not {path: names for path, names in found.items() if names}
