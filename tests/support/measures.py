"""Measures of a package's size and shape; the folders are given, so a copy can be measured too.

The layout is that of ``tablebase``: `core` and `cli`, and beside them a folder for each capability.
"""

import ast
import re
import tokenize
from functools import cache

NOT_CODE = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT),
    *(tokenize.ENCODING, tokenize.ENDMARKER),
}
STATION = re.compile(r"^\*\*(\d+)\. `([^`]+)`\*\*", re.MULTILINE)  # see `reading_path`


@cache
def tree_of(path):
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def nodes_of(path):
    """Return all nodes of the tree of a module, for whoever looks through them."""
    return [*ast.walk(tree_of(path))]


@cache
def lines_of_code(path):
    """Return how many lines of a module have code; docstrings and comments are none."""
    with path.open("rb") as file:
        tokens = [one for one in tokenize.tokenize(file.readline) if one.type not in NOT_CODE]
    lines = {line for one in tokens for line in range(one.start[0], one.end[0] + 1)}
    for node in nodes_of(path):
        value = node.value if isinstance(node, ast.Expr) else None
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            lines -= {*range(value.lineno, value.end_lineno + 1)}
    return len(lines)


def reading_path(page):
    """Return the modules that a page leads through, in its order.

    The paragraph of each begins like ``**1. `tablebase/core/board/geometry.py`**``.
    """
    stations = STATION.findall(page.read_text(encoding="utf-8"))
    assert [int(number) for number, _ in stations] == [*range(1, len(stations) + 1)]
    names = [name for _, name in stations]
    assert names
    assert len(set(names)) == len(names)
    return names


@cache
def imported_by(path):
    """Return the names of the modules that a module imports, and of what it takes from them."""
    found = set()
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def folders_touched(package, capability, capabilities):
    """Return the folders that have something of a capability: its own, and others.

    Another folder has if a file there bears its name, or if a module there imports it. Capabilities
    may import each other, and the package's own ``__init__`` any of them.
    """
    own, module = package / capability, f"{package.name}.{capability}"
    users = {package / one for one in capabilities}
    touched = {own} if own.is_dir() else set()
    for path in package.rglob("*"):
        if not path.is_file() or path.is_relative_to(own) or "__pycache__" in path.parts:
            continue
        is_named = capability in re.split(r"\W|_", path.name)
        is_user = path.parent == package or any(path.is_relative_to(one) for one in users)
        if not is_named and not is_user and path.suffix == ".py":
            is_named = any(f"{name}.".startswith(f"{module}.") for name in imported_by(path))
        if is_named:
            touched.add(path.parent)
    return {folder.relative_to(package).as_posix() for folder in touched}


def modules_naming(package, name, *, outside):
    """Return the modules that use a global name, but for those of one folder."""
    return {
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if not path.is_relative_to(package / outside)
        and any(isinstance(node, ast.Name) and node.id == name for node in nodes_of(path))
    }


def measures(root, capabilities):
    """Return the measures of a repository by what they count.

    It has the folder ``tablebase`` and the page ``docs/core.md``.
    """
    package = root / "tablebase"
    page = root / "docs" / "core.md"
    touched = [len(folders_touched(package, one, capabilities)) for one in capabilities]
    return {
        "lines of code to read in a day": sum(
            lines_of_code(root / name) for name in reading_path(page)
        ),
        "folders that a capability touches": max(touched),
        "modules that name CHESS": len(modules_naming(package, "CHESS", outside="core/rules")),
    }
