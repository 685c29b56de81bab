"""Change files, requests and lines by chance, and see whether the program answers right or refuses.

Usage::

    python scripts/fuzz.py [--seconds N | --cases N] [--seed N] [--only TARGET ...] [--case N]
        [--keep FOLDER]

Each target makes valid input, changes it, and judges what the program does with it: an answer must
be right, or the input refused as the documentation says. Anything else is a failure: a wrong
answer, another exception, a crash, no answer for minutes, too much memory, a process that stays
behind; and so is a target of which no case was tried. Case K of a seed is the same in each run;
the time decides only how many cases there are, and with --cases there are as many of each target.
Input that failed is kept in a folder, and printed with the command that tries it again. Memory is
bounded on Linux alone, and groups of processes need POSIX.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fuzzing.checkers import Checkers
from fuzzing.exported import Exported
from fuzzing.games import Games
from fuzzing.proofs import Proofs
from fuzzing.published import NODE, Published
from fuzzing.regions import Regions
from fuzzing.rule_files import RuleFiles
from fuzzing.servers import Servers
from fuzzing.tables import LongTables, Tables
from fuzzing.target import FAILURE, REFUSED, RIGHT, Target
from fuzzing.uci import Uci
from fuzzing.web import Web
from fuzzing.worker import Outcome, Worker

from tablebase.core.ground.streams import reader_may_leave

TARGETS: tuple[type[Target], ...] = (
    *(Tables, LongTables, Regions, Exported, Web, Uci),
    *(Proofs, RuleFiles, Checkers, Games, Servers),
    *([Published] if NODE else []),
)
SECONDS, SEED = 60.0, 1
LIMIT = 120.0  # seconds after which a case counts as hanging
KEEP = Path("build/fuzz")
MOST_SHOWN = 3  # cases of each kind of failure

# A case that failed, and what happened; no number if it was not one case.
Failure = tuple[int | None, Outcome]


@dataclass
class Tally:
    """What became of the cases of a target."""

    name: str
    counts: Counter[str] = field(default_factory=Counter)
    failures: list[Failure] = field(default_factory=list)

    def add(self, case: int | None, outcome: Outcome) -> None:
        """Add what became of a case."""
        self.counts[outcome.verdict] += 1
        if outcome.verdict == FAILURE:
            self.failures.append((case, outcome))


@dataclass(frozen=True)
class Attack:
    """How targets are attacked."""

    base: Path  # a folder for the targets' files
    keep: Path  # a folder for failures
    seed: int = SEED  # of the random numbers
    limit: float = LIMIT  # seconds after which a case counts as hanging

    def run(self, target: type[Target], tally: Tally, cases: Iterable[int], until: float) -> None:
        """Try cases of a target, one at least, until `until`, as `time.monotonic` has it."""
        worker: Worker | None = None
        try:
            for case in cases:
                if tally.counts and time.monotonic() >= until:
                    break
                if worker is None or not worker.is_alive:
                    worker = Worker(target, self.base, self.seed, self.limit)
                outcome = worker.ask(case)
                tally.add(case, outcome)
                if outcome.verdict == FAILURE:
                    kept = self.keep / self.name_of(target.name, case)
                    shutil.rmtree(kept, ignore_errors=True)
                    shutil.copytree(worker.folder, kept)
            if worker is not None and worker.is_alive and not worker.stop():
                tally.add(None, Outcome(FAILURE, what="a process was left behind"))
        except RuntimeError as error:
            tally.add(None, Outcome(FAILURE, what=str(error)))
        finally:
            if worker is not None:
                worker.kill()

    def name_of(self, target: str, case: int) -> str:
        """Return the folder of a case that failed."""
        return f"{target}-{self.seed}-{case}"


def in_columns(tallies: Sequence[Tally]) -> list[str]:
    """Return the lines of a table of what became of all cases."""
    verdicts = REFUSED, RIGHT, FAILURE
    rows = [("target", "cases", "refused", "right", "failures")]
    for tally in tallies:
        numbers = tally.counts.total(), *(tally.counts[verdict] for verdict in verdicts)
        rows.append((tally.name, *(f"{number:,}" for number in numbers)))
    return [f"{row[0]:<10}" + "".join(f"{cell:>10}" for cell in row[1:]) for row in rows]


def of_failures(tally: Tally, attack: Attack) -> list[str]:
    """Return the lines that tell of failures, those alike together, with commands to try again."""
    alike: dict[tuple[str, str], list[Failure]] = {}
    for case, outcome in tally.failures:
        kind = re.sub(r"-?\d[-\d, ]*|'[^']*'", "", outcome.what)
        alike.setdefault((outcome.how, kind), []).append((case, outcome))
    lines = []
    for (how, _), found in alike.items():
        lines.append(f"{len(found)} x {tally.name}, {how or 'all'}: {found[0][1].what}")
        for case, _ in found[:MOST_SHOWN]:
            if case is not None:
                kept = attack.keep / attack.name_of(tally.name, case)
                lines += [f"    {_command(tally.name, attack.seed, case)}", f"    {kept}"]
    return lines


def _command(target: str, seed: int, case: int) -> str:
    """Return the command that tries a case again."""
    programs = os.path.relpath(sys.executable), os.path.relpath(__file__)
    return shlex.join([*programs, "--only", target, "--seed", str(seed), "--case", str(case)])


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    names = [target.name for target in TARGETS]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    length = parser.add_mutually_exclusive_group()
    length.add_argument(
        "--seconds", type=float, default=SECONDS, help="time for all targets (default: %(default)g)"
    )
    length.add_argument("--cases", type=int, metavar="N", help="N cases of each target instead")
    parser.add_argument("--seed", type=int, default=SEED, help="(default: %(default)d)")
    parser.add_argument("--only", nargs="+", choices=names, default=names, metavar="TARGET",
                        help=f"some of {' '.join(names)}")  # fmt: skip
    parser.add_argument("--case", type=int, help="try this case alone, and tell all of it")
    parser.add_argument("--keep", type=Path, default=KEEP,
                        help="where to keep what failed (default: %(default)s)")  # fmt: skip
    return parser.parse_args(arguments)


@reader_may_leave()
def main(arguments: Sequence[str] | None = None) -> int:
    """Try cases, print what became of them, and return 1 if one failed."""
    options = _arguments(arguments)
    chosen = [target for target in TARGETS if target.name in options.only]
    end = time.monotonic() + options.seconds
    tallies = []
    length = f"{options.seconds:g} seconds"
    if options.cases is not None:
        length = f"{options.cases:,} cases of each target"
    print(f"seed {options.seed}, {length}", flush=True)
    with tempfile.TemporaryDirectory() as base:
        attack = Attack(Path(base), options.keep, options.seed)
        try:
            for number, target in enumerate(chosen):
                tallies.append(Tally(target.name))
                now = time.monotonic()
                until = now + max(0.0, end - now) / (len(chosen) - number)
                if options.case is not None:
                    attack.run(target, tallies[-1], [options.case], float("inf"))
                elif options.cases is not None:
                    attack.run(target, tallies[-1], range(options.cases), float("inf"))
                else:
                    attack.run(target, tallies[-1], range(sys.maxsize), until)
                print(f"{tallies[-1].name}: {tallies[-1].counts.total():,} cases", flush=True)
                if not tallies[-1].counts:
                    tallies[-1].add(None, Outcome(FAILURE, what="no case was tried"))
        except KeyboardInterrupt:
            print("interrupted")
    lines = ["", *in_columns(tallies), ""]
    for tally in tallies:
        lines += of_failures(tally, attack)
        if options.case is not None:
            lines += [outcome.details for _, outcome in tally.failures]
    print("\n".join(lines).rstrip())
    return int(any(tally.failures for tally in tallies))


if __name__ == "__main__":
    sys.exit(main())
