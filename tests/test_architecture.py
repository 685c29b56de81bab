"""Architecture: a core of wings in one order, and capabilities that it does not know."""

import ast
import re
import subprocess
import sys
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from support import measures
from support.kernels import is_kernel

import tablebase

PACKAGE = Path(tablebase.__file__).parent

# What each wing of the core may import of the core beside its ground, lower wings first. Only
# `building` enters the engine.
CORE = {
    "ground": "",
    "jit": "",
    "board": "",
    "outcomes": "",
    "rules": "jit board",
    "positions": "board outcomes rules",
    "castling": "jit board outcomes rules positions",
    "index": "jit board rules",
    "tables": "jit board outcomes rules positions index",
    "engine": "jit board outcomes rules index tables",
    "storage": "jit board outcomes rules index tables",
    "moves": "jit board outcomes rules index tables",
    "building": "jit board outcomes rules index tables engine storage",
    "reading": "jit board outcomes rules positions castling index tables storage",
    "answers": "board outcomes rules positions castling index storage reading",
    "checking": "jit board outcomes rules positions castling index tables storage moves answers",
}
# The frame of the shell, and the capabilities: what they may import beside the core, in one order.
# The kernels of `solve` are a wing inside it that nobody else enters.
CAPABILITIES = {
    "practice": "",
    "solve": "cli solve.kernels",
    "arbiter": "",
    "finding": "cli practice",
    "count": "cli",
    "butterfly": "cli",
    "report": "cli finding count butterfly",
    "annotate": "cli practice finding report",
    "strategies": "cli finding",
    "export": "cli finding",
    "audit": "cli export",
    "cluster": "",
    "uci": "cli practice",
    "publish": "cli practice finding report",
    "serve": "cli practice publish",
    "mcp": "cli solve finding serve",
}
INNER = {"solve.kernels": "jit board"}  # of the core
# The rooms of the engine, lower ones first, and which of these each may import; its front all.
ROOMS = {"sets": "", "out": "sets", "plies": "sets out", "games": "sets out plies"}
SECRET = {"core.engine": "core.building"}  # who alone may enter
WINGS = [*(f"core.{wing}" for wing in CORE), "cli", *INNER, *CAPABILITIES]
FRONT = {"__main__", "_face", "_version", "capabilities"}
NUMBA = {*(f"core.{wing}" for wing in ("jit", "index", "tables", "engine", "storage", "moves",
                                       "checking", "reading")),
         "practice", "report", "strategies", "export", "arbiter", "solve.kernels"}  # fmt: skip
CHESS = ("core/positions/chess_", "core/positions/position", "core/positions/any_position",
         "core/castling", "core/tables/search", "core/checking/findings",
         "core/checking/castling_check", "core/reading", "core/answers", "practice", "finding",
         "butterfly", "report", "annotate", "strategies", "solve", "arbiter", "audit", "cli",
         "publish", "serve", "uci")  # fmt: skip
FILES = [path.relative_to(PACKAGE) for path in sorted(PACKAGE.rglob("*.py"))]
MODULES = [path for path in FILES if path.stem != "__init__"]
MOST_PARAMETERS = 8
MOST_FIELDS = 25
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
    """Return the innermost wing that a module belongs to, or that it is; names omit the package.

    The ground of the core is `core`, the front of the package nothing.
    """
    parts = module.split(".")
    inner = ".".join(parts[:2])
    return inner if inner in WINGS else parts[0] if parts[0] in {"core", *WINGS} else ""


def allowed_for(wing):
    """Return the wings that a wing may import."""
    if wing in INNER:
        return {f"core.{one}" for one in INNER[wing].split()}
    if wing.startswith("core."):
        return {f"core.{one}" for one in CORE[wing.removeprefix("core.")].split()}
    core = {f"core.{one}" for one in CORE} - SECRET.keys()
    return core | set(CAPABILITIES.get(wing, "").split())


def tree_of(path):
    return measures.tree_of(PACKAGE / path)


def nodes_of(path):
    return measures.nodes_of(PACKAGE / path)


