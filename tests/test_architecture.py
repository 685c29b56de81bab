"""Architecture: what may import what, and that every module stands on its own."""

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "tablebase"

# In order of dependency: a module imports only from those before it.
LAYERS = {
    "foundation": (
        "_version",
        "_cache",
        "_pipeline",
        "_kernels",
        "_far_calls",
        "_instructions",
        "_records",
        "_jit",
        "_vectors",
        "memory",
        "locations",
        "errors",
        "extras",
        "words",
    ),
    "common ground": (
        "geometry",
        "board_layout",
        "symmetry",
        "material",
        "values",
        "boards",
        "kings",
        "pawns",
        "combinations",
        "index",
    ),
    "ground of the data": ("counting", "legality", "orbits", "table", "search", "census"),
    "engine": (
        "layout",
        "bits",
        "teamwork",
        "far_kernels",
        "line_images",
        "engine_values",
        "retrograde",
        "requirements",
        "needs",
        "children",
        "conversion",
        "storing",
        "slices",
        "solve",
    ),
    "data": (
        "slots",
        "chunks",
        "atomic",
        "format",
        "storage",
        "writing",
        "locate",
        "pages",
        "ranking",
        "canonical",
        "batch",
        "reader",
        "probe",
        "dataset",
        "subtables",
        "rules",
        "row_moves",
        "reach",
        "forward",
        "fixed_point",
        "verify",
        "sums",
        "standard",
        "overview",
        "survey",
        "legal_moves",
        "butterfly",
        "analysis",
        "pictures",
        "report",
    ),
    "where both meet": (
        "estimate",
        "graph",
        "schedule",
        "subtable_store",
        "building",
        "steps",
        "progress",
        "executors",
        "worker",
        "cluster",
        "generate",
    ),
    "faces": (
        "arguments",
        "terminal",
        "display",
        "play",
        "server",
        "uci",
        "commands",
        "cli",
        "__main__",
    ),
}
ORDER = [module for layer in LAYERS.values() for module in layer]
# The commands are one row: many modules, none of which imports another.
COMMANDS = sorted(path.stem for path in PACKAGE.glob("commands/*.py") if path.stem != "__init__")
MODULES = sorted({path.stem for path in PACKAGE.glob("*.py")} - {"__init__"} | {"commands"})

# The engine is reached through these alone.
ABOVE_THE_ENGINE = {*LAYERS["engine"], *LAYERS["where both meet"], *LAYERS["faces"]}
PLAIN = (
    "_version",
    "locations",
    "errors",
    "words",
    "geometry",
    "board_layout",
    "symmetry",
    "material",
    "values",
    "counting",
)


@cache
def imported_names(path: Path) -> tuple[str, ...]:
    """Return the full names that a file imports, wherever in it."""
    names = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports name the package"
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return tuple(names)


@cache
def imports(module: str) -> frozenset[str]:
    """Return the modules of the package that a module names in its imports, wherever."""
    paths = sorted((PACKAGE / module).glob("*.py")) or [PACKAGE / f"{module}.py"]
    names = [name for path in paths for name in imported_names(path)]
    found = {name.split(".")[1] for name in names if name.startswith("tablebase.")}
    return frozenset(found & set(MODULES) - {module})


@cache
def reachable(module: str) -> frozenset[str]:
    """Return all modules of the package that importing a module can lead to."""
    return imports(module).union(*map(reachable, imports(module)))


@cache
def loaded_after_importing(module: str) -> frozenset[str]:
    """Return the names of all modules loaded in a fresh interpreter by one import."""
    code = f"import sys, {module}; print(*sys.modules)"
    command = [sys.executable, "-c", code]
    result = subprocess.run(command, check=False, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return frozenset(result.stdout.split())


def test_every_module_has_its_place():
    assert set(MODULES) <= set(ORDER)
    assert len(set(ORDER)) == len(ORDER)


@pytest.mark.parametrize("module", MODULES)
def test_modules_import_only_from_rows_above(module):
    allowed = ORDER[: ORDER.index(module)]
    assert imports(module) <= set(allowed)


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_imports_another(command):
    names = imported_names(PACKAGE / "commands" / f"{command}.py")
    assert not [name for name in names if name.startswith("tablebase.commands")]


@pytest.mark.parametrize("module", sorted(set(MODULES) - ABOVE_THE_ENGINE))
def test_only_generation_enters_the_engine(module):
    assert not reachable(module) & set(LAYERS["engine"])


@pytest.mark.skipif("verify" not in MODULES, reason="no verify yet")
def test_verification_shares_nothing_with_generation():
    assert not reachable("verify") & {"generate", *LAYERS["engine"]}


def decorated(module, *decorators):
    """Return the functions at the top of a module that have one of some decorators."""
    tree = ast.parse((PACKAGE / f"{module}.py").read_text())
    return {
        node.name: node
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
        and {getattr(item, "id", "") for item in node.decorator_list} & set(decorators)
    }


def called_from_python(module):
    """Return the names that a module's functions call, kernels aside."""
    kernels = {*decorated(module, "kernel", "hot_kernel", "entry", "hot_entry").values()}
    tree = ast.parse((PACKAGE / f"{module}.py").read_text())
    inside = {id(inner) for node in tree.body if ast.dump(node) in set(map(ast.dump, kernels))
              for inner in ast.walk(node)}  # fmt: skip
    return {
        node.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and id(node) not in inside and isinstance(node.func, ast.Name)
    }


@pytest.mark.parametrize("module", sorted(set(MODULES) - {"commands"}))
def test_python_calls_entries_alone(module):
    linked = set(decorated(module, "kernel", "hot_kernel"))
    for name in imported_names(PACKAGE / f"{module}.py"):
        package, _, rest = name.partition(".")
        source, _, function = rest.partition(".")
        if package == "tablebase" and source in MODULES and source != "commands":
            linked |= {function} & set(decorated(source, "kernel", "hot_kernel"))
    # Others would be compiled by each process anew.
    assert not called_from_python(module) & linked


@pytest.mark.parametrize(
    "module",
    ["tablebase"]
    + [f"tablebase.{module}" for module in MODULES]
    + [f"tablebase.commands.{command}" for command in COMMANDS],
)
def test_every_module_is_importable_alone(module):
    assert module in loaded_after_importing(module)


@pytest.mark.parametrize("module", ["tablebase", *(f"tablebase.{module}" for module in PLAIN)])
def test_the_ground_needs_neither_numba_nor_chess(module):
    assert not loaded_after_importing(module) & {"numba", "chess", "h5py", "rich"}


@pytest.mark.skipif("cli" not in MODULES, reason="no command line yet")
def test_the_command_line_starts_without_numba():
    assert "numba" not in loaded_after_importing("tablebase.cli")


@pytest.mark.parametrize("module", sorted({*LAYERS["engine"], "index"} & set(MODULES)))
def test_boards_of_python_chess_stay_at_the_edge(module):
    assert "chess" not in loaded_after_importing(f"tablebase.{module}")


@pytest.mark.parametrize("module", sorted(set(MODULES) - {"__main__", "commands"}))
def test_every_module_has_its_tests(module):
    assert (Path(__file__).parent / f"test_{module.lstrip('_')}.py").exists()
