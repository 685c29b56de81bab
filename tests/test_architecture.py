"""Architecture: wings in one order, each entered through its face alone."""

import ast
import re
import subprocess
import sys
from functools import cache
from graphlib import TopologicalSorter
from importlib import import_module
from pathlib import Path

import pytest
from support.kernels import is_kernel

import tablebase

PACKAGE = Path(tablebase.__file__).parent

# What each wing may import, lower wings first. Only `building` enters the engine. The kernels of
# `solving` are a wing inside it that nobody else enters.
ALLOWED = {
    "jit": "",
    "board": "",
    "outcomes": "",
    "rules": "board",
    "positions": "board outcomes rules",
    "index": "jit board rules",
    "tables": "jit board outcomes rules positions index",
    "engine": "jit board outcomes rules index tables",
    "storage": "jit board outcomes rules index tables",
    "moves": "jit board outcomes rules index tables",
    "checking": "jit board outcomes rules positions index tables storage moves",
    "solving.kernels": "jit board",
    "solving": "board outcomes rules positions storage solving.kernels",
    "probing": "jit board outcomes rules positions index tables storage solving",
    "study": "jit board outcomes rules positions index tables storage moves probing",
    "export": "jit board outcomes rules positions index tables storage moves checking",
    "building": "board outcomes rules index tables engine storage",
    "web": "board outcomes rules positions index storage solving probing study",
    "uci": "outcomes positions solving probing",
    "cli": "board outcomes rules positions tables storage checking solving probing study export "
    "building web uci",
}
WINGS = [wing for wing in ALLOWED if wing != "uci"]
# Beside the wings.
GROUND = {"_face", "_version", "capacity", "compiling", "errors", "extras", "interruptions",
          "locations", "parallel", "remedies", "streams", "words"}  # fmt: skip
NUMBA = {"jit", "index", "tables", "engine", "storage", "moves", "checking", "probing", "study",
         "export", "solving.kernels"}  # fmt: skip
CHESS = ("positions/chess_board", "tables/search", "checking/findings", "checking/prober",
         "probing", "study", "solving", "cli", "web", "uci")  # fmt: skip
FILES = [path.relative_to(PACKAGE) for path in sorted(PACKAGE.rglob("*.py"))]
MODULES = [path for path in FILES if path.stem != "__init__"]
MOST_PARAMETERS = 8
# Public names of functions and classes that stand in two wings.
IN_TWO_WINGS = {
    "main",  # every program has one
    "place_men",  # the same for the rows of `moves` and the planes of `engine`, which share nothing
}


def name_of(path):
    """Return the dotted name of a file of the package."""
    parts = path.with_suffix("").parts
    return ".".join(["tablebase", *(parts[:-1] if parts[-1] == "__init__" else parts)])


def wing_of(path):
    return wing_with(".".join(path.with_suffix("").parts))


def wing_with(module):
    """Return the innermost wing that a module belongs to, or that it is; names omit the package."""
    parts = module.split(".")
    inner = ".".join(parts[:2])
    return inner if inner in ALLOWED else "cli" if parts[0] == "__main__" else parts[0]


@cache
def tree_of(path):
    return ast.parse((PACKAGE / path).read_text(encoding="utf-8"))


