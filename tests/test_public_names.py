"""What users import from the package itself; to take a name away is to break their programs."""

import re
from importlib import import_module
from pathlib import Path
from pkgutil import resolve_name

import pytest

import tablebase

PUBLIC = [
    "CorruptTableError",
    "InvalidMaterialError",
    "Material",
    "MissingTableError",
    "RankedMove",
    "Table",
    "Tablebase",
    "TablebaseError",
    "UnsupportedPositionError",
    "Wdl",
    "Wdl50",
    "difficulty",
    "find",
    "load_table",
    "open_tablebase",
    "read_table",
    "solve_position",
]


def test_public_names():
    assert tablebase.__all__ == PUBLIC
    for name in PUBLIC:
        assert getattr(tablebase, name).__name__ == name
        assert getattr(tablebase, name).__doc__
    assert set(PUBLIC) <= set(dir(tablebase))


def test_other_names_are_told_apart():
    with pytest.raises(AttributeError, match="'tablebase' has no attribute 'no_such_name'"):
        _ = tablebase.no_such_name


NAMED = r"\b(tablebase(?:\.[a-z_]+)+)\b"


def names_in_docs():
    """Return the names with dots that pages and docstrings use, as in `tablebase.uci.engine`."""
    root = Path(__file__).parents[1]
    package = Path(tablebase.__file__).parent  # not the sdist's, when the wheel is tested
    pages = [root / "README.md", *root.glob("docs/**/*.md"), *package.rglob("*.py")]
    texts = [page.read_text(encoding="utf-8") for page in pages]
    names = {name for text in texts for name in re.findall(rf"[`>( ]{NAMED}(?=[`(])", text)}
    modules = {path.stem for path in package.iterdir()}
    return {name for name in names if name.split(".")[1] in modules}


def test_names_with_dots_in_docs_are_there():
    names = names_in_docs()
    assert {"tablebase.core.jit", "tablebase.finding.orbit_keys.orbit"} <= names
    for name in names:
        assert resolve_name(name) is not None


def stable_names():
    """Return the names that the reference calls stable, with their modules."""
    page = Path(__file__).parents[1].joinpath("docs", "reference", "python.md")
    table = page.read_text(encoding="utf-8").partition("\n## Stable names\n")[2]
    rows = re.findall(r"^\| `(tablebase[.\w]*)` \| (.*) \|$", table, re.MULTILINE)
    return [(module, name) for module, names in rows for name in re.findall(r"`(\w+)`", names)]


@pytest.mark.parametrize(("module", "name"), stable_names(), ids=".".join)
def test_stable_names_are_there(module, name):
    if module == "tablebase.serve.server":
        pytest.importorskip("starlette")
    assert getattr(import_module(module), name).__doc__


def test_few_names_are_stable():
    assert 40 <= len(PUBLIC) + len(stable_names()) <= 75
