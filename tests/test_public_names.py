"""What users import from the package itself; to take a name away is to break their programs."""

import re
from importlib import import_module
from inspect import isclass, isfunction, signature
from pathlib import Path
from pkgutil import resolve_name

import chess
import pytest

import tablebase
from tablebase.core.outcomes.metrics import DISTANCES
from tablebase.finding.conditions import ConditionArguments

PUBLIC = [
    "CorruptTableError",
    "InvalidMaterialError",
    "InvalidRulesError",
    "Material",
    "MissingTableError",
    "RankedMove",
    "Table",
    "Tablebase",
    "TablebaseError",
    "UndecidedError",
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


DIRECTIVE = re.compile(r"^\.\. auto(class|module):: (\S+)\n((?:   :.*\n)*)", re.MULTILINE)


def documented_classes():
    """Return the classes of the reference, with the options of the directives that show them."""
    found = {}
    for page in Path(__file__).parents[1].glob("docs/**/*.md"):
        for kind, name, options in DIRECTIVE.findall(page.read_text(encoding="utf-8")):
            shown = resolve_name(name)
            if kind == "class":
                found[shown] = options
                continue
            chosen = re.findall(r"\w+", options.partition(":members:")[2].partition("\n")[0])
            for one in vars(shown).values():
                if (
                    isclass(one)
                    and one.__module__ == name
                    and one.__name__ in (chosen or public_names(shown))
                ):
                    found[one] = options
    return found


def public_names(module):
    return [name for name in vars(module) if name[0] != "_"]


def test_the_reference_shows_what_a_class_inherits():
    found = documented_classes()
    assert len(found) > 100
    for one, options in found.items():
        others = [base for base in one.__mro__[1:] if base.__module__.startswith("tablebase.")]
        inherited = {name for base in others if base not in found for name in vars(base)}
        inherited = {name for name in inherited if name[0] != "_" and name not in vars(one)}
        assert not inherited or ":inherited-members:" in options, one
        assert ("is_dead" in inherited) == (one is tablebase.Tablebase)


def test_the_guide_to_probing_lists_all_questions_about_a_position():
    page = Path(__file__).parents[1].joinpath("docs", "probe.md").read_text(encoding="utf-8")
    rows = page.partition("### One position\n")[2].partition("\n### ")[0]
    asked = {name for name in dir(tablebase.Tablebase) if not name.startswith("_")}
    asked = {name for name in asked if "board" in signature_of(name)}
    listed = set(re.findall(r"`(\w+)(?:\([^)`]*\))?`", rows)) | {"probe_outcome"}
    assert "probe_helpmate" in asked
    assert {name for name in asked if not name.startswith("get_")} <= listed


def signature_of(name):
    """Return the names of the parameters of a method of `Tablebase`, none of an attribute."""
    method = getattr(tablebase.Tablebase, name)
    return signature(method).parameters if isfunction(method) else ()


def test_find_names_all_its_conditions():
    named = tablebase.find.__doc__.partition("**conditions")[2].partition("Returns")[0]
    assert set(re.findall(r"`(\w+)`", named)) == {*ConditionArguments.__annotations__}


def test_the_shown_attributes_of_an_error_are_those_that_it_has():
    with tablebase.open_tablebase(Path(__file__).parents[1] / "data") as tables:
        with pytest.raises(tablebase.MissingTableError) as caught:
            tables.probe_helpmate(chess.Board("8/8/8/8/8/2k5/1R6/K6N w - - 0 1"), chess.WHITE)
        assert caught.value.metric == "white_mates"
    assert all(f"``{one.name}``" in tablebase.MissingTableError.__doc__ for one in DISTANCES)
    with pytest.raises(tablebase.InvalidRulesError, match="nosuch"):
        tablebase.open_tablebase("data", rules="nosuch")


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
    assert 40 <= len(PUBLIC) + len(stable_names()) <= 77
