"""Write proofs of known positions, check them with examples/check_proof.py, and measure both.

Usage: python scripts/proofs.py --tables DIR [--save] [NAME...]

DIR has the five-man tables. ``--save`` keeps the figures in benchmarks/results/proofs.json, from
where scripts/figures.py copies them into docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import chess
from measurement import load, save

import tablebase
from tablebase.core.ground.streams import reader_may_leave

ROOT = Path(__file__).parents[1]
BUDGET = "1h,6GB"
# Each position, and whether tables may be used.
SHOWPIECES = {
    "trebuchet": ("8/8/8/3pK3/2kP4/8/8/8 w - - 0 1", False),
    "Fahrni-Alapin 1912": ("2k5/8/p1P5/P2K4/8/8/8/8 w - - 0 1", False),
    "Réti 1921": ("7K/8/k1P5/7p/8/8/8/8 w - - 0 1", True),
    "opposite-coloured bishops, 2 v 1": ("8/2B2k2/5P2/4K2p/7P/3b4/8/8 b - - 0 1", False),
    "Fine, BCE 67": ("8/2p5/3k4/1p1p1K2/8/1P1P4/2P5/8 w - - 0 1", True),
    "Fine, BCE 67, complete": ("8/2p5/3k4/1p1p1K2/8/1P1P4/2P5/8 w - - 0 1", False),
    "Lasker-Reichhelm 1901": ("8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1", True),
}


def measure(fen: str, folder: Path | None) -> dict[str, Any]:
    """Return the sizes of a proof, and the processor time of writing and checking it."""
    board = chess.Board(fen)
    with ExitStack() as stack:
        scratch = stack.enter_context(tempfile.TemporaryDirectory())
        tables = stack.enter_context(tablebase.open_tablebase(folder)) if folder else None
        path = Path(scratch) / "a.proof"
        began = time.process_time()
        solution = tablebase.solve_position(board, BUDGET, proof=path, tables=tables)
        written = time.process_time()
        command = [sys.executable, str(ROOT / "examples/check_proof.py"), str(path)]
        command += ["--tables", str(folder)] if folder else []
        before = os.times()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        after = os.times()
        size = path.stat().st_size
    proof = solution.proof
    assert proof is not None
    return {
        "claim": proof.claim,
        "positions": proof.positions,
        "exits": proof.exits,
        "tables": list(proof.tables),
        "bytes": size,
        "written": round(written - began, 1),
        "checked": round(
            after.children_user
            + after.children_system
            - before.children_user
            - before.children_system,
            1,
        ),
    }


@reader_may_leave()
def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="all, if none is given")
    parser.add_argument("--tables", type=Path, required=True, help="a folder with tables")
    parser.add_argument("--save", action="store_true", help="keep the figures")
    arguments = parser.parse_args()
    try:
        results = load("proofs")["results"]
    except FileNotFoundError:
        results = {}
    for name in arguments.names or SHOWPIECES:
        fen, with_tables = SHOWPIECES[name]
        results[name] = {"fen": fen, **measure(fen, arguments.tables if with_tables else None)}
        print(name, results[name], flush=True)
        if arguments.save:
            save("proofs", {one: results[one] for one in SHOWPIECES if one in results})
    return 0


if __name__ == "__main__":
    sys.exit(main())
