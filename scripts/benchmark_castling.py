"""Measure how long the first question about a castling set of five pieces takes.

Usage: python scripts/benchmark_castling.py --dir TABLES [--save]

Each position is asked for in a process of its own, after a question about another set of the same
kind, so that the kernels are loaded. Processor seconds are those of the process, which a busy
machine changes little. With --save the results go to benchmarks/results/castling_sets.json, which
``figures.py`` prints in docs/castling.md.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

import chess
from measurement import load, save

from tablebase import open_tablebase
from tablebase.core.ground.streams import reader_may_leave

WARM_UP = "8/8/8/8/8/5k2/8/4K2R w K - 0 1", "4k3/7p/8/8/8/8/8/4K2R b K - 0 1"
FENS = (
    "8/8/8/8/8/k7/3b4/q3K2R w K - 0 1",
    "8/8/8/4N3/8/k7/8/R3K2R b KQ - 0 1",
    "8/8/8/8/8/k2r4/2N5/4K2R b K - 0 1",
    "8/8/8/8/k3n3/8/4B3/R3K3 b Q - 0 1",
    "8/8/8/8/k7/4p3/8/2B1K2R w K - 0 1",
    "8/8/8/8/k7/8/4P3/2B1K2R w K - 0 1",
    "8/8/8/8/k7/8/4P3/2N1K2R w K - 0 1",
    "8/8/8/8/k7/8/P7/R3K2R w KQ - 0 1",
    "8/8/8/8/k7/8/P6P/4K2R w K - 0 1",
    "8/8/8/8/k7/P7/3P4/4K2R w K - 0 1",
)


def castling_times() -> str:
    """Return how long first questions about five pieces took, by the number of pawns."""
    kinds: dict[int, list[float]] = {}
    for one in load("castling_sets")["results"]:
        kinds.setdefault(one["men"].count("P"), []).append(one["processor_seconds"])
    rows = ["| five pieces | sets asked for | seconds of processor time |", "|---|---:|---:|"]
    names = "without pawns", "with a pawn", "with two pawns"
    rows += [
        f"| {names[pawns]} | {len(found)} | {min(found):.1f} to {max(found):.1f} |"
        for pawns, found in sorted(kinds.items())
    ]
    return "\n".join(rows)


def ask(fen: str, directory: Path) -> dict[str, object]:
    """Return how long the first answer to a question took, in this process."""
    with open_tablebase(directory) as tables:
        for known in WARM_UP:
            tables.probe_dtm(chess.Board(known))
        started, used = time.perf_counter(), time.process_time()
        tables.probe_dtm(chess.Board(fen))
        seconds, processor = time.perf_counter() - started, time.process_time() - used
    men = sorted(filter(str.isalpha, fen.partition(" ")[0]), key="KQRBNPkqrbnp".index)
    return {
        "fen": fen,
        "men": "".join(men).upper(),
        "seconds": round(seconds, 2),
        "processor_seconds": round(processor, 2),
    }


def main() -> None:
    """Measure each position in a process of its own and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dir", type=Path, required=True)
    parser.add_argument("--save", action="store_true")
    parser.add_argument("--fen", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.fen:
        print(json.dumps(ask(arguments.fen, arguments.dir)))
        return
    rows = []
    for fen in FENS:
        command = [sys.executable, __file__, "--dir", str(arguments.dir), "--fen", fen]
        found = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        rows.append(json.loads(found.stdout))
        print(rows[-1], flush=True)
    if arguments.save:
        save("castling_sets", rows)


if __name__ == "__main__":
    with reader_may_leave():
        main()
