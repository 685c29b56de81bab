"""Architecture: fifteen wings in one order, each entered through its face alone."""

import ast
import subprocess
import sys
from functools import cache
from graphlib import TopologicalSorter
from importlib import import_module
from pathlib import Path

import pytest

import tablebase

PACKAGE = Path(tablebase.__file__).parent

# What each wing may import, lower wings first. Only `building` enters the engine.
ALLOWED = {
    "jit": "",
    "board": "",
    "index": "jit board",
    "tables": "jit board index",
    "engine": "jit board index tables",
    "storage": "jit board index tables",
    "moves": "jit board index tables",
    "checking": "jit board index tables storage moves",
    "solving": "jit board storage",
    "probing": "jit board index tables storage moves solving",
    "study": "jit board index tables storage moves probing",
    "export": "jit board index tables storage moves checking",
    "building": "jit board index tables engine storage moves checking probing",
    "web": "board index tables storage probing solving study",
    "uci": "board probing solving",
    "cli": "board index tables storage checking probing solving study export building web uci",
}
WINGS = [wing for wing in ALLOWED if wing != "uci"]
# Beside the wings.
GROUND = {"_face", "_version", "compiling", "errors", "extras", "interruptions", "locations",
          "streams", "words"}  # fmt: skip
NUMBA = {"jit", "index", "tables", "engine", "storage", "moves", "checking", "probing", "study",
         "export", "solving"}  # fmt: skip
CHESS = ("board/chess_board", "tables/search", "checking/findings",
         "probing", "study", "solving", "cli", "web", "uci")  # fmt: skip
FILES = [path.relative_to(PACKAGE) for path in sorted(PACKAGE.rglob("*.py"))]
MODULES = [path for path in FILES if path.stem != "__init__"]


def name_of(path):
    """Return the dotted name of a file of the package."""
    parts = path.with_suffix("").parts
    return ".".join(["tablebase", *(parts[:-1] if parts[-1] == "__init__" else parts)])


def wing_of(path):
    wing = path.parts[0].removesuffix(".py")
    return "cli" if wing == "__main__" else wing


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
    stub = tree_of(Path(wing, "__init__.pyi"))
    return {name for node in stub.body if isinstance(node, ast.Assign)
            for name in ast.literal_eval(node.value)}  # fmt: skip


def loaded_after_importing(module):
    """Return the names of all modules loaded in a fresh interpreter by one import."""
    command = [sys.executable, "-c", f"import sys, {module}; print(*sys.modules)"]
    result = subprocess.run(command, check=False, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return set(result.stdout.split())


def test_wings_come_in_order():
    assert {path.parts[0] for path in FILES if len(path.parts) > 1} == set(WINGS)
    below = set()
    for wing, allowed in ALLOWED.items():
        assert set(allowed.split()) <= below, wing
        below.add(wing)
    assert [wing for wing, allowed in ALLOWED.items() if "engine" in allowed] == ["building"]


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_walls_are_crossed_by_faces_alone(path):
    wing = wing_of(path)
    allowed = ALLOWED.get(wing, "").split()
    for module, name in imports(path):
        package, _, home = (f"tablebase.{name}" if module == "tablebase" else module).partition(".")
        if package == "tablebase" and home not in GROUND and home.split(".")[0] != wing:
            assert home in allowed, f"{module}.{name} is not for {wing}"
            assert home == "uci" or name in names_of_face(home), f"not in the face: {module}.{name}"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_who_knows_numba_and_who_knows_python_chess(path):
    packages = {module.split(".")[0] for module, _ in imports(path)}
    assert "numba" not in packages or wing_of(path) in NUMBA
    assert "chess" not in packages or path.as_posix().startswith(CHESS)


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
    modules = {path.stem for path in (PACKAGE / wing).glob("*.py")}
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
    + [name_of(path) for path in MODULES if wing_of(path) == "board" and "chess" not in path.stem],
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


@pytest.mark.parametrize("wing", WINGS)
def test_every_wing_has_its_tests(wing):
    assert list((Path(__file__).parent / wing).glob("test_*.py"))
