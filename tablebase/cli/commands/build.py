"""``tablebase build``: build tables, and the sub-tables that they need."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from tablebase.cli.arguments import (
    BOTH,
    METRIC_CHOICES,
    Parser,
    add_threads,
    men_count,
    parse_size,
    thread_count,
)
from tablebase.cli.choice import SEARCHED, add_directory, add_materials, add_rules, choose
from tablebase.cli.terminal import legal_positions, longest_win, new_table, print_json, show
from tablebase.core.ground.errors import TablebaseError
from tablebase.core.ground.seams import EXECUTORS, load
from tablebase.core.ground.words import bytes_in_words, counted, time_in_words

if TYPE_CHECKING:
    from rich.console import Console

    from tablebase.core.building.builder import Built, Stage
    from tablebase.core.building.executors import Executor
    from tablebase.core.building.progress import Event
    from tablebase.core.building.steps import BuildStep
    from tablebase.core.rules.material import Material

# Seconds without a first ply after which we say that kernels are being compiled.
COMPILING_AFTER = 2.0
# Builds under way that one line has room for.
MOST_SHOWN = 3
_DEFAULT_MEMORY = (
    "The peak includes sub-tables kept for later tables, in up to half of the free memory.\n"
    "With a lower limit, set with --memory, the build reads them again when it needs them."
)


class _Clock:
    """Measures how long each material has been in its stage."""

    def __init__(self) -> None:
        self._since: dict[Material, tuple[Stage | None, float]] = {}

    def seconds(self, event: Event) -> float:
        now = time.monotonic()
        stage, since = self._since.get(event.material, (None, now))
        if stage is not event.stage:
            since = now
        self._since[event.material] = event.stage, since
        return now - since


def add_arguments(command: Parser) -> None:
    """Add the arguments of the command to its parser."""
    examples = {
        "KQKR KPPKP": "two tables and their sub-tables",
        "--men 4 --dir tables": "all 36 tables of up to four pieces",
        "--men 5 --estimate": "time, memory and disk space needed",
    }
    command.set_up(run, examples, resumes=True)
    add_build_arguments(command)
    estimate = command.add_argument_group("estimate")
    estimate.add_argument(
        "--estimate",
        action="store_true",
        help="estimate time, memory and disk space, and build nothing",
    )
    estimate.add_argument(
        "--json", action="store_true", help="with --estimate: print JSON for programs"
    )
    several = command.add_argument_group("several processes or machines")
    cluster = several.add_mutually_exclusive_group()
    cluster.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="build on the workers of this Dask scheduler, like tcp://host:8786",
    )
    cluster.add_argument(
        "--workers",
        type=thread_count,
        metavar="N",
        help="build in N parallel processes on this machine",
    )


def run(arguments: argparse.Namespace) -> int:
    """Carry the command out."""
    from tablebase.core.building.executors import LocalExecutor
    from tablebase.core.building.generator import generate
    from tablebase.core.building.steps import plan_steps
    from tablebase.core.outcomes.metrics import METRICS, distances_named

    choice = choose(arguments)
    materials, directory = choice.materials_to_build, choice.build_directory
    named = arguments.metric
    metrics = METRICS if named == BOTH else named and distances_named(named)
    if arguments.estimate:
        steps = plan_steps(
            materials,
            directory,
            metrics=metrics,
            threads=arguments.threads,
            force=arguments.force,
        )
        builder = LocalExecutor(threads=arguments.threads, memory=arguments.memory)
        peak = builder.peak_memory(steps)
        if arguments.json:
            print_json(_describe_steps(steps, peak))
        else:
            _show_estimate(steps, peak)
            if arguments.memory is None and peak:
                print(_DEFAULT_MEMORY)
        return 0
    if arguments.json:
        raise TablebaseError("--json needs --estimate: `tablebase info --json` describes tables")
    began = time.perf_counter(), time.process_time()
    with _executor(arguments) as executor, _showing_progress() as report:
        built = generate(
            materials,
            directory,
            metrics=metrics,
            threads=arguments.threads,
            force=arguments.force,
            memory=arguments.memory,
            report=report,
            executor=executor,
        )
    _show_built(built)
    missing = sum(table.seconds is not None for table in built)
    if not missing:
        all_built = f"all {len(built)} tables are" if len(built) > 1 else "the table is"
        print(f"Nothing to do: {all_built} in {directory}.")
        return 0
    text = f"{counted(missing, 'table')} built in {time.perf_counter() - began[0]:.1f} s"
    if executor is None:
        text += f" ({time.process_time() - began[1]:.1f} s of processor time)"
    print(text)
    return 0


def _describe_steps(steps: Sequence[BuildStep], peak: int) -> dict[str, Any]:
    """Return the cost of building as JSON types; `peak` is the memory of the whole."""
    missing = [step for step in steps if not step.exists]
    return {
        "to_build": len(missing),
        "seconds": round(sum(step.build.seconds for step in missing), 2),
        "memory_bytes": peak,
        "disk_bytes": sum(step.disk for step in missing),
        "tables": [
            {
                "material": step.material.name,
                "exists": step.exists,
                "slots": step.slots,
                "seconds": 0.0 if step.exists else round(step.build.seconds, 3),
                "memory_bytes": 0 if step.exists else step.memory,
                "disk_bytes": step.disk,
            }
            for step in steps
        ],
    }


def _show_estimate(steps: Sequence[BuildStep], peak: int) -> None:
    table = new_table("material", "slots", "time", "peak memory", "disk", "state")
    for step in steps:
        state = "exists" if step.exists else "to build"
        seconds = "" if step.exists else time_in_words(step.build.seconds)
        memory = "" if step.exists else bytes_in_words(step.memory)
        disk = bytes_in_words(step.disk)
        table.add_row(step.material.name, f"{step.slots:,}", seconds, memory, disk, state)
    missing = [step for step in steps if not step.exists]
    if missing:
        table.add_section()
        table.add_row(
            "to build",
            f"{sum(step.slots for step in missing):,}",
            time_in_words(sum(step.build.seconds for step in missing)),
            bytes_in_words(peak),
            bytes_in_words(sum(step.disk for step in missing)),
            str(len(missing)),
        )
    show(table)


def _executor(arguments: argparse.Namespace) -> AbstractContextManager[Executor | None]:
    """Return the executor of the builds, None for this process."""
    if not (arguments.scheduler or arguments.workers):
        return nullcontext()
    cluster: Any = load(EXECUTORS["cluster"], "building on several machines or processes")
    found: AbstractContextManager[Executor]
    if arguments.scheduler:
        found = cluster.ClusterExecutor(arguments.scheduler, threads=arguments.threads)
    else:
        workers, memory = arguments.workers, arguments.memory
        found = cluster.start_workers(workers, threads=arguments.threads, memory=memory)
    return found


@contextmanager
def _showing_progress() -> Iterator[Callable[[Event], None]]:
    """Give a function that shows events: a bar on a terminal, else a line for each table."""
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield _say_lines()
        return
    with _showing_bar(console) as update:
        yield update


def _say_lines() -> Callable[[Event], None]:
    """Return a function that prints a line for each table, and once that kernels are compiled."""
    clock = _Clock()
    compiling = False
    headings = ["[done/all]  material  positions  longest win  seconds  bytes"]

    def say(event: Event) -> None:
        nonlocal compiling
        if event.built is not None:
            while headings:
                print(headings.pop(), file=sys.stderr)
            line = "  ".join(filter(None, (event.material.name, *_describe_built(event.built))))
            print(f"[{event.number}/{event.total}]  {line}", file=sys.stderr, flush=True)
        elif not compiling and _is_compiling(event, clock.seconds(event)):
            compiling = True
            print(describe_event(event, COMPILING_AFTER), file=sys.stderr, flush=True)

    return say


def _describe_built(built: Built) -> tuple[str, str, str, str]:
    """Return the number of positions, longest win, seconds and bytes of a table in words."""
    counts = built.header.counts
    return (
        f"{legal_positions(counts):,}",
        longest_win(counts),
        "exists" if built.seconds is None else f"{built.seconds:.2f}",
        f"{built.path.stat().st_size:,}",
    )


def _is_compiling(event: Event, seconds: float) -> bool:
    """Return whether a stage that has lasted for some seconds is compiling kernels."""
    progress = event.progress
    begun = progress is None or progress.slices_done or progress.ply
    return not begun and seconds >= COMPILING_AFTER


def describe_event(event: Event, seconds: float) -> str:
    """Return one line about a stage that has lasted for some seconds."""
    progress = event.progress
    stage = "built" if event.stage is None else event.stage.value
    text = f"{event.material.name} {stage}"
    if _is_compiling(event, seconds):
        text += " (compiling the engine, on first use only)"
    elif progress is not None and progress.slices > 1:
        text += f" slice {progress.slices_done:,} of {progress.slices:,}"
    elif progress is not None:
        text += f" ply {progress.ply}"
    return f"{text} on {event.worker}" if event.worker else text


@contextmanager
def _showing_bar(console: Console) -> Iterator[Callable[[Event], None]]:
    """Give a function that shows events as a bar of the estimated time."""
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    clock = _Clock()
    under_way: dict[Material, str] = {}
    tables = TextColumn("{task.fields[tables]} tables")
    left = TimeRemainingColumn(), TextColumn("left")
    columns = (BarColumn(30), TaskProgressColumn(), tables, TimeElapsedColumn(), *left)
    text = TextColumn("{task.description}")
    with Progress(*columns, text, console=console, transient=True) as bar:
        task = bar.add_task("starting", total=None, tables="0")

        def update(event: Event) -> None:
            under_way.pop(event.material, None)
            if event.stage is not None:
                under_way[event.material] = describe_event(event, clock.seconds(event))
            bar.update(
                task,
                description=", ".join(list(under_way.values())[-MOST_SHOWN:]),
                completed=event.seconds + event.part_done,
                total=event.total_seconds,
                tables=f"{event.number}/{event.total}",
            )

        yield update


def _show_built(built: Iterable[Built]) -> None:
    table = new_table("material", "positions", "longest win", "seconds", "bytes")
    for one in built:
        table.add_row(one.material.name, *_describe_built(one))
    show(table)


def add_build_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that `build` and the batch script share."""
    add_materials(parser, nargs="*", text="like KRK or KRvKN (default: KK KRK KNNK KRNK KPK)")
    parser.add_argument(
        "--men",
        type=men_count,
        metavar="N",
        help="all materials of up to N pieces, kings and pawns included",
    )
    add_rules(parser)
    add_directory(parser, text=f"folder to build in (default: the first of {SEARCHED})")
    parser.add_argument(
        "--metric",
        choices=METRIC_CHOICES,
        help="distances to compute: to mate, to zeroing (for the 50-move rule), both, or to mate "
        "and who can still mate if both sides help (default: both; dtm for six pieces, and for "
        "games without the 50-move rule)",
    )
    add_threads(parser)
    parser.add_argument(
        "--force", action="store_true", help="rebuild tables that exist or are damaged"
    )
    parser.add_argument(
        "--memory",
        type=parse_size,
        metavar="SIZE",
        help="limit on memory, like 4G (default: half of what is free)",
    )
