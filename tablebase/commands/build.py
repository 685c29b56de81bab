"""``tablebase build``: build tables, and the sub-tables that they need."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from tablebase.arguments import (
    add_build_arguments,
    chosen_materials,
    new_command,
    positive_number,
)
from tablebase.terminal import legal_positions, longest_win, new_table, show
from tablebase.words import bytes_in_words as size_in_words

if TYPE_CHECKING:
    from rich.console import Console

    from tablebase.generate import Built, Event, Executor, Stage, Step
    from tablebase.material import Material

# From here on a solution that has not begun is waiting for its kernels.
COMPILING_AFTER = 2.0
# Builds under way that one line has room for.
MOST_SHOWN = 3


def add_parser(commands: Any) -> None:
    """Add the command to the parser's commands."""
    command = new_command(commands, "build", run, "build tables, and the sub-tables that they need")
    add_build_arguments(command)
    command.add_argument(
        "--estimate", action="store_true", help="only say what it takes: memory and disk"
    )
    cluster = command.add_mutually_exclusive_group()
    cluster.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="build on the workers of this Dask scheduler, like tcp://host:8786",
    )
    cluster.add_argument(
        "--workers",
        type=positive_number,
        metavar="N",
        help="build side by side in N processes of this machine",
    )


def run(arguments: argparse.Namespace) -> int:
    """Carry the command out."""
    from tablebase.generate import generate, survey

    materials = chosen_materials(arguments)
    if arguments.estimate:
        steps = survey(materials, arguments.dir, threads=arguments.threads, force=arguments.force)
        _show_estimate(steps)
        return 0
    with _executor(arguments) as executor, _showing_progress() as report:
        built = generate(
            materials,
            arguments.dir,
            threads=arguments.threads,
            force=arguments.force,
            memory=arguments.memory,
            report=report,
            executor=executor,
        )
    _show_built(built)
    if all(table.seconds is None for table in built):
        print(f"Nothing to do: all {len(built)} tables are in {arguments.dir}.")
    return 0


def _executor(arguments: argparse.Namespace) -> AbstractContextManager[Executor | None]:
    """Return who builds; None is this process."""
    if arguments.scheduler:
        from tablebase.cluster import ClusterExecutor

        return ClusterExecutor(arguments.scheduler, threads=arguments.threads)
    if arguments.workers:
        from tablebase.cluster import start_workers

        return start_workers(arguments.workers, threads=arguments.threads, memory=arguments.memory)
    return nullcontext()


def _show_estimate(steps: Sequence[Step]) -> None:
    table = new_table("material", "positions", "peak memory", "disk", "state")
    for step in steps:
        state = "exists" if step.exists else "to build"
        memory = "" if step.exists else size_in_words(step.memory)
        disk = size_in_words(step.disk)
        table.add_row(step.material.name, f"{step.positions:,}", memory, disk, state)
    missing = [step for step in steps if not step.exists]
    if missing:
        table.add_section()
        table.add_row(
            "to build",
            f"{sum(step.positions for step in missing):,}",
            size_in_words(max(step.memory for step in missing)),
            size_in_words(sum(step.disk for step in missing)),
            str(len(missing)),
        )
    show(table)


def describe_event(event: Event, seconds: float) -> str:
    """Return one line about a stage that has lasted for some seconds."""
    progress = event.progress
    stage = "built" if event.stage is None else event.stage.value
    text = f"{event.material.name} {stage}"
    if progress is not None and not progress.slices_done and not progress.ply:
        if seconds > COMPILING_AFTER:
            text += " (compiling the engine, on first use only)"
    elif progress is not None and progress.slices > 1:
        text += f" slice {progress.slices_done:,} of {progress.slices:,}"
    elif progress is not None:
        text += f" ply {progress.ply}"
    return f"{text} on {event.worker}" if event.worker else text


class _Clock:
    """Tells how long each material has been in its stage."""

    def __init__(self) -> None:
        self._since: dict[Material, tuple[Stage | None, float]] = {}

    def seconds(self, event: Event) -> float:
        now = time.monotonic()
        stage, since = self._since.get(event.material, (None, now))
        if stage is not event.stage:
            since = now
        self._since[event.material] = event.stage, since
        return now - since


@contextmanager
def _showing_progress() -> Iterator[Callable[[Event], None]]:
    """Give a function that shows events: a bar on a terminal, else a line for each material."""
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield _say_lines()
        return
    with _showing_bar(console) as update:
        yield update


def _say_lines() -> Callable[[Event], None]:
    clock = _Clock()
    begun: set[Material] = set()
    topics: set[object] = set()

    def say(event: Event) -> None:
        if event.stage is None:
            return
        line = describe_event(event, clock.seconds(event))
        topic = "compiling" if "compiling" in line else event.material
        begun.add(event.material)
        if topic not in topics:
            topics.add(topic)
            print(f"[{len(begun)}/{event.total}] {line}", file=sys.stderr, flush=True)

    return say


@contextmanager
def _showing_bar(console: Console) -> Iterator[Callable[[Event], None]]:
    """Give a function that shows events as a bar: as much of it as positions are done."""
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    clock = _Clock()
    under_way: dict[Material, str] = {}
    tables = TextColumn("{task.fields[tables]} tables")
    columns = (BarColumn(30), TaskProgressColumn(), tables, TimeElapsedColumn())
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
                completed=event.positions,
                total=event.total_positions,
                tables=f"{event.number}/{event.total}",
            )

        yield update


def _show_built(built: Iterable[Built]) -> None:
    from tablebase.storage import open_table

    table = new_table("material", "positions", "longest win", "seconds", "bytes")
    for result in built:
        with open_table(result.path) as file:
            attributes = file.attributes
        table.add_row(
            result.material.name,
            f"{legal_positions(attributes):,}",
            longest_win(attributes),
            "exists" if result.seconds is None else f"{result.seconds:.2f}",
            f"{result.path.stat().st_size:,}",
        )
    show(table)
