"""What users import from the package itself; to take a name away is to break their programs."""

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

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
    for module in (tablebase, tablebase.core, tablebase.core.probing):
        with pytest.raises(AttributeError, match=f"{module.__name__}' has no attribute 'no_such_"):
            _ = module.no_such_name


NAMED = r"\b(tablebase(?:\.[a-z_]+)+)\b"


def names_in_docs():
    """Return the names with dots that pages and docstrings use, as in `tablebase.study.orbit`."""
    root = Path(__file__).parents[1]
    pages = [root / "README.md", *root.glob("docs/**/*.md"), *root.glob("tablebase/**/*.py")]
    texts = [page.read_text(encoding="utf-8") for page in pages]
    names = {name for text in texts for name in re.findall(rf"[`>( ]{NAMED}(?=[`(])", text)}
    modules = {path.stem for path in (root / "tablebase").iterdir()}
    return {name for name in names if name.split(".")[1] in modules}


def test_importing_the_package_is_enough_for_names_in_it():
    """In a new process, in which nothing else has imported a module of the package."""
    names = names_in_docs()
    assert {"tablebase.study.orbit", "tablebase.core.probing.slot_of"} <= names
    code = (
        "import sys, tablebase\n"
        "assert 'numba' not in sys.modules\n"
        "for name in sys.argv[1:]:\n"
        "    value = tablebase\n"
        "    for part in name.split('.')[1:]:\n"
        "        value = getattr(value, part)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *names], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def stable_names():
    """Return the names that the reference calls stable, with their modules."""
    page = Path(__file__).parents[1].joinpath("docs", "reference", "python.md")
    table = page.read_text(encoding="utf-8").partition("\n## Stable names\n")[2]
    rows = re.findall(r"^\| `(tablebase[.\w]*)` \| (.*) \|$", table, re.MULTILINE)
    return [(module, name) for module, names in rows for name in re.findall(r"`(\w+)`", names)]


@pytest.mark.parametrize(("module", "name"), stable_names(), ids=".".join)
def test_stable_names_are_there(module, name):
    if module == "tablebase.web":
        pytest.importorskip("starlette")
    assert name in import_module(module).__all__
    assert getattr(import_module(module), name).__doc__


def test_few_names_are_stable():
    assert 40 <= len(PUBLIC) + len(stable_names()) <= 75
