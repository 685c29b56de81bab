"""A web page solves tables by the engine's own kernels: the same bytes as here.

The next fault of a compiler must not pass, so all values of many tables are compared.
"""

import hashlib
import json
import subprocess
import zlib
from functools import cache
from pathlib import Path
from shutil import which

import numpy as np
import pytest

from scripts import make_modules
from tablebase.core.building import problem_files
from tablebase.core.building.page_modules import SOLVERS, module_name, solver_of
from tablebase.core.building.problem_files import problem_key, problems_of
from tablebase.core.engine import driver
from tablebase.core.engine.requirements import obstacle
from tablebase.core.engine.sets import values
from tablebase.core.ground.errors import TablebaseError, UnsupportedPositionError
from tablebase.core.jit.ahead import check_llvm
from tablebase.core.outcomes.metrics import DISTANCES, DTM, DTZ
from tablebase.core.rules.material import Material, all_materials, generation_order
from tablebase.core.rules.rule_files import built_in_rules
from tablebase.core.rules.rules import CHESS

SCRIPT = Path(__file__).parents[2] / "support" / "solve_in_node.mjs"
NODE = which("node")
LARGE = (
    "antichess",
    "suicide",
)  # where all pieces are alike to the rules, so that there are many materials
OTHERS = [name for name in built_in_rules() if name != "chess"]
needs_node = pytest.mark.skipif(NODE is None, reason="needs node, 20 or later")


@pytest.fixture(scope="module", autouse=True)
def _is_made(page_modules):
    """Make the modules, or skip what needs them."""


@cache
def native(material, metric):
    """Return a table solved here."""
    needed = material.dependencies()
    if_swapped = {one: native(one, metric.swapped) for one in needed}
    subtables = {one: native(one, metric) for one in needed}
    return driver.solve(material, subtables, if_swapped=if_swapped, metric=metric, threads=1)


def record_of(packed):
    """Return the record of a file of problems."""
    text = zlib.decompress(packed)
    return json.loads(text[4 : 4 + int.from_bytes(text[:4], "little")])


def described(table):
    """Return what node prints of a table."""
    digests = [
        [hashlib.sha256(part.tobytes()).hexdigest() for part in codes]
        for codes in (
            [(codes & 255).astype(np.uint8) for codes in table.codes],
            [(codes >> 8).astype(np.uint8) for codes in table.codes],
        )
    ]
    is_long = table.white.itemsize > 1
    meanings = [np.trim_zeros(side, "b").tolist() for side in table.outcomes]
    return {
        "codes": digests[0],
        "epochs": digests[1] if is_long else None,
        "outcomes": meanings if table.metric.outcomes is None else None,
    }


def node_command(tables, folder, page_modules):
    """Write the problems of tables; return the command that solves them in node."""
    path = folder / "problems.bin"
    path.write_bytes(problems_of(tables))
    module = page_modules / module_name(solver_of(tables[0][0].rules))
    return [NODE, SCRIPT, module, path, *(problem_key(*table) for table in tables)]


def solved_in_node(tables, folder, page_modules):
    """Solve tables in node; return what it prints of them, and of the memory of the last one."""
    keys = {problem_key(*table): table for table in tables}
    command = node_command(tables, folder, page_modules)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    found = {keys[key]: one for key, one in told["tables"].items()}
    return found, (told["stated"], told["memory"])


@needs_node
@pytest.mark.thorough
def test_all_endings_of_four_men_are_as_here(tmp_path, page_modules, solved, zeroing):
    here = {(one, metric): tables[one] for metric, tables in ((DTM, solved), (DTZ, zeroing))
            for one in generation_order(all_materials(4))}  # fmt: skip
    found, _ = solved_in_node([*here], tmp_path, page_modules)
    assert len(found) == 2 * 36
    for table, one in found.items():
        assert one == described(here[table]), table