@cache
def imports(path):
    """Return what a file imports, wherever in it, as pairs of a module and a name of it."""
    found = []
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            found += [(alias.name, "") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports name the package"
            found += [(node.module, alias.name) for alias in node.names]
    return found


def names_of_face(wing):
    stub = tree_of(Path(*wing.split("."), "__init__.pyi"))
    return {name for node in stub.body if isinstance(node, ast.Assign)
            for name in ast.literal_eval(node.value)}  # fmt: skip


def loaded_after_importing(module):
    """Return the names of all modules loaded in a fresh interpreter by one import."""
    command = [sys.executable, "-c", f"import sys, {module}; print(*sys.modules)"]
    result = subprocess.run(command, check=False, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return set(result.stdout.split())


def homes(path):
    """Return the wings whose names a file imports, its own left out."""
    found = set()
    for module, name in imports(path):
        package, _, home = (f"tablebase.{name}" if module == "tablebase" else module).partition(".")
        if package == "tablebase" and home and home not in GROUND:
            found.add(wing_with(home))
    return found - {wing_of(path)}


def test_permissions_are_used():
    for wing, allowed in ALLOWED.items():
        used = set().union(*(homes(path) for path in MODULES if wing_of(path) == wing))
        assert used == set(allowed.split()), wing


@pytest.mark.parametrize("wing", WINGS)
def test_a_face_says_what_is_there(wing):
    """Its modules, and the wings that it may import."""
    folder = PACKAGE / wing.replace(".", "/")
    text = ast.get_docstring(tree_of(folder / "__init__.py"))
    there = {path.stem for path in folder.glob("*.py")}
    there |= {path.parent.name for path in folder.glob("*/__init__.py")}
    there -= {inner.rpartition(".")[2] for inner in WINGS if inner.startswith(f"{wing}.")}
    assert set(re.findall(r"^- `(\w+)`:", text, re.MULTILINE)) == there - {"__init__"}
    if ALLOWED[wing]:
        permissions = re.search(r"^May import (.*?)[.:](?:\s|$)", text, re.MULTILINE | re.DOTALL)[1]
        assert re.findall(r"`([\w.]+)`", permissions) == ALLOWED[wing].split()
    else:
        assert "\nImports no other wing." in text


def test_the_drawing_of_floors_is_the_house():
    text = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    floors = re.findall(r"^(\d)  ([a-z. ]+)$", text, re.MULTILINE)
    level = {wing: int(floor) for floor, wings in floors for wing in wings.split()}
    assert set(level) == set(ALLOWED)
    for wing, allowed in ALLOWED.items():
        assert level[wing] == 1 + max((level[below] for below in allowed.split()), default=-1), wing


def test_wings_come_in_order():
    assert {wing_of(path) for path in FILES if len(path.parts) > 1} == set(WINGS)
    below = set()
    for wing, allowed in ALLOWED.items():
        assert set(allowed.split()) <= below, wing
        below.add(wing)
    for secret, only in (("engine", "building"), ("solving.kernels", "solving")):
        assert [wing for wing, allowed in ALLOWED.items() if secret in allowed.split()] == [only]


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_walls_are_crossed_by_faces_alone(path):
    wing = wing_of(path)
    allowed = ALLOWED.get(wing, "").split()
    for module, name in imports(path):
        package, _, home = (f"tablebase.{name}" if module == "tablebase" else module).partition(".")
        if package == "tablebase" and home not in GROUND and wing_with(home) != wing:
            assert home in allowed, f"{module}.{name} is not for {wing}"
            assert home == "uci" or name in names_of_face(home), f"not in the face: {module}.{name}"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_who_knows_numba_and_who_knows_python_chess(path):
    packages = {module.split(".")[0] for module, _ in imports(path)}
    assert "numba" not in packages or wing_of(path) in NUMBA
    may_know_chess = path.as_posix().startswith(CHESS) and wing_of(path) != "solving.kernels"
    assert "chess" not in packages or may_know_chess


def test_no_circle_within_a_wing():
    names = {name_of(path): path for path in MODULES}
    graph = {
        name: {one for home, what in imports(path) for one in (home, f"{home}.{what}")} & set(names)
        for name, path in names.items()
    }
    TopologicalSorter(graph).prepare()  # raises if there is one


@pytest.mark.parametrize("wing", WINGS)
def test_a_face_gives_what_it_lists(wing):
    face = import_module(f"tablebase.{wing}")
    assert set(face.__all__) == names_of_face(wing)
    modules = {path.stem for path in PACKAGE.joinpath(*wing.split(".")).glob("*.py")}
    assert not modules & set(face.__all__), "the module would take the place of the name"
    for name in face.__all__:
        assert hasattr(face, name), name
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = face.no_such_name


@pytest.mark.parametrize(
    "module",
    [
        "tablebase",
        *(f"tablebase.{module}" for module in (*sorted(GROUND), *WINGS, "uci", "cli.program")),
    ]
    + [name_of(path) for path in MODULES if wing_of(path) in {"board", "outcomes", "rules"}],
)
def test_what_must_load_at_once_loads_no_library(module):
    heavy = {"h5py", "numba", "rich"} | (set() if module == "tablebase.uci" else {"chess"})
    assert not loaded_after_importing(module) & heavy


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_modules_and_functions_are_short(path):
    assert len((PACKAGE / path).read_text(encoding="utf-8").splitlines()) <= 450
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = node.end_lineno - node.lineno + 1
            assert lines <= 60, f"{node.name}: {lines} lines"


def test_kernels_take_few_parameters():
    kernels = {
        f"{path.stem}.{node.name}": len(node.args.args)
        for path in MODULES
        for node in tree_of(path).body
        if isinstance(node, ast.FunctionDef) and is_kernel(node)
    }
    assert len(kernels) > 200
    assert not {name for name, count in kernels.items() if count > MOST_PARAMETERS}


def test_a_name_belongs_to_one_wing():
    """Names of modules, and of public functions and classes; commands bear those of their tasks.

    `web.schemas` names the parts of JSON documents after what they describe.
    """
    modules, names = {}, {}
    for path in MODULES:
        if "commands" not in path.parts and len(path.parts) > 1:
            modules.setdefault(path.stem, set()).add(wing_of(path))
        if path.as_posix() == "web/schemas.py" or "commands" in path.parts:
            continue
        for node in tree_of(path).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name[0] != "_":
                names.setdefault(node.name, set()).add(wing_of(path))
    assert not {name: wings for name, wings in modules.items() if len(wings) > 1}
    assert {name for name, wings in names.items() if len(wings) > 1} == IN_TWO_WINGS


def test_kernels_get_movement_in_records():
    """A table that is a global of a kernel is compiled into it, for the pieces of chess alone."""
    given = {name for module, name in imports(Path("board/__init__.pyi"))
             if module == "tablebase.board.movement"}  # fmt: skip
    assert {"make_movement", "movement_of"} <= given
    for path in MODULES:
        if wing_of(path) in {"engine", "moves", "checking", "index"}:
            tree = tree_of(path)
            functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
            held = (ast.FunctionDef, ast.ClassDef)
            places = [node for node in tree.body if not isinstance(node, held)]
            places += [node for node in functions if is_kernel(node)]
            used = {
                one.id for node in places for one in ast.walk(node) if isinstance(one, ast.Name)
            }
            assert not used & given, f"{path}: {used & given}"


def test_games_are_told_apart_at_the_doors_only():
    """Files, folders, arguments and what is refused know of chess; nothing that solves does."""
    doors = {
        "building.cluster",  # workers get no files of rules
        "engine.values",  # long distances are known for each game
        "positions.chess_board",  # boards of python-chess have no other men
        "positions.setup",
        "probing.folders",
        "storage.format",
        "storage.reading",
        "study.analysis",  # lines in algebraic notation are of chess
        "study.butterfly",  # pairs of squares of chess's moves alone
        "study.report",  # figurines, or letters
        "cli.chosen",
        "cli.commands.rules",
    }
    naming = {
        path for path in MODULES for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Name) and node.id == "CHESS"
    }  # fmt: skip
    found = {".".join(path.with_suffix("").parts) for path in naming}
    assert {one for one in found if not one.startswith("rules.")} == doors


@pytest.mark.parametrize("wing", WINGS)
def test_every_wing_has_its_tests(wing):
    assert list(Path(__file__).parent.joinpath(*wing.split(".")).glob("test_*.py"))