@cache
def imports(path):
    """Return what a file imports, wherever in it, as pairs of a module and a name of it."""
    found = []
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            found += [(alias.name, "") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports name the package"
            found += [(node.module, alias.name) for alias in node.names]
    return found


def loaded_after_importing(modules):
    """Return the names of all modules that are loaded in a fresh interpreter by importing some."""
    command = [sys.executable, "-c", f"import sys, {', '.join(modules)}; print(*sys.modules)"]
    result = subprocess.run(command, check=False, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return set(result.stdout.split())


@cache
def homes(path):
    """Return the wings whose names a file imports, its own left out."""
    found = set()
    for module, name in imports(path):
        package, _, home = (f"tablebase.{name}" if module == "tablebase" else module).partition(".")
        if package == "tablebase":
            found.add(wing_with(f"{home}.{name}" if home == "core" else home))
    return found - {wing_of(path), "core", "core.ground", ""}


@cache
def used_by(wing):
    return set().union(*(homes(path) for path in MODULES if wing_of(path) == wing))


def test_permissions_are_used():
    for wing in WINGS:
        if wing.startswith("core.") or wing in INNER:
            assert used_by(wing) == allowed_for(wing), wing
        elif wing != "cli":
            others = {one for one in used_by(wing) if not one.startswith("core.")}
            assert others == set(CAPABILITIES[wing].split()), wing


def test_neither_the_core_nor_the_frame_knows_a_capability():
    """Nor does the ground know a wing; the front of the package may name all, without imports."""
    for path in MODULES:
        wing = wing_of(path)
        if wing in {"core", ""}:
            assert homes(path) <= ({"cli"} if path.stem == "__main__" else set()), path
        elif wing == "cli" or wing.startswith("core."):
            known = {one for one in homes(path) if not one.startswith("core.")}
            assert not known, f"{path} knows {known}"


@pytest.mark.parametrize("wing", WINGS)
def test_a_face_says_what_is_there(wing):
    """Its modules, and the wings that it may import."""
    folder = PACKAGE / wing.replace(".", "/")
    text = ast.get_docstring(tree_of(folder.relative_to(PACKAGE) / "__init__.py"))
    there = {path.stem for path in folder.glob("*.py")}
    there |= {path.parent.name for path in folder.glob("*/__init__.py")}
    there -= {inner.rpartition(".")[2] for inner in INNER if inner.startswith(f"{wing}.")}
    assert set(re.findall(r"^- `(\w+)`:", text, re.MULTILINE)) == there - {"__init__"}
    permissions = CORE | INNER | CAPABILITIES | {"cli": ""}
    allowed = permissions[wing.removeprefix("core.")].split()
    if allowed:
        said = re.search(r"^May import (.*?)[.:](?:\s|$)", text, re.MULTILINE | re.DOTALL)[1]
        assert re.findall(r"`([\w.]+)`", said) == allowed
    elif wing.startswith("core."):
        assert "\nImports no other wing." in text
    else:
        assert "\nMay import only the core." in text


def test_rooms_of_the_engine_import_those_below():
    """Each says what is there, and which rooms it may import."""
    engine = PACKAGE / "core" / "engine"
    assert {path.parent.name for path in engine.glob("*/__init__.py")} == set(ROOMS)
    for room, allowed in ROOMS.items():
        text, there = face_of(engine / room)
        said = re.search(r"^(?:May import the rooms? (.*?)\.|Imports no other)", text, re.MULTILINE)
        assert re.findall(r"`(\w+)`", said[1] or "") == allowed.split()
        homes = {
            module.split(".")[3]
            for name in there
            for module, _ in imports(Path("core", "engine", room, f"{name}.py"))
            if module.startswith("tablebase.core.engine.")
        }
        assert homes - {room} == set(allowed.split()), room
    face_of(PACKAGE / "core" / "moves" / "games")


def face_of(folder):
    """Return what a room says of itself, and its modules, which it lists."""
    text = ast.get_docstring(ast.parse((folder / "__init__.py").read_text()))
    there = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    assert set(re.findall(r"^- `(\w+)`:", text, re.MULTILINE)) == there
    return text, there


def test_the_drawing_of_floors_is_the_house():
    text = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    floors = re.findall(r"^(\d)  ([a-z. ]+)$", text, re.MULTILINE)
    level = {wing: int(floor) for floor, wings in floors for wing in wings.split()}
    assert set(level) == set(CORE)
    for wing, allowed in CORE.items():
        assert level[wing] == 1 + max((level[below] for below in allowed.split()), default=-1), wing
    drawn = re.search(r"^capabilities  ([a-z ]+)$", text, re.MULTILINE)[1]
    assert drawn.split() == list(CAPABILITIES)


def test_wings_come_in_order():
    assert {wing_of(path) for path in FILES if len(path.parts) > 1} == {*WINGS, "core"}
    for permissions, below in ((CORE, set()), (CAPABILITIES, {"cli", *INNER})):
        for wing, allowed in permissions.items():
            assert set(allowed.split()) <= below, wing
            below.add(wing)
    for secret, only in SECRET.items():
        assert [wing for wing in WINGS if secret in used_by(wing)] == [only]


def test_walls_are_crossed_where_they_may_be():
    """By names that are not private, of modules."""
    for path in MODULES:
        for module, name in imports(path):
            wing, home = wing_of(path), wing_with(module.removeprefix("tablebase").lstrip("."))
            if not wing or not module.startswith("tablebase.") or home in {wing, "core.ground", ""}:
                continue
            assert home in allowed_for(wing), f"{path}: {module}.{name} is not for {wing}"
            assert not name.startswith("_"), f"{path}: private: {module}.{name}"
            if module == f"tablebase.{home}":
                modules = {"core", *(name_of(one).removeprefix("tablebase.") for one in MODULES)}
                assert home == "core" or f"{home}.{name}" in modules, f"{path}: {name} is no module"


def test_who_knows_numba_and_who_knows_python_chess():
    for path in MODULES:
        packages = {module.split(".")[0] for module, _ in imports(path)}
        assert "numba" not in packages or wing_of(path) in NUMBA, path
        may_know_chess = path.as_posix().startswith(CHESS) and wing_of(path) not in INNER
        assert "chess" not in packages or may_know_chess, path


def test_no_circle_within_a_wing():
    names = {name_of(path): path for path in MODULES}
    graph = {
        name: {one for home, what in imports(path) for one in (home, f"{home}.{what}")} & set(names)
        for name, path in names.items()
    }
    TopologicalSorter(graph).prepare()  # raises if there is one


def test_what_must_load_at_once_loads_no_library():
    modules = ["tablebase", "tablebase.capabilities", "tablebase.cli.program"]
    modules += [name_of(path) for path in MODULES if wing_of(path) == "core.ground"]
    modules += [f"tablebase.{wing}" for wing in WINGS]
    modules += [
        name_of(path)
        for path in MODULES
        if wing_of(path) in {"core.board", "core.outcomes", "core.rules"}
        or path.stem.endswith("command")
        or path.parts[:2] == ("cli", "commands")
    ]
    assert not loaded_after_importing(modules) & {"h5py", "numba", "rich", "chess"}


def test_looking_up_one_position_loads_no_numba():
    fen, data = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1", str(PACKAGE.parent / "data")
    code = (
        "import sys; from tablebase.__main__ import main\n"
        f"sys.argv[1:] = {['probe', '--json', fen, '--dir', data]}\n"
        "try: main()\n"
        "finally: print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert '"dtm_plies": 31' in done.stdout, done.stderr
    loaded = set(done.stderr.split())
    assert "h5py" in loaded
    assert not loaded & {"numba", "llvmlite"}


def test_modules_and_functions_are_short():
    for path in MODULES:
        assert len((PACKAGE / path).read_text(encoding="utf-8").splitlines()) <= 450, path
        for node in nodes_of(path):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = node.end_lineno - node.lineno + 1
                assert lines <= 60, f"{path}: {node.name}: {lines} lines"


def test_kernels_take_few_parameters():
    kernels = {
        f"{path.stem}.{node.name}": len(node.args.args)
        for path in MODULES
        for node in tree_of(path).body
        if isinstance(node, ast.FunctionDef) and is_kernel(node)
    }
    assert len(kernels) > 200
    assert not {name for name, count in kernels.items() if count > MOST_PARAMETERS}


def is_named_for_its_task(path):
    return {"commands", "games"} & {*path.parts} or path.stem.endswith(("command", "kind"))


def test_a_name_belongs_to_one_wing():
    """Names of modules, and of public functions and classes.

    Commands and kinds of files bear the names of their tasks, and what a game does for the solver
    and for the walk those of the game.
    """
    modules, names = {}, {}
    for path in MODULES:
        if not is_named_for_its_task(path) and len(path.parts) > 1:
            modules.setdefault(path.stem, set()).add(wing_of(path))
        if is_named_for_its_task(path):
            continue
        for node in tree_of(path).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name[0] != "_":
                names.setdefault(node.name, set()).add(wing_of(path))
    assert not {name: wings for name, wings in modules.items() if len(wings) > 1}
    assert {name for name, wings in names.items() if len(wings) > 1} == IN_TWO_WINGS


def test_kernels_get_movement_in_records():
    """A table that is a global of a kernel is compiled into it, for the pieces of chess alone."""
    given = {
        *(node.name for node in tree_of(Path("core/board/movement.py")).body
          if isinstance(node, ast.FunctionDef | ast.ClassDef)),
        *(target.id for node in tree_of(Path("core/board/movement.py")).body
          if isinstance(node, ast.Assign) for target in node.targets),
    } - {"Movement"}  # fmt: skip
    assert {"make_movement", "movement_of"} <= given
    for path in MODULES:
        if wing_of(path) in {"core.engine", "core.moves", "core.checking", "core.index"}:
            tree = tree_of(path)
            functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
            held = (ast.FunctionDef, ast.ClassDef)
            places = [node for node in tree.body if not isinstance(node, held)]
            places += [node for node in functions if is_kernel(node)]
            used = {
                one.id for node in places for one in ast.walk(node) if isinstance(one, ast.Name)
            }
            assert not used & given, f"{path}: {used & given}"


def test_what_games_do_lies_in_modules_of_their_own():
    """The kernels of chess call a game's where games differ, and know no word of another one."""
    words = re.compile(
        r"\b(?:blast|explo\w+|blown|spared|bared?|rac(?:e[ds]?|ing)|goals?|flag_move|king_takes|"
        r"checking|counting|forced|antichess)\b"
    )
    engine, moves = PACKAGE / "core" / "engine", PACKAGE / "core" / "moves"
    modules = [path for room in ("sets", "out", "plies") for path in (engine / room).glob("*.py")]
    modules += [*moves.glob("*.py"), engine / "games" / "chess.py", moves / "games" / "chess.py"]
    assert len(modules) > 25
    assert not {path.stem: found for path in modules if (found := words.findall(path.read_text()))}
    for folder in (engine, moves):
        games = (path.read_text() for path in (folder / "games").glob("*.py"))
        assert len(set(words.findall("".join(games)))) > 8


def test_games_are_told_apart_at_the_doors_only():
    """Files, folders, arguments and what is refused know of chess; nothing that solves does."""
    doors = {
        "core.engine.sets.values",  # long distances are known for each game
        "core.positions.chess_position",  # boards of python-chess have no other men
        "core.positions.setup_fens",
        "core.storage.reading",  # files of chess state no rules
        "report.document",  # figurines, or letters
        "cli.choice",
        "publish.listing",  # the list of chess names the other games
    }
    naming = {
        path for path in MODULES for node in nodes_of(path)
        if isinstance(node, ast.Name) and node.id == "CHESS"
    }  # fmt: skip
    found = {".".join(path.with_suffix("").parts) for path in naming}
    assert {one for one in found if not one.startswith("core.rules.")} == doors


# What each measure may be at most. None counts all lines: such a ceiling is paid for by dense code.
CEILINGS = {
    "lines of code to read in a day": 5_300,
    "folders that a capability touches": 2,
    "modules that name CHESS": 7,
}


def test_the_road_of_a_day_and_the_seams_stay():
    found = measures.measures(PACKAGE.parent, list(CAPABILITIES))
    print(*(f"{what}: {figure:,}" for what, figure in found.items()), sep="\n")  # noqa: T201 (-s)
    assert found.keys() == CEILINGS.keys()
    assert not {what: figure for what, figure in found.items() if figure > CEILINGS[what]}


def test_a_record_has_so_few_fields_that_they_can_be_read():
    records = [
        (path, node) for path in MODULES for node in nodes_of(path)
        if isinstance(node, ast.ClassDef) and "NamedTuple" in map(ast.unparse, node.bases)
    ]  # fmt: skip
    assert len(records) > 80
    fields = {
        f"{path}: {record.name}": sum(isinstance(each, ast.AnnAssign) for each in record.body)
        for path, record in records
    }
    assert not {name: count for name, count in fields.items() if count > MOST_FIELDS}


def test_a_field_of_records_is_one_thing():
    """Data, another record or a kernel: in two records of the core a name does not mean two."""
    things = {}
    records = [
        (path, node) for path in MODULES if wing_of(path) in NUMBA and path.parts[0] == "core"
        for node in tree_of(path).body
        if isinstance(node, ast.ClassDef) and "NamedTuple" in map(ast.unparse, node.bases)
    ]  # fmt: skip
    for path, record in records:
        fields = [one for one in record.body if isinstance(one, ast.AnnAssign)]
        types = [ast.unparse(one.annotation) for one in fields]
        if not re.search(r"NDArray|KernelRecord|Any", f"{types}"):
            continue
        other = "kernel" if {*types} == {"Any"} and "games" in path.parts else "data"
        for field, known in zip(fields, types, strict=True):
            thing = known if known == "KernelRecord" else other
            things.setdefault(field.target.id, set()).add(thing)
    assert len(things) > 200
    assert not {name: found for name, found in things.items() if len(found) > 1}


def test_tests_of_the_core_know_no_capability():
    pattern = rf"\b(?:from|import) tablebase\.({'|'.join(CAPABILITIES)})\b"
    for path in Path(__file__).parent.joinpath("core").rglob("*.py"):
        assert not re.search(pattern, path.read_text(encoding="utf-8")), path


@pytest.mark.parametrize("wing", WINGS)
def test_every_wing_has_its_tests(wing):
    assert list(Path(__file__).parent.joinpath(*wing.split(".")).glob("test_*.py"))
