"""``tablebase build``: build tables, and the sub-tables that they need."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tablebase.arguments import add_build_arguments, chosen_materials, new_command
from tablebase.terminal import legal_positions, longest_win, new_table, show, size_in_words

if TYPE_CHECKING:
    from tablebase.generate import Built, Event, Step

# From here on a solution that has not begun is waiting for its kernels.
COMPILING_AFTER = 2.0


def add_parser(commands: Any) -> None:
    """Add the command to the parser's commands."""
    command = new_command(commands, "build", run, "build tables, and the sub-tables that they need")
    add_build_arguments(command)
    command.add_argument(
        "--estimate", action="store_true", help="only say what it takes: memory and disk"
    )


def run(arguments: argparse.Namespace) -> int:
    """Carry the command out."""
    from tablebase.generate import generate, plan

    materials = chosen_materials(arguments)
    if arguments.estimate:
        steps = plan(materials, arguments.dir, threads=arguments.threads, force=arguments.force)
        _show_estimate(steps)
        return 0
    with _showing_progress() as report:
        built = generate(
            materials,
            arguments.dir,
            threads=arguments.threads,
            force=arguments.force,
            memory=arguments.memory,
            report=report,
        )
    _show_built(built)
    if all(table.seconds is None for table in built):
        print(f"Nothing to do: all {len(built)} tables are in {arguments.dir}.")
    return 0


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
    text = f"{event.material.name} {event.stage.value}"
    if progress is None:
        return text
    if not progress.slices_done and not progress.ply:
        waiting = seconds > COMPILING_AFTER
        return f"{text} (compiling the engine, on first use only)" if waiting else text
    if progress.slices > 1:
        return f"{text} slice {progress.slices_done:,} of {progress.slices:,}"
    return f"{text} ply {progress.ply}"


@contextmanager
def _showing_progress() -> Iterator[Callable[[Event], None]]:
    """Give a function that shows events: a bar on a terminal, else a line for each material."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    stage: list[Any] = [None, 0.0]

    def seconds(event: Event) -> float:
        now = (event.material, event.stage)
        if stage[0] != now:
            stage[:] = now, time.monotonic()
        return time.monotonic() - float(stage[1])

    if not console.is_terminal:
        said: set[str] = set()

        def say(event: Event) -> None:
            line = describe_event(event, seconds(event))
            topic = "compiling" if "compiling" in line else event.material.name
            if topic not in said:
                said.add(topic)
                print(f"[{event.number + 1}/{event.total}] {line}", file=sys.stderr, flush=True)

        yield say
        return
    columns = (BarColumn(30), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(
        *columns, TextColumn("{task.description}"), console=console, transient=True
    ) as bar:
        task = bar.add_task("starting", total=None)

        def update(event: Event) -> None:
            text = describe_event(event, seconds(event))
            bar.update(task, description=text, completed=event.number, total=event.total)

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
