"""Measure how long pages take to solve tables: all endings of four men, and the first answer.

Usage: python scripts/benchmark.py page [--save]

The same endings are solved here by one thread, with the kernels loaded, and in node by the module
of `make_modules.py`, by distances to mate. Then a new process of node asks for a pawn ending of a
site without tables, and of one with them. Processor seconds count, which a busy machine changes
little; those of node include the compilation of the module. The best of three counts.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
import time
from pathlib import Path
from unittest.mock import patch

from measurement import load, save

from tablebase.core.building.generator import generate
from tablebase.core.building.page_modules import module_name
from tablebase.core.building.problem_files import problem_key, problems_of
from tablebase.core.engine.driver import solve
from tablebase.core.ground.streams import reader_may_leave
from tablebase.core.outcomes.metrics import DTM
from tablebase.core.rules.material import Material, all_materials, generation_order
from tablebase.core.tables.table import Table
from tablebase.publish import publication
from tablebase.publish.publication import publish_tables
from tablebase.publish.site import MODULES

SUPPORT = Path(__file__).parents[1] / "tests" / "support"
PAWN = "8/8/8/8/8/k7/4P3/4K3 w - - 0 1"
REPEAT = 3


def page_times() -> str:
    """Return what solving took here and in a page."""
    found = load("page")["results"]
    rows = [
        "| seconds of processor time | by a table or here | solved in node |",
        "|---|---:|---:|",
    ]
    for what, one, other in (
        ("all 36 endings of up to four pieces, DTM", "native", "page"),
        ("first answer of KPK, from a table or solved", "file", "solved"),
    ):
        rows.append(f"| {what} | {found[one]:.2f} | {found[other]:.2f} |")
    return "\n".join(rows)


def native_seconds(order: list[Material]) -> float:
    """Return the processor seconds of solving all materials here."""
    started = time.process_time()
    tables: dict[Material, Table] = {}
    for material in order:
        tables[material] = solve(material, tables, threads=1)
    return time.process_time() - started


def page_seconds(order: list[Material], folder: Path) -> float:
    """Return the processor seconds of the same in node."""
    path = folder / "problems.bin"
    path.write_bytes(problems_of((one, DTM) for one in order))
    keys = [problem_key(one, DTM) for one in order]
    command = ["node", SUPPORT / "solve_in_node.mjs", MODULES / module_name("chess"), path, *keys]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return float(json.loads(done.stdout)["seconds"])


def answer_seconds(site: Path) -> float:
    """Return the processor seconds of a first answer in node, but for node itself."""
    script = """
    const [, address, fen, reader] = process.argv;
    const before = process.cpuUsage();
    const { open } = await import(reader);
    await (await open(address)).standard(fen);
    const { user, system } = process.cpuUsage(before);
    console.log((user + system) / 1e6);
    """
    reader = (site / "reader" / "index.js").as_uri()
    command = [
        "node",
        "--input-type=module",
        "-e",
        script,
        (site / "tables").as_uri(),
        PAWN,
        reader,
    ]
    return float(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


@reader_may_leave()
def main(arguments: list[str]) -> None:
    """Measure, and print or save what it took."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--save", action="store_true")
    is_saved = parser.parse_args(arguments).save
    order = generation_order(all_materials(4))
    none = {"survey": None, "difficult": None, "levels": []}
    with (
        tempfile.TemporaryDirectory() as scratch,
        patch.multiple(
            publication,
            survey_record=lambda path, _: none | {"material": path.stem},
            exercises_record=lambda _, one: none | {"material": one.name},
        ),
    ):
        folder = Path(scratch)
        built = generate([Material.from_name("KPK")], folder / "built")
        sources = [one.path for one in built if one.path.stem != "KK"]
        publish_tables(sources, folder / "file")
        publish_tables(sources, folder / "solved", solved=True)
        native_seconds(order[:1])
        found = {
            "native": min(native_seconds(order) for _ in range(REPEAT)),
            "page": min(page_seconds(order, folder) for _ in range(REPEAT)),
            **{
                name: min(answer_seconds(folder / name) for _ in range(REPEAT))
                for name in ("file", "solved")
            },
        }
    found = {name: round(seconds, 3) for name, seconds in found.items()}
    print(json.dumps(found))
    if is_saved:
        save("page", found)
