"""Make tablebase/core/building/costs.json: seconds and bytes of measured builds, and fitted laws.

Usage::

    /usr/bin/time -v tablebase build --men 4 --memory 4G --dir FOUR 2> four
    /usr/bin/time -v tablebase build --men 5 --memory 4G --dir FIVE 2> five
    python scripts/fit_costs.py five four --machine "2 idle cores of ..." --threads 2

The folders are empty, kernels are compiled before (build KRK first), and the machine is otherwise
idle. Both metrics are built. Of a table in several files the last counts, so the larger set comes
first. What GNU time says of a run is kept, and a test compares it with the estimate. The shares of
distances to mate stay as they are unless they are given: compare the processor time of tables
built with ``--metric dtm`` and with ``--metric dtz`` on the same sub-tables, and the bytes.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from tablebase.cli.arguments import parse_size
from tablebase.core.building.estimate import MAX_COUNTED_PAWNS, Run
from tablebase.core.ground.streams import reader_may_leave
from tablebase.core.index.numbering import slot_count
from tablebase.core.rules.material import Material
from tablebase.core.tables.table import stored_sides

COSTS = Path(__file__).parents[1] / "tablebase" / "core" / "building" / "costs.json"
# A table that is built: see `read_costs`.
LINE = re.compile(r"^(?:\[.*\])?\s*(K\w+)\s.*\s(\d+\.\d+)\s+([\d,]+)\s*$")
# What GNU time says.
COMMAND = re.compile(r"Command being timed: .*--men (\d) --memory (\w+)")
ELAPSED = re.compile(r"Elapsed \(wall clock\) time .*: ([\d:.]+)$", re.MULTILINE)
RESIDENT = re.compile(r"Maximum resident set size \(kbytes\): (\d+)")
# In smaller tables what does not depend on their size takes most of the time.
FITTED_MEN = 5


def read_costs(text: str) -> tuple[dict[str, float], dict[str, int]]:
    """Return the seconds and the bytes of each table built, by the name of its material.

    >>> read_costs("[4/36]  KQK  46,137  10 moves (19 plies)  0.04  26,960")
    ({'KQK': 0.04}, {'KQK': 26960})
    """
    seconds, sizes = {}, {}
    for match in map(LINE.search, text.splitlines()):
        if match:
            # Below the clock's resolution: use half of it.
            seconds[match[1]] = max(float(match[2]), 0.005)
            sizes[match[1]] = int(match[3].replace(",", ""))
    return seconds, sizes


def read_run(text: str) -> Run:
    """Return the numbers that GNU time printed about a run, or raise `SystemExit`."""
    command, elapsed, resident = (one.search(text) for one in (COMMAND, ELAPSED, RESIDENT))
    if not (command and elapsed and resident):
        raise SystemExit("a log is not that of `/usr/bin/time -v tablebase build --men N --memory`")
    seconds = 0.0
    for part in elapsed[1].split(":"):
        seconds = 60 * seconds + float(part)
    return Run(int(command[1]), parse_size(command[2]), seconds, 1024 * int(resident[1]))


def shares(of_dtm: float) -> dict[str, float]:
    """Return the share of each metric of what both take."""
    return {"dtm": of_dtm, "dtz": round(1 - of_dtm, 4)}


def bytes_a_slot(sizes: dict[str, int]) -> list[float]:
    """Return the average size of files for each slot stored: by pawns, more than two as two."""
    total = np.zeros((2, MAX_COUNTED_PAWNS + 1))
    for name, size in sizes.items():
        material = Material.from_name(name)
        if material.piece_count >= FITTED_MEN:
            slots = len(stored_sides(material)) * slot_count(material)
            total[:, min(material.pawn_count, MAX_COUNTED_PAWNS)] += size, slots
    return [round(float(share), 4) for share in total[0] / total[1]]


def fit(seconds: dict[str, float]) -> dict[str, float]:
    """Return the law of `building.estimate.estimated_seconds`, by least squares of logarithms."""
    materials = {name: Material.from_name(name) for name in seconds}
    fitted = [name for name, one in materials.items() if one.piece_count >= FITTED_MEN]
    pawns = {name: min(materials[name].pawn_count, MAX_COUNTED_PAWNS) for name in fitted}
    features = np.array([[1, math.log(slot_count(materials[n])), pawns[n]] for n in fitted])
    logarithms = np.log([seconds[name] for name in fitted])
    law, *_ = np.linalg.lstsq(features, logarithms, rcond=None)
    if law[1] < 1:
        # What a table takes besides its slots tells nothing of larger ones: at least linear.
        rest, *_ = np.linalg.lstsq(features[:, ::2], logarithms - features[:, 1], rcond=None)
        law = np.array([rest[0], 1.0, rest[1]])
    spread = float(np.exp(np.std(logarithms - features @ law)))
    return {
        "factor": float(f"{math.exp(law[0]):.4g}"),
        "exponent": round(float(law[1]), 4),
        "pawn_factor": round(math.exp(law[2]), 4),
        "spread": round(spread, 2),
    }


@reader_may_leave()
def main(arguments: Sequence[str] | None = None) -> int:
    """Write the file and return the exit code."""
    parser = argparse.ArgumentParser(description="Make the file of costs from measured builds.")
    parser.add_argument(
        "logs", metavar="LOG", nargs="+", type=Path, help="standard error of timed builds"
    )
    parser.add_argument("--machine", required=True, help="processor, cores, other load")
    parser.add_argument("--threads", type=int, required=True, help="of each build")
    parser.add_argument("--dtm-seconds", type=float, metavar="SHARE", help="of distances to mate")
    parser.add_argument("--dtm-bytes", type=float, metavar="SHARE", help="of distances to mate")
    options = parser.parse_args(arguments)
    seconds: dict[str, float] = {}
    sizes: dict[str, int] = {}
    runs = []
    for log in options.logs:
        text = log.read_text(encoding="utf-8")
        found = read_costs(text)
        seconds |= found[0]
        sizes |= found[1]
        runs.append(read_run(text)._asdict())
    known = json.loads(COSTS.read_text(encoding="utf-8"))
    content = {
        "machine": options.machine,
        "date": datetime.now(UTC).date().isoformat(),
        "threads": options.threads,
        "runs": runs,
        **fit(seconds),
        "bytes_a_slot": bytes_a_slot(sizes),
        "seconds": seconds,
        "bytes": sizes,
        # Measured apart.
        **{
            name: known[name]
            for name in ("metric_seconds", "metric_bytes", "dtm_seconds", "dtm_bytes")
        },
        **{name: known[name] for name in ("epochs", "six_men_bytes", "seconds_without_kings")},
    }
    if options.dtm_seconds:
        content["metric_seconds"] = shares(options.dtm_seconds)
    if options.dtm_bytes:
        content["metric_bytes"] = shares(options.dtm_bytes)
    COSTS.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    print(f"{COSTS}: {len(seconds)} materials, within a factor of {content['spread']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
