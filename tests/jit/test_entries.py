"""Python calls entries alone: another kernel would be compiled by each process anew."""

import ast
from functools import cache
from importlib import import_module
from inspect import getsourcefile
from pathlib import Path

import pytest

import tablebase

PACKAGE = Path(tablebase.__file__).parent
LINKED, ENTRIES = frozenset({"kernel", "hot_kernel"}), frozenset({"entry", "hot_entry"})


@cache
def tree_of(path):
    return ast.parse(Path(path).read_text(encoding="utf-8"))


@cache
def decorated(path, decorators):
    """Return the functions at the top of a file that have one of some decorators."""
    return {
        node.name: node
        for node in tree_of(path).body
        if isinstance(node, ast.FunctionDef)
        and {getattr(item, "id", "") for item in node.decorator_list} & decorators
    }


@cache
def is_linked(module, name):
    """Return whether a name that a module, or a face, gives is a kernel without an entry."""
    function = getattr(getattr(import_module(module), name, None), "__wrapped__", None)
    return function is not None and name in decorated(getsourcefile(function), LINKED)


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: path.stem)
def test_python_calls_entries_alone(path):
    linked = set(decorated(path, LINKED))
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.ImportFrom) and node.module.startswith("tablebase."):
            names = {alias.name for alias in node.names}
            linked |= {name for name in names if is_linked(node.module, name)}
    kernels = decorated(path, LINKED | ENTRIES).values()
    inside = {id(inner) for kernel in kernels for inner in ast.walk(kernel)}
    called = {
        node.func.id
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Call) and id(node) not in inside and isinstance(node.func, ast.Name)
    }
    assert not called & linked
