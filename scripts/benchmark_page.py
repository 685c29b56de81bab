"""Measure what solving takes in pages: time of few men, memory of five, and the first answer.

Usage: python scripts/benchmark.py page [--save]

All endings of four men are solved here by one thread, with the kernels loaded, and in node by the
module of `make_modules.py`, by distances to mate; so are some of five men, with their sub-tables,
in node. Then chromium opens a pawn ending in the explorer of a site without tables, and of one with
them. Processor seconds count, which a busy machine changes little: of node with the compilation of
the module, of chromium those of all its processes. The best of three counts.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from contextlib import suppress
from pathlib import Path
from typing import Any
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

TESTS = Path(__file__).parents[1] / "tests"
PAWN = "8/8/8/8/8/k7/4P3/4K3_w_-_-_0_1"
FIVE_MEN = "KBBKN", "KBBKP", "KRPKR"
REPEAT = 3


def page_times() -> str:
    """Return what solving took here and in a page."""
    found = load("page")["results"]
    rows = [
        "| seconds of processor time | by a table or here | solved by WebAssembly |",
        "|---|---:|---:|",
        (
            f"| all 36 endings of up to four pieces, DTM, in node | {found['native']:.2f} "
            f"| {found['page']:.2f} |"
        ),
        (
            f"| the explorer with KPK, until it has the answer, in Chromium | {found['file']:.2f} "
            f"| {found['solved']:.2f} |"
        ),
    ]
    return "\n".join(rows)


def page_memory() -> str:
    """Return what endings of five men took."""
    rows = [
        "| with all sub-tables, DTM | memory that the page states | memory of node | seconds |",
        "|---|---:|---:|---:|",
    ]
    for name, (seconds, stated, memory) in load("page")["results"]["five"].items():
        sizes = (f"{size / 2**20:,.0f} MiB" for size in (stated, memory))
        rows.append(f"| {name} | {' | '.join(sizes)} | {seconds:.1f} |")
    return "\n".join(rows)


def native_seconds(order: list[Material]) -> float:
    """Return the processor seconds of solving all materials here."""
    started = time.process_time()
    tables: dict[Material, Table] = {}
    for material in order:
        tables[material] = solve(material, tables, threads=1)
    return time.process_time() - started


def in_node(materials: list[Material], folder: Path) -> tuple[float, int, int]:
    """Return seconds of solving in node, and the stated and the used memory of the last one."""
    path = folder / "problems.bin"
    path.write_bytes(problems_of((one, DTM) for one in materials))
    keys = [problem_key(one, DTM) for one in materials]
    script = TESTS / "support" / "solve_in_node.mjs"
    command = ["node", script, MODULES / module_name("chess"), path, *keys]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    told = json.loads(done.stdout)
    return round(told["seconds"], 3), told["stated"], told["memory"]


def answer_seconds(site: Path) -> float:
    """Return the processor seconds of a new browser that opens an ending of a site."""
    from support.browsing import Page, start_browser
    from support.hosting import hosted

    browser = start_browser()
    try:
        with hosted(site) as address:
            before = processor_seconds(browser.service.process.pid)
            browser.get(f"{address}?fen={PAWN}")
            page = Page(browser, address)
            page.until(lambda: page.find("#verdict").text.startswith("White mates in"))
            return processor_seconds(browser.service.process.pid) - before
    finally:
        browser.quit()


def processor_seconds(process: int) -> float:
    """Return the processor seconds of what a process has started, as Linux tells."""
    started = defaultdict(list)
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended
            _, _, text = path.read_text(encoding="utf-8").rpartition(") ")
            fields: list[Any] = text.split()
            ticks = sum(map(int, fields[11:15]))  # its own and of what has ended
            started[int(fields[1])].append((int(path.parent.name), ticks))
    total, left = 0, [process]
    while left:
        for one, ticks in started[left.pop()]:
            total += ticks
            left.append(one)
    return total / os.sysconf("SC_CLK_TCK")


@reader_may_leave()
def main(arguments: list[str]) -> None:
    """Measure, and print or save what it took."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--save", action="store_true")
    is_saved = parser.parse_args(arguments).save
    sys.path.insert(0, str(TESTS))
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
            "page": min(in_node(order, folder)[0] for _ in range(REPEAT)),
            **{
                name: min(answer_seconds(folder / name) for _ in range(REPEAT))
                for name in ("file", "solved")
            },
        }
        five = {name: in_node([Material.from_name(name)], folder) for name in FIVE_MEN}
    found = {name: round(seconds, 3) for name, seconds in found.items()} | {"five": five}
    print(json.dumps(found))
    if is_saved:
        save("page", found)
