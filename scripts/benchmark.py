"""Measure the speed of generation, of probing and of the server, and print a table with ratios.

Usage::

    python scripts/benchmark.py generate [MATERIAL ...] [--threads N] [--rules atomic]
                                         [--peer FOLDER] [OUTPUT]
    python scripts/benchmark.py probe [--dir FOLDER] [--gaviota FOLDER] [--syzygy FOLDER] [OUTPUT]
    python scripts/benchmark.py serve [--dir FOLDER] [OUTPUT]
    python scripts/benchmark.py page [--save]
    python scripts/benchmark.py against COMMIT [WHAT ...] [--pairs N] [--json]

OUTPUT is ``--json``, or ``--save`` to keep the figures in benchmarks/results, from where
``scripts/figures.py --write`` takes them into the pages; else a table is printed.

``generate`` measures the solution alone, warm, with the sub-tables in memory, each material in a
process of its own; the peak of memory is that of the solution. With ``--peer`` it also runs
Syzygy's generators ``rtbgen -g`` and ``rtbgenp -g``, of atomic chess ``atbgen -g`` and ``atbgenp
-g`` (only generation, nothing stored), from a folder that holds them, right after ours; they find
their sub-tables by the environment variable RTBPATH, older ones of atomic chess by ATBWDIR.
Machines are noisy: read the ratios, and repeat. ``against`` compares this working tree with another
commit, in alternating pairs.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import measurement

from tablebase.core.ground.streams import reader_may_leave

OTHERS = ("probe", "serve", "page", "against")  # commands with a module of their own
PEERS = {"chess": "rtbgen", "atomic": "atbgen"}  # Syzygy's generators of tables without pawns
DEFAULT = [
    *("KQKR", "KBNK", "KRKN", "KPKP", "KRKP", "KQKP"),
    *("KRBKR", "KQRKQ", "KBBKN", "KRPKR", "KQPKQ", "KPPKP"),
]


def copy_seconds(size: int) -> float:
    """Return how long writing `size` bytes by copying takes on one thread, best of three."""
    import numpy as np

    source, target = np.ones(size, dtype=np.uint8), np.ones(size, dtype=np.uint8)
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        np.copyto(target, source)
        best = min(best, time.perf_counter() - start)
    return best


def solve_sub_tables(material: Any, threads: int, metric: str = "dtm") -> dict[Any, Any]:
    """Return the tables that a material needs, and no others."""
    from tablebase.core.engine.driver import solve
    from tablebase.core.outcomes.metrics import metric_named
    from tablebase.core.rules.material import generation_order

    order = generation_order(material.dependencies())
    tables: dict[Any, Any] = {}
    for i, needed in enumerate(order):
        tables[needed] = solve(needed, tables, metric=metric_named(metric), threads=threads)
        wanted = {m for later in [*order[i + 1 :], material] for m in later.dependencies()}
        tables = {m: table for m, table in tables.items() if m in wanted}
    return tables


def needed_parts(material: Any, tables: dict[Any, Any]) -> dict[Any, Any]:
    """Return what a build keeps of sub-tables; takes them out of `tables`."""
    import numpy as np

    from tablebase.core.board.geometry import Color
    from tablebase.core.building.estimate import MAX_KEPT_MEN
    from tablebase.core.engine.needs import needed_positions, rows_after_promotion
    from tablebase.core.tables.table import TablePart

    parts: dict[Any, Any] = {}
    for needed, need in needed_positions(material).items():
        parts[needed] = table = tables.pop(needed)
        if needed.piece_count > MAX_KEPT_MEN:
            rows = rows_after_promotion(needed, need.promoted)
            kept: list[Any] = [None, None]
            for side in need.sides:
                # Rows that nobody writes take no memory.
                kept[side] = np.zeros(table.index.size, dtype=np.uint8)
                codes, wanted = (a.reshape(len(rows), -1) for a in (table.codes[side], kept[side]))
                np.copyto(wanted, codes, where=rows[:, None])
            codes = kept[Color.WHITE], kept[Color.BLACK]
            parts[needed] = TablePart(codes, table.outcomes)
    return parts


def forget_peak() -> None:
    """Let the peak of memory begin anew, where the system can."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def measure(name: str, rules: str, threads: int, repeat: int, metric_name: str) -> dict[str, Any]:
    """Return the figures of one material, measured in this process."""
    import numpy as np

    from tablebase.core.engine.driver import solve
    from tablebase.core.outcomes.metrics import metric_named
    from tablebase.core.rules.material import Material
    from tablebase.core.rules.rule_files import built_in_rules

    material = Material.from_name(name, built_in_rules()[rules])
    metric = metric_named(metric_name)
    tables = needed_parts(material, solve_sub_tables(material, threads, metric_name))
    forget_peak()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    seconds = float("inf")
    table: Any = None
    for _ in range(repeat):
        table = None  # gives its memory back
        start = time.perf_counter()
        table = solve(material, tables, metric=metric, threads=threads)
        seconds = min(seconds, time.perf_counter() - start)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    size = 2 * table.index.size
    # The bytes of illegal positions repeat others.
    used = zip(table.outcomes, table.codes, strict=True)
    outcomes = np.concatenate([one[np.unique(codes)] for one, codes in used])
    plies = int(np.maximum(outcomes, ~outcomes).max())
    del table
    lower_bound = copy_seconds(size)
    return {
        "material": name,
        "metric": metric_name,
        "positions": size,
        "plies": plies,
        "seconds": seconds,
        "positions_per_second": size / seconds,
        "lower_bound_seconds": lower_bound,
        "times_lower_bound": seconds / lower_bound,
        "peak_megabytes": peak / 1024,
        "peak_before_megabytes": before / 1024,
    }


