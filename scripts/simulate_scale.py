"""Simulate building all tables on 1 to 64 workers; scripts/figures.py puts a part on a page.

The costs are those in tablebase/core/building/costs.json; run this again
after ``scripts/fit_costs.py``.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterable, Sequence

from tablebase.core.building.estimate import load_costs
from tablebase.core.building.graph import BuildGraph, plan
from tablebase.core.building.schedule import simulate
from tablebase.core.ground.streams import reader_may_leave
from tablebase.core.ground.words import bytes_in_words, time_in_words
from tablebase.core.rules.material import all_materials

WORKERS = (1, 4, 16, 64)


def up_to(men: int, threads: int) -> BuildGraph:
    """Return the graph of all tables of three men to `men`."""
    materials = [one for count in range(3, men + 1) for one in all_materials(count)]
    return plan(materials, threads=threads)


def print_rows(header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table in Markdown, numbers to the right."""
    print(f"| {' | '.join(header)} |")
    print(f"|{'|'.join(['---:'] * len(header))}|")
    for row in rows:
        print(f"| {' | '.join(row)} |")
    print()


def describe(men: int, threads: int, overhead: float) -> None:
    """Print what is known of all tables of up to `men` men."""
    graph = up_to(men, threads)
    path = graph.critical_path()
    longest = sum(graph[material].seconds for material in path)
    measured = sum(build.seconds for build in graph.builds if build.is_measured)
    print(f"### Three to {men} men\n")
    print(
        f"{len(graph):,} tables with KK, {graph.slots:.3g} slots, files of at most "
        f"{bytes_in_words(graph.disk)}. In sequence they take "
        f"{time_in_words(graph.seconds)}, "
        f"{measured / graph.seconds:.0%} of it measured. The critical path, "
        f"{time_in_words(longest)}, is {' '.join(material.name for material in path)}.\n"
    )
    rows = []
    for workers in WORKERS:
        schedule = simulate(graph, workers, overhead=overhead)
        speedup = graph.seconds / schedule.seconds
        bound = min(workers, graph.seconds / longest)
        rows.append(
            (
                f"{workers}",
                time_in_words(schedule.seconds),
                f"{speedup:.1f}",
                f"{bound:.1f}",
                f"{schedule.efficiency:.0%}",
            )
        )
    print_rows(("workers", "time", "speed-up", "at most", "utilisation"), rows)


@reader_may_leave()
def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables and return the exit code."""
    parser = argparse.ArgumentParser(description="Simulate building all tables on many workers.")
    parser.add_argument("--men", type=int, nargs="+", default=[5, 6], metavar="N")
    parser.add_argument("--overhead", type=float, default=0.0, help="seconds a build, in addition")
    options = parser.parse_args(arguments)
    costs = load_costs()
    print(
        f"One worker is {costs.machine}, {costs.threads} threads ({costs.date}); "
        f"{math.ceil(1000 * options.overhead)} ms of overhead a build.\n"
    )
    for men in options.men:
        describe(men, costs.threads, options.overhead)
    return 0


if __name__ == "__main__":
    sys.exit(main())
