"""``tablebase plan``: which tables need which, what that takes, and how long on some workers."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from tablebase.arguments import new_command, positive_number
from tablebase.terminal import new_table, print_json, show
from tablebase.words import bytes_in_words as size_in_words
from tablebase.words import time_in_words

if TYPE_CHECKING:
    from tablebase.graph import BuildGraph
    from tablebase.material import Material

DEFAULT_MEN = 5
# Planning goes further than building: the graph has no limit, but its times become guesses.
MAX_PLANNED_MEN = 7
WORKERS = (1, 4, 16, 64)


def add_parser(commands: Any) -> None:
    """Add the command to the parser's commands."""
    text = "show which tables need which, and what building them takes"
    command = new_command(commands, "plan", run, text)
    command.add_argument(
        "materials",
        metavar="MATERIAL",
        nargs="*",
        help="like KRK or KRvKN (default: all of up to 5 men)",
    )
    command.add_argument(
        "--men", type=_men, metavar="N", help="all materials of up to N men, at most 7"
    )
    command.add_argument(
        "--threads", type=positive_number, default=1, metavar="N", help="of each build (default: 1)"
    )
    command.add_argument(
        "--workers",
        type=positive_number,
        nargs="+",
        default=WORKERS,
        metavar="N",
        help="simulate so many workers (default: 1 4 16 64)",
    )
    command.add_argument("--list", action="store_true", help="show each table")
    form = command.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print JSON for programs")
    form.add_argument("--dot", action="store_true", help="print the graph for Graphviz")


def _men(text: str) -> int:
    number = int(text)
    if not 2 <= number <= MAX_PLANNED_MEN:
        raise argparse.ArgumentTypeError(f"plans have 2 to {MAX_PLANNED_MEN} men")
    return number


def _materials(arguments: argparse.Namespace) -> list[Material]:
    from tablebase.material import Material, all_materials

    chosen = [Material.from_name(name) for name in arguments.materials]
    men = arguments.men or (1 if chosen else DEFAULT_MEN)
    return [*chosen, *(one for count in range(2, men + 1) for one in all_materials(count))]


def run(arguments: argparse.Namespace) -> int:
    """Carry the command out."""
    from tablebase.graph import plan

    graph = plan(_materials(arguments), threads=arguments.threads)
    if arguments.dot:
        print(graph.as_dot())
    elif arguments.json:
        print_json(graph.as_dict() | {"schedules": _schedules(graph, arguments.workers)})
    else:
        if arguments.list:
            _show_builds(graph)
        _show_totals(graph)
        _show_path(graph)
        _show_schedules(graph, arguments.workers)
        _show_source(graph)
    return 0


def _show_builds(graph: BuildGraph) -> None:
    table = new_table("material", "needs", "slots", "time", "memory", "disk", left=2)
    for build in graph.builds:
        table.add_row(
            build.material.name,
            " ".join(needed.name for needed in build.subtables),
            f"{build.slots:,}",
            ("" if build.is_measured else "~") + time_in_words(build.seconds),
            size_in_words(build.memory),
            size_in_words(build.disk),
        )
    show(table)


def _show_totals(graph: BuildGraph) -> None:
    table = new_table("men", "tables", "slots", "in sequence", "most memory", "disk")
    counts = sorted({material.piece_count for material in graph})
    for men in [*counts, None]:
        builds = [b for b in graph.builds if men in {None, b.material.piece_count}]
        table.add_row(
            "all" if men is None else str(men),
            f"{len(builds):,}",
            f"{sum(build.slots for build in builds):,}",
            time_in_words(sum(build.seconds for build in builds)),
            size_in_words(max(build.memory for build in builds)),
            size_in_words(sum(build.disk for build in builds)),
            end_section=men == counts[-1],
        )
    show(table)


def _show_path(graph: BuildGraph) -> None:
    path = graph.critical_path()
    seconds = time_in_words(sum(graph[material].seconds for material in path))
    print(f"critical path: {' '.join(material.name for material in path)}, {seconds}")


def _schedules(graph: BuildGraph, workers: list[int]) -> list[dict[str, float]]:
    from tablebase.schedule import simulate

    found = []
    for count in workers:
        schedule = simulate(graph, count)
        found.append(
            {
                "workers": count,
                "seconds": round(schedule.seconds, 2),
                "speedup": round(graph.seconds / schedule.seconds, 2),
                "efficiency": round(schedule.efficiency, 3),
            }
        )
    return found


def _show_schedules(graph: BuildGraph, workers: list[int]) -> None:
    table = new_table("workers", "time", "speed-up", "utilisation")
    for one in _schedules(graph, workers):
        table.add_row(
            f"{one['workers']:,}",
            time_in_words(one["seconds"]),
            f"{one['speedup']:.1f}",
            f"{one['efficiency']:.0%}",
        )
    show(table)


def _show_source(graph: BuildGraph) -> None:
    from tablebase.estimate import load_costs

    costs = load_costs()
    measured = sum(build.is_measured for build in graph.builds)
    others = f", the others by a law that is right within a factor of {costs.spread:.1f} for most"
    print(
        f"Times as on {costs.machine}, {costs.threads} threads a build: {measured:,} of "
        f"{len(graph):,} measured{'' if measured == len(graph) else others}."
    )
