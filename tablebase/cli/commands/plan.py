"""``tablebase plan``: the sub-tables of tables, and the cost of building them."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING

from tablebase.cli.arguments import Parser, add_json, thread_count, whole_number
from tablebase.cli.choice import add_materials, add_rules, choose
from tablebase.cli.terminal import new_table, print_json, show
from tablebase.core.ground.errors import InvalidMaterialError
from tablebase.core.ground.words import bytes_in_words as size_in_words
from tablebase.core.ground.words import counted, time_in_words

if TYPE_CHECKING:
    from tablebase.core.building.graph import BuildGraph
    from tablebase.core.rules.material import Material

DEFAULT_MEN = 5
# Planning goes further than building: the graph has no limit, but its times become guesses.
MAX_PLANNED_MEN = 7
MAX_NAMED_MEN = 10  # of one material, whose sub-tables are far fewer
WORKERS = [1, 4, 16, 64]
MAX_WORKERS = 100_000


def add_arguments(command: Parser) -> None:
    """Add the arguments of the command to its parser."""
    examples = {
        "--men 5": "up to five pieces, on 1 to 64 workers",
        "KQRKR --list": "every sub-table of one table",
        "--workers 2 8 KPPKP": "the time on 2 and on 8 workers",
        "--men 4 --dot": "the graph for Graphviz",
    }
    command.set_up(run, examples, "planning builds")
    text = f"like KRK or KRvKN (default: all of up to {DEFAULT_MEN} pieces)"
    add_materials(command, nargs="*", text=text)
    add_rules(command)
    command.add_argument(
        "--men",
        type=_men,
        metavar="N",
        help=f"all materials of up to N pieces, at most {MAX_PLANNED_MEN}",
    )
    command.add_argument(
        "--threads",
        type=thread_count,
        default=1,
        metavar="N",
        help="number of threads of each build (default: 1)",
    )
    command.add_argument(
        "--workers",
        type=_count_or_name,
        nargs="+",
        default=WORKERS,
        metavar="N",
        help=f"numbers of workers to simulate (default: {' '.join(map(str, WORKERS))})",
    )
    command.add_argument("--list", action="store_true", help="list every table")
    form = command.add_mutually_exclusive_group()
    add_json(form)
    form.add_argument("--dot", action="store_true", help="print the graph for Graphviz")


def run(arguments: argparse.Namespace) -> int:
    """Carry the command out."""
    from tablebase.core.building.graph import plan

    graph = plan(_materials(arguments), threads=arguments.threads)
    workers = [count for count in arguments.workers if isinstance(count, int)] or WORKERS
    if arguments.dot:
        print(graph.as_dot())
    elif arguments.json:
        print_json(graph.as_dict() | {"schedules": _schedules(graph, workers)})
    else:
        if arguments.list:
            _show_builds(graph)
        _show_totals(graph)
        _show_path(graph)
        _show_schedules(graph, workers)
        _show_source(graph)
        _show_obstacles(graph)
    return 0


def _materials(arguments: argparse.Namespace) -> list[Material]:
    after_workers = [name for name in arguments.workers if isinstance(name, str)]
    names = [*arguments.names, *after_workers]
    men = arguments.men or (0 if names else DEFAULT_MEN)
    choice = replace(choose(arguments), names=names, men=men)
    for one in choice.materials:
        if one.piece_count > MAX_NAMED_MEN:
            raise InvalidMaterialError(
                f"{one} has {one.piece_count} pieces: plans cover up to {MAX_NAMED_MEN}"
            )
    return choice.materials


def _schedules(graph: BuildGraph, workers: list[int]) -> list[dict[str, float]]:
    from tablebase.core.building.schedule import simulate

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
    from tablebase.core.building.estimate import load_costs

    costs = load_costs()
    measured = sum(build.is_measured for build in graph.builds)
    others = f" The others are estimated, most within a factor of {costs.spread:.1f}."
    print(
        f"Times are those of {costs.machine}, {counted(costs.threads, 'thread')} a build; "
        f"{measured:,} of {len(graph):,} are measured.{'' if measured == len(graph) else others}"
    )


def _show_obstacles(graph: BuildGraph) -> None:
    obstacles = [build.obstacle for build in graph.builds if build.obstacle]
    if obstacles:
        part = f"{len(obstacles):,} of {counted(len(graph), 'table')}"
        print(f"Cannot be built yet: {part} ({obstacles[0]}).")


def _men(text: str) -> int:
    return whole_number(text, 2, MAX_PLANNED_MEN)


def _count_or_name(text: str) -> int | str:
    """Return a number of workers, or a text that names a further material."""
    return text if text[:1].isalpha() else whole_number(text, 1, MAX_WORKERS)
