"""Measure the build of a whole set of tables by stage, beside Prophet's generator.

Usage::

    python scripts/benchmark.py sets [--men N] [--metric dtm|dtz|both] [--threads N]
        [--prophet PROGRAM] [--cold] [--json | --save]

All materials of up to N men are built in an empty folder, in a process of its own. The tables of
three men are built before, so that the kernels are compiled; not with ``--cold``, which begins with
an empty cache of kernels. Processor time is that of all threads, the process included. A table is
written while the next one is solved, so the stages overlap.

Prophet (https://github.com/markus7800/prophet_tb_gen_and_probe, GPL-3) finds distances to mate, as
``--metric dtm`` does. To build it, clone it with its submodule and run ``make`` in ``zstd/``, then
``make gen OMP=1``. PROGRAM is ``build/gen_main.out``. Its tables of as many men are built right
after ours. It checks its tables as it goes; nothing of that is left out.

``--save`` keeps the figures of a set in benchmarks/results/sets.json, beside those of others.
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
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import measurement

from tablebase.core.ground.streams import reader_may_leave

if TYPE_CHECKING:
    from tablebase.core.building.builder import Stage
    from tablebase.core.building.progress import Event

METRICS = {"dtm": ("dtm",), "dtz": ("dtz",), "both": ("dtm", "dtz")}
WARM_UP = 3  # men of the set that compiles the kernels


class Used(NamedTuple):
    """What a program took, and what it printed."""

    wall_seconds: float
    processor_seconds: float
    megabytes: float  # resident at most
    printed: str


def use_of(command: Sequence[str | Path], **options: Any) -> Used:
    """Run a program; raise `subprocess.CalledProcessError` if it fails."""
    start = time.perf_counter()
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(command, stdout=output, **options)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.perf_counter() - start
        output.seek(0)
        printed = output.read()
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, list(map(str, command)), printed)
    return Used(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, printed)


def bytes_in(folder: Path) -> int:
    """Return the bytes of all files in a folder and below."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


class StageClock:
    """Adds up the wall time that tables spend in each stage of their build."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self._begun: dict[Any, tuple[Stage, float]] = {}

    def __call__(self, event: Event) -> None:
        """Take the next event of a build."""
        now = time.perf_counter()
        if event.material in self._begun:
            stage, begun = self._begun.pop(event.material)
            self.seconds[stage.value] += now - begun
        if event.stage is not None:
            self._begun[event.material] = event.stage, now


def build(men: int, metric: str, threads: int, folder: Path) -> dict[str, Any]:
    """Build a set in this process; return its numbers of tables and slots, and the stages."""
    from tablebase.core.building.generator import generate
    from tablebase.core.index.numbering import slot_count
    from tablebase.core.outcomes.metrics import metric_named
    from tablebase.core.rules.material import all_materials

    stages = StageClock()
    metrics = tuple(map(metric_named, METRICS[metric]))
    built = generate(all_materials(men), folder, metrics=metrics, threads=threads, report=stages)
    slots = sum(2 * slot_count(table.material) for table in built) * len(metrics)
    return {"tables": len(built), "slots": slots, "stages": dict(stages.seconds)}


def ours(options: argparse.Namespace, scratch: Path) -> dict[str, Any]:
    """Return the figures of our build."""
    environment = dict(os.environ)
    if options.cold:
        environment["NUMBA_CACHE_DIR"] = str(scratch / "kernels")

    def command(men: int, folder: str) -> list[str | Path]:
        choices = ["--men", str(men), "--metric", options.metric, "--threads", str(options.threads)]
        return [sys.executable, __file__, "build", *choices, scratch / folder]

    if not options.cold:
        use_of(command(WARM_UP, "warm-up"), env=environment)
    used = use_of(command(options.men, "ours"), env=environment)
    return {
        "men": options.men,
        "metric": options.metric,
        "threads": options.threads,
        "cold": options.cold,
        **used._asdict(),
        **json.loads(used.printed),
        "bytes": bytes_in(scratch / "ours"),
    }


def prophets(options: argparse.Namespace, scratch: Path) -> dict[str, Any]:
    """Return the figures of Prophet's build."""
    folder = scratch / "prophet"
    folder.mkdir()
    program, threads = options.prophet.resolve(), str(options.threads)
    men = options.men - len("KK")  # Prophet counts men without the kings
    used = use_of([program, folder, str(men), threads], cwd=scratch)
    return {**used._asdict(), "bytes": bytes_in(folder)}


def measured(options: argparse.Namespace) -> dict[str, Any]:
    """Return the figures of a set."""
    with tempfile.TemporaryDirectory(dir=options.scratch) as scratch:
        row = ours(options, Path(scratch))
        if options.prophet:
            row["prophet"] = prophets(options, Path(scratch))
            row["prophet"].pop("printed")
    row.pop("printed")
    return row


def show(row: dict[str, Any]) -> None:
    """Print the figures as a table."""
    from rich.console import Console
    from rich.table import Table

    table = Table(title=f"{row['tables']} tables of up to {row['men']} men, {row['metric']}")
    for heading in ("", "processor s", "ratio", "wall s", "MB of files", "peak MB"):
        table.add_column(heading, justify="right" if heading else "left")
    for name, one in (("ours", row), ("Prophet", row.get("prophet"))):
        if one:
            table.add_row(
                name,
                f"{one['processor_seconds']:,.1f}",
                f"{one['processor_seconds'] / row['processor_seconds']:.1f}",
                f"{one['wall_seconds']:,.1f}",
                f"{one['bytes'] / 1e6:,.1f}",
                f"{one['megabytes']:,.0f}",
            )
    console = Console(width=100)
    console.print(table)
    stages = ", ".join(f"{stage} {seconds:,.1f} s" for stage, seconds in row["stages"].items())
    console.print(f"Wall time of our stages, which overlap: {stages}.")


@reader_may_leave()
def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="benchmark.py sets", description=__doc__.splitlines()[0])
    parser.add_argument("--men", type=int, default=4, choices=(3, 4, 5))
    parser.add_argument("--metric", choices=METRICS, default="dtm")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--prophet", type=Path, metavar="PROGRAM", help="Prophet's gen_main.out")
    parser.add_argument("--cold", action="store_true", help="compile the kernels, too")
    parser.add_argument("--scratch", type=Path, help="folder for the tables, removed afterwards")
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    parser.add_argument("--save", action="store_true", help="into benchmarks/results")
    options = parser.parse_args(arguments)
    if options.prophet and options.metric != "dtm":
        parser.error("Prophet finds distances to mate: use --metric dtm")
    row = measured(options)
    if options.save:
        name = f"{row['men']} men, {row['metric']}{', cold' * row['cold']}"
        exists = (measurement.RESULTS / "sets.json").exists()
        kept = measurement.load("sets")["results"] if exists else {}
        print(measurement.save("sets", kept | {name: row}))
    elif options.json:
        sys.stdout.write(json.dumps(row, indent=1) + "\n")
    else:
        show(row)


def build_alone(arguments: Sequence[str]) -> None:
    """Build a set and print its figures as JSON; the process that is measured."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--men", type=int)
    parser.add_argument("--metric")
    parser.add_argument("--threads", type=int)
    parser.add_argument("folder", type=Path)
    options = parser.parse_args(arguments)
    found = build(options.men, options.metric, options.threads, options.folder)
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    if sys.argv[1:2] == ["build"]:
        build_alone(sys.argv[2:])
    else:
        main()