def measure_alone(name: str, options: argparse.Namespace) -> dict[str, Any]:
    """Return the figures of one material, measured in a new process."""
    command = [sys.executable, __file__, "one", name, "--threads", str(options.threads)]
    more = ["--repeat", str(options.repeat), "--metric", options.metric, "--rules", options.rules]
    done = subprocess.run(
        [*command, *more],
        check=True,
        capture_output=True,
        text=True,
    )
    return dict(json.loads(done.stdout))


def peer_seconds(folder: Path, name: str, rules: str, threads: int) -> float | None:
    """Return how long Syzygy's generator takes for a material, or None if it fails."""
    white, black = name[1:].split("K")
    program = folder / f"{PEERS[rules]}{'p' if 'P' in name else ''}"
    command = [str(program.resolve()), "-g", "-t", str(threads), f"K{white}vK{black}"]
    with tempfile.TemporaryDirectory() as scratch:
        start = time.perf_counter()
        done = subprocess.run(command, cwd=scratch, capture_output=True, text=True, check=False)
        seconds = time.perf_counter() - start
    failed = done.returncode != 0 or "Missing table" in done.stdout + done.stderr
    return None if failed else seconds


def show(rows: list[dict[str, Any]]) -> None:
    """Print the figures as a table."""
    from rich.console import Console
    from rich.table import Table

    table = Table(title="Generation, warm, sub-tables in memory")
    for heading in (
        "material", "positions", "plies", "seconds", "M pos/s", "x copy", "peer s", "ratio",
        "peak MB",
    ):  # fmt: skip
        table.add_column(heading, justify="left" if heading == "material" else "right")
    for row in rows:
        peer = row.get("peer_seconds")
        table.add_row(
            row["material"],
            f"{row['positions']:,}",
            str(row["plies"]),
            f"{row['seconds']:.3f}",
            f"{row['positions_per_second'] / 1e6:.1f}",
            f"{row['times_lower_bound']:.0f}",
            f"{peer:.2f}" if peer else "-",
            f"{peer / row['seconds']:.1f}" if peer else "-",
            f"{row['peak_megabytes']:.0f}",
        )
    Console(width=170).print(table)


def generate(arguments: argparse.Namespace) -> None:
    """Measure generation."""
    rows = []
    for name in arguments.materials or DEFAULT:
        row = measure_alone(name.upper(), arguments)
        if arguments.peer:
            row["peer_seconds"] = peer_seconds(
                arguments.peer, name.upper(), arguments.rules, arguments.threads
            )
        rows.append(row)
    if arguments.save:
        game = "" if arguments.rules == "chess" else f"_{arguments.rules}"
        print(measurement.save(f"generate{game}", rows))
    elif arguments.json:
        sys.stdout.write(json.dumps(rows, indent=1) + "\n")
    else:
        show(rows)


@reader_may_leave()
def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("generate", "one"):
        command = commands.add_parser(name)
        command.add_argument("materials", nargs="*", metavar="MATERIAL")
        command.add_argument("--threads", type=int, default=os.cpu_count() or 1)
        command.add_argument("--repeat", type=int, default=3, help="solutions; the best counts")
        command.add_argument("--metric", choices=("dtm", "dtz"), default="dtm")
        command.add_argument("--rules", choices=tuple(PEERS), default="chess")
        command.add_argument("--peer", type=Path, help="folder with Syzygy's generators")
        command.add_argument("--json", action="store_true")
        command.add_argument("--save", action="store_true", help="into benchmarks/results")
    for name in OTHERS:
        commands.add_parser(name, add_help=False)
    arguments, rest = parser.parse_known_args()
    if arguments.command in OTHERS:
        sys.path.insert(0, str(Path(__file__).parent))
        importlib.import_module(f"benchmark_{arguments.command}").main(rest)
    elif arguments.command == "one":
        (name,) = arguments.materials
        result = measure(
            name, arguments.rules, arguments.threads, arguments.repeat, arguments.metric
        )
        sys.stdout.write(json.dumps(result) + "\n")
    else:
        generate(arguments)


if __name__ == "__main__":
    main()
