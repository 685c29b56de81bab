"""Thai counts against the truth: which wins of makruk fit the moves that a bare king is given.

Usage: python scripts/makruk.py --dir FOLDER [--save]

The tables that FOLDER lacks are built, in a few minutes. With --save the results go to
benchmarks/results/makruk.json, from which ``figures.py`` makes the table of docs/other-games.md.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import NamedTuple

from measurement import load, save

from tablebase.core.building.generator import generate
from tablebase.core.ground.streams import reader_may_leave
from tablebase.core.ground.words import counted, winner_moves
from tablebase.core.rules.material import Material
from tablebase.core.rules.rule_files import built_in_rules
from tablebase.core.storage.reading import open_table
from tablebase.core.storage.table_names import table_path

MAKRUK = built_in_rules()["makruk"]
NAMES = {"R": "rook", "S": "khon", "N": "knight", "M": "met"}
ENDINGS = (
    "KRK", "KRRK", "KRNK", "KRSK", "KRMK", "KSSK", "KSNK", "KSMK", "KNNK", "KNMK", "KMMK",
    "KSSMK", "KSNMK", "KSMMK", "KNNMK", "KNMMK", "KMMMK",
)  # fmt: skip
MOSTLY = 0.95  # in time: endings above that are not in the table of the page


class Result(NamedTuple):
    """An ending against a bare king that is to move, and the count that begins there."""

    material: str
    positions: int  # inequivalent and legal, with the bare king to move
    losses: dict[str, int]  # lost positions, by plies as text
    plies: int  # of the longest win of the other side, 0 without any

    @property
    def lost(self) -> int:
        """How many positions are lost."""
        return sum(self.losses.values())

    @property
    def in_time(self) -> int:
        """In how many of them the mate comes before the count runs out."""
        most = 2 * moves_left(self.material[1:-1])  # the bare king moves first
        return sum(count for plies, count in self.losses.items() if int(plies) <= most)


def count_of(men: str) -> int:
    """Return the number up to which a bare king counts against some men, the piece's honour.

    >>> [count_of(men) for men in ("RR", "RS", "SS", "NN", "SN", "NM")]
    [8, 16, 22, 32, 44, 64]
    """
    for pieces, number in (("RR", 8), ("R", 16), ("SS", 22), ("NN", 32), ("S", 44)):
        if men.count(pieces[0]) >= len(pieces):
            return number
    return 64


def name_of(men: str) -> str:
    """Return men in words.

    >>> name_of("SM")
    'khon and met'
    """
    return " and ".join(NAMES[letter] for letter in men)


def moves_left(men: str) -> int:
    """Return how many moves the side with some men has: the count begins with all men on board.

    >>> moves_left("RR"), moves_left("SS")
    (4, 18)
    """
    return count_of(men) - len(men) - 2


def measure(name: str, folder: Path) -> Result:
    """Return what the table of an ending says of the count."""
    material = Material.from_name(name, MAKRUK)
    with open_table(table_path(folder, material)) as file:
        counts = file.counts["black_to_move"]["inequivalent"]
        longest = file.attributes["longest_wins"]["white_to_move"]
    losses = counts["dtm_histogram"]["loss"]
    positions = counts["win"] + counts["draw"] + counts["loss"]
    return Result(name, positions, losses, longest["plies"] if longest else 0)


def thai_counts() -> str:
    """Return the saved endings in which many mates come too late, as a table in Markdown."""
    rows = [
        "| against a bare king | moves left | longest win | positions lost | in time |",
        "|---|---:|---:|---:|---:|",
    ]
    for one in (Result(*row) for row in load("makruk")["results"]):
        men = one.material[1:-1]
        if one.in_time < MOSTLY * one.lost:
            rows.append(
                f"| {name_of(men)} | {moves_left(men)} | {winner_moves(one.plies)} | "
                f"{one.lost / one.positions:.1%} | {one.in_time / one.lost:.1%} |"
            )
    return "\n".join(rows)


def main() -> int:
    """Build what is missing, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--dir", metavar="FOLDER", type=Path, required=True, help="of the tables")
    parser.add_argument("--save", action="store_true", help="keep the results")
    arguments = parser.parse_args()
    generate([Material.from_name(name, MAKRUK) for name in ENDINGS], arguments.dir)
    results = [measure(name, arguments.dir) for name in ENDINGS]
    for one in results:
        men = one.material[1:-1]
        longest = counted(winner_moves(one.plies), "move")
        print(f"{name_of(men)}: {moves_left(men)} moves, longest win {longest}")
    if arguments.save:
        print(save("makruk", results))
    return 0


if __name__ == "__main__":
    with reader_may_leave():
        sys.exit(main())
