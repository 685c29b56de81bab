"""What castling rights change: the positions of each material that have some, with and without.

Usage: python scripts/castling.py --dir TABLES [--men N] [--save]

Values are distances to mate. A position counts once up to exchanged colours, and identical men are
not told apart. With --save the results of up to five men go to benchmarks/results/castling.json,
from which ``figures.py`` makes the tables of docs/castling.md.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from measurement import load, save
from numpy.typing import NDArray

from tablebase.core.board.geometry import PieceType
from tablebase.core.castling.placements import CastlingSet, castling_sets
from tablebase.core.castling.solved_sets import SolvedSets
from tablebase.core.ground.streams import reader_may_leave
from tablebase.core.outcomes.metrics import DTM, HORIZON
from tablebase.core.reading.board_reader import BoardReader
from tablebase.core.rules.material import Material, all_materials

FenOf = Callable[[list[int]], str]

NAMES = {1: "win", 0: "draw", -1: "loss"}
MEMORY = 1 << 32
LONGEST_SHOWN = 12


class Tally:
    """Counts over the positions of one material with rights, for the side that is to move."""

    def __init__(self, material: Material) -> None:
        self.material = material
        self.positions = self.distances = 0
        self.changes: Counter[tuple[int, int]] = Counter()  # results without and with the rights
        self.longest = (0, "")
        # By change, the position where the distance that decides is greatest.
        self.examples: dict[tuple[int, int], tuple[int, str]] = {}

    def add(
        self, squares: NDArray[Any], without: NDArray[Any], found: NDArray[Any], fen_of: FenOf
    ) -> None:
        """Count legal positions: squares [n, men], outcomes without and with the rights."""
        self.positions += len(found)
        results = np.sign(without), np.sign(found)
        changed = results[0] != results[1]
        self.distances += int((~changed & (without != found)).sum())
        for change in {*zip(*(one[changed].tolist() for one in results), strict=True)}:
            rows = np.flatnonzero((results[0] == change[0]) & (results[1] == change[1]))
            self.changes[change] += len(rows)
            far = np.where(found[rows] != 0, np.abs(found[rows]), np.abs(without[rows]))
            best = int(far.argmax())
            if int(far[best]) > self.examples.get(change, (0, ""))[0]:
                self.examples[change] = int(far[best]), fen_of(squares[rows[best]].tolist())
        plies = np.where(found > 0, found, 0)
        if len(plies) and plies.max() > self.longest[0]:
            best = int(plies.argmax())
            self.longest = int(plies[best]), fen_of(squares[best].tolist())

    def record(self) -> dict[str, Any]:
        """Return the counts as JSON has them."""
        return {
            "material": self.material.name,
            "positions": self.positions,
            "changes": {_name(change): count for change, count in sorted(self.changes.items())},
            "distances": self.distances,
            "longest": {"plies": self.longest[0], "fen": self.longest[1]},
            "examples": {
                _name(change): {"plies": plies, "fen": fen}
                for change, (plies, fen) in sorted(self.examples.items())
            },
        }


def _name(change: tuple[int, int]) -> str:
    return " to ".join(NAMES[result] for result in change)


def tally(material: Material, reader: BoardReader, solved: SolvedSets) -> Tally:
    """Count over all positions of a material that have castling rights."""
    found = Tally(material)
    for placed in castling_sets(material):
        outcomes = solved.outcomes(placed).reshape(2, placed.size)
        squares = _squares(placed)
        is_first = np.ones(placed.size, dtype=np.bool_)
        for one, other in pairwise(placed.free):
            if material.men[one] == material.men[other]:
                is_first &= squares[:, one] < squares[:, other]
        for side, turn in enumerate((True, False)[: 1 if material.is_symmetric else 2]):
            rows = np.flatnonzero(is_first & (outcomes[side] != HORIZON))
            here = np.ascontiguousarray(squares[rows])
            without = reader.outcomes_of_squares(here, material, white_to_move=turn)
            fen_of = partial(_fen, placed, turn=turn)
            found.add(here, without, outcomes[side][rows], fen_of)
    return found


def _fen(placed: CastlingSet, squares: list[int], *, turn: bool) -> str:
    return placed.board(squares, turn).fen()


def _squares(placed: CastlingSet) -> NDArray[np.uint8]:
    """Return the squares of all men in all placements, uint8 [size, men]."""
    squares = np.empty((placed.size, len(placed.homes)), dtype=np.uint8)
    slots = np.arange(placed.size)
    for number in reversed(range(len(placed.homes))):
        if number in placed.free:
            squares[:, number] = slots & 63
            slots >>= 6
        else:
            squares[:, number] = placed.homes[number]
    return squares


def castling_counts() -> str:
    """Return the table of materials in which rights change most results."""
    records = load("castling")["results"]
    rows = ["| pieces | positions | result changes | only the distance | longest win, plies |",
            "|---|---:|---:|---:|---:|"]  # fmt: skip
    for men in sorted({len(one["material"]) for one in records}):
        some = [one for one in records if len(one["material"]) == men]
        total = sum(one["positions"] for one in some)
        changed = sum(sum(one["changes"].values()) for one in some)
        distances = sum(one["distances"] for one in some)
        longest = max(one["longest"]["plies"] for one in some)
        rows.append(
            f"| {men} | {total:,} | {changed:,} ({changed / total:.2%}) | "
            f"{distances:,} ({distances / total:.1%}) | {longest} |"
        )
    return "\n".join(rows)


def castling_longest() -> str:
    """Return the longest wins of positions with rights."""
    records = load("castling")["results"]
    records.sort(key=lambda one: -one["longest"]["plies"])
    rows = ["| pieces | plies to mate | position |", "|---|---:|---|"]
    rows += [
        f"| {one['material']} | {one['longest']['plies']} | `{one['longest']['fen']}` |"
        for one in records[:LONGEST_SHOWN]
    ]
    return "\n".join(rows)


def castling_changes() -> str:
    """Return for each change of the result how often it occurs, and the farthest example."""
    records = load("castling")["results"]
    rows = ["| without, with the rights | positions | the longest of them, plies | position |",
            "|---|---:|---:|---|"]  # fmt: skip
    kinds = sorted({kind for one in records for kind in one["changes"]})
    for kind in kinds:
        count = sum(one["changes"].get(kind, 0) for one in records)
        examples = [one["examples"][kind] for one in records if kind in one["examples"]]
        far = max(examples, key=lambda one: one["plies"])
        rows.append(f"| {kind} | {count:,} | {far['plies']} | `{far['fen']}` |")
    return "\n".join(rows)


def main() -> int:
    """Run the command line, return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dir", type=Path, required=True, help="folder of tables")
    parser.add_argument("--men", type=int, default=5, help="most men (default: 5)")
    parser.add_argument("--save", action="store_true", help="keep the results of the page")
    arguments = parser.parse_args()
    reader = BoardReader(metric=DTM)
    reader.add_directory(arguments.dir)
    solved = SolvedSets(reader, DTM, capacity=MEMORY)
    records = []
    for men in range(3, arguments.men + 1):
        for material in all_materials(men):
            if PieceType.ROOK in material.white + material.black:
                records.append(tally(material, reader, solved).record())
                one = records[-1]
                print(one["material"], f"{one['positions']:,}", one["changes"],
                      f"{one['distances']:,}", one["longest"], flush=True)  # fmt: skip
    if arguments.save:
        save("castling", records)
    return 0


if __name__ == "__main__":
    with reader_may_leave():
        sys.exit(main())