@needs_node
@pytest.mark.thorough
@pytest.mark.parametrize("game", OTHERS)
def test_three_men_of_each_game_are_as_here(game, tmp_path, page_modules):
    """By all metrics, helpmates included."""
    materials = all_materials(3, built_in_rules()[game])
    materials = materials[:: 9 if game in LARGE else 1]
    metrics = [one for one in DISTANCES if not obstacle(materials[0], one)]
    tables = [(one, metric) for metric in metrics for one in generation_order(materials)]
    found, _ = solved_in_node(tables, tmp_path, page_modules)
    for table, one in found.items():
        assert one == described(native(*table)), table
    native.cache_clear()


@needs_node
@pytest.mark.thorough
def test_distances_of_several_epochs_are_as_here(tmp_path, page_modules, monkeypatch):
    """Where a byte is taken to hold fewer plies, so that few men suffice."""
    monkeypatch.setattr(values, "EPOCH_PLIES", 22)
    monkeypatch.setattr(values, "SHORT_MEN", {})
    tables, long = {}, set()
    order = generation_order([Material.from_name("KRKP")])
    found, _ = solved_in_node([(one, DTM) for one in order], tmp_path, page_modules)
    for material in order:
        table = tables[material] = driver.solve(material, tables, threads=1)
        assert found[material, DTM] == described(table), material.name
        if table.white.itemsize > 1:
            long.add(material.name)
    assert long >= {"KRKP", "KQKR", "KRK", "KPK"}


@needs_node
@pytest.mark.parametrize(
    "name",
    [
        pytest.param("KBBKN", marks=pytest.mark.thorough),
        pytest.param("KBBKP", marks=pytest.mark.slow),
    ],
)
def test_five_men_are_as_here_and_take_what_is_stated(name, tmp_path, page_modules):
    table = Material.from_name(name), DTM
    found, (stated, memory) = solved_in_node([table], tmp_path, page_modules)
    assert found[table] == described(native(*table))
    assert 0.6 * memory < stated < 1.25 * memory  # node itself takes some, and collects late
    native.cache_clear()


@pytest.mark.thorough
def test_a_module_has_the_same_bytes_each_time(page_modules):
    made = make_modules.make_module("chess", make_modules.linker())
    assert made == (page_modules / module_name("chess")).read_bytes()


def test_problems_are_the_same_bytes_each_time_and_solve_nothing(monkeypatch):
    monkeypatch.setattr(driver, "solve", None)
    tables = [(Material.from_name("KRKP"), DTZ)]
    packed = problems_of(tables)
    assert packed == problems_of(tables)
    record = record_of(packed)
    assert record["format"] == problem_files.PROBLEMS_FORMAT
    assert list(record["endings"]) == [f"{one} dtz" for one in generation_order([tables[0][0]])]


def test_what_cannot_be_solved_has_no_problem(monkeypatch):
    with pytest.raises(UnsupportedPositionError, match="7 pieces"):
        problems_of([(Material.from_name("KRPPKNP"), DTM)])
    monkeypatch.setattr(problem_files, "PAGE_MEMORY", 100_000)
    endings = record_of(problems_of([(Material.from_name("KRK"), DTM)]))["endings"]
    assert endings["KRK dtm"]["bytes"] > 100_000
    assert "regions" in endings["KK dtm"]


@needs_node
def test_a_page_says_what_it_has_no_memory_for(tmp_path, page_modules, monkeypatch):
    monkeypatch.setattr(problem_files, "PAGE_MEMORY", 100_000)
    command = node_command([(Material.from_name("KRK"), DTM)], tmp_path, page_modules)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    (told,) = (line for line in done.stderr.splitlines() if line.startswith("SolvingError"))
    assert "solving KRK takes 1 MiB of memory, but a page has at most 4,095" in told


def test_an_older_llvm_or_no_linker_is_refused_in_a_line(monkeypatch):
    with pytest.raises(TablebaseError, match=r"^LLVM 21\.1\.0 was not tried .* pip install"):
        check_llvm((21, 1, 0))
    monkeypatch.setattr(make_modules.shutil, "which", lambda _: None)
    monkeypatch.setattr(make_modules.importlib.util, "find_spec", lambda _: None)
    with pytest.raises(TablebaseError, match="no linker for WebAssembly: pip install ziglang"):
        make_modules.linker()


def test_each_game_has_a_module():
    assert {solver_of(rules) for rules in (CHESS, *built_in_rules().values())} == set(SOLVERS)
