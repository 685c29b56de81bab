"""Measure the programs in examples/ that check tables by themselves.

Usage: python scripts/benchmark_checkers.py FOLDER [--save]

FOLDER has the tables of up to four men. The program in C is compiled first, with the command in its
first comment. Times are processor time, because other work on the machine hardly changes it.
"""

from __future__ import annotations

import argparse
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from measurement import save

from tablebase.core.ground.streams import reader_may_leave

ROOT = Path(__file__).parents[1]
IN_PYTHON, IN_C = ROOT / "examples/check_table.py", ROOT / "examples/check_table.c"
SAMPLE = 1000


def measured(program: str, what: str, command: list[str | Path]) -> dict[str, Any]:
    """Return the processor time of a command, and the number of positions that it prints."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    positions = sum(int(number) for number in re.findall(r": (\d+) positions", done.stdout))
    if not positions:
        raise SystemExit(f"{program} checked no position of {what}: {done.stdout.strip()!r}")
    print(f"{program}, {what}: {positions:,} positions, {seconds:.1f} s", flush=True)
    return {"program": program, "what": what, "positions": positions, "seconds": round(seconds, 1)}


def compiled(folder: Path) -> Path:
    """Compile the program in C; return it."""
    (command,) = re.findall(r"^ \*     (cc .*) && ", IN_C.read_text(encoding="utf-8"), re.MULTILINE)
    program = folder / "check_table"
    words = [str(program) if word == "check_table" else word for word in command.split()]
    subprocess.run(words, cwd=ROOT, check=True)
    return program


def main() -> None:
    """Measure the three ways, and print or save them."""
    parser = argparse.ArgumentParser(description=__doc__, usage=argparse.SUPPRESS)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--save", action="store_true", help="write benchmarks/results")
    arguments = parser.parse_args()
    tables = [path for path in sorted(arguments.folder.glob("K*.h5")) if len(path.stem) <= 4]
    several = f"{len(tables)} tables of up to four men"
    python: list[str | Path] = [sys.executable, IN_PYTHON]
    sample: list[str | Path] = ["--positions", str(SAMPLE)]
    with tempfile.TemporaryDirectory() as folder:
        results = [
            measured("check_table.py", "KRK, all positions",
                     [*python, arguments.folder / "KRK.h5"]),
            measured("check_table.py", f"{several}, {SAMPLE:,} positions of each",
                     [*python, *sample, *tables]),
            measured("check_table.c", f"{several}, all positions",
                     [compiled(Path(folder)), *tables]),
        ]  # fmt: skip
    if arguments.save:
        save("checkers", results)


if __name__ == "__main__":
    with reader_may_leave():
        main()
