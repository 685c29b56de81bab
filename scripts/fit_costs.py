"""Make tablebase/building/costs.json: seconds and bytes of measured builds, and fitted laws.

Reads what ``tablebase build`` prints, or the log of ``scripts/generate.py``, of any number of runs;
later ones replace earlier ones. Kernels should be compiled before (build KRK first), and the
machine otherwise idle.
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

from tablebase.building.estimate import MAX_COUNTED_PAWNS
from tablebase.index import slot_count
from tablebase.rules import Material
from tablebase.streams import reader_may_leave
from tablebase.tables import stored_sides

COSTS = Path(__file__).parents[1] / "tablebase" / "building" / "costs.json"
# "KQK  46,137  10 moves (19 plies)  0.04  21,364", and "KQK built in 0.04 s, 21364 bytes".
LINES = (
    re.compile(r"^\s*(K\w+)\s.*\s(\d+\.\d+)\s+([\d,]+)\s*$"),
    re.compile(r"\b(K\w+) built in (\d+\.\d+) s, (\d+) bytes"),
)
# In smaller tables what does not depend on their size takes most of the time.
FITTED_MEN = 5


def read_costs(text: str) -> tuple[dict[str, float], dict[str, int]]:
    """Return the seconds and the bytes of each table built, by the name of its material.

    >>> read_costs("  KQK   46,137   10 moves (19 plies)    0.04   21,364")
    ({'KQK': 0.04}, {'KQK': 21364})
    """
    seconds, sizes = {}, {}
    for line in text.splitlines():
        for pattern in LINES:
            match = pattern.search(line)
            if match:
                # Below the clock's resolution: use half of it.
                seconds[match[1]] = max(float(match[2]), 0.005)
                sizes[match[1]] = int(match[3].replace(",", ""))
    return seconds, sizes


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
        "logs", metavar="LOG", nargs="+", type=Path, help="output of `build --metric dtm`"
    )
    parser.add_argument("--machine", required=True, help="processor, cores, other load")
    parser.add_argument("--threads", type=int, required=True, help="of each build")
    options = parser.parse_args(arguments)
    seconds: dict[str, float] = {}
    sizes: dict[str, int] = {}
    for log in options.logs:
        found = read_costs(log.read_text(encoding="utf-8"))
        seconds |= found[0]
        sizes |= found[1]
    known = json.loads(COSTS.read_text(encoding="utf-8"))
    content = {
        "machine": options.machine,
        "date": datetime.now(UTC).date().isoformat(),
        "threads": options.threads,
        **fit(seconds),
        "bytes_a_slot": bytes_a_slot(sizes),
        "seconds": seconds,
        "bytes": sizes,
        # Measured apart: what other metrics take, as multiples of distances to mate.
        **{
            name: known[name]
            for name in ("metric_seconds", "metric_bytes", "epochs", "six_men_bytes")
        },
    }
    COSTS.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    print(f"{COSTS}: {len(seconds)} materials, within a factor of {content['spread']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
