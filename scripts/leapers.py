"""The weakest pieces that mate: all leapers of few moves against a bare king, solved in memory.

Usage: python scripts/leapers.py [--moves N] [--save] [PIECE ...]

A leaper is a set of squares that it reaches, at most two files and ranks away, like 0,1+1,0+1,1:
files to the right and ranks up. Without any, all leapers of up to N moves are solved that are not
turns or mirror images of each other. With --save the results of up to five moves go to
benchmarks/results/leapers.json, from which ``figures.py`` and ``draw_images.py`` make the section
and the picture of docs/other-games.md.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from measurement import load, save

from tablebase.core.board.movement import Step
from tablebase.core.engine.driver import solve
from tablebase.core.ground.streams import reader_may_leave
from tablebase.core.ground.words import moves_in_words
from tablebase.core.rules.material import Material
from tablebase.core.rules.rules import CHESS, Kind, Rules
from tablebase.core.tables.census import take_census

Leaper = tuple[tuple[int, int], ...]  # the squares that it reaches: files, ranks

FAR = 2  # files and ranks
MOST_MOVES = 5
KEPT = 8  # leapers of each number of moves whose results are kept
HALF = 0.5
SQUARES = [
    (dx, dy) for dx in range(-FAR, FAR + 1) for dy in range(-FAR, FAR + 1) if (dx, dy) != (0, 0)
]


class Result(NamedTuple):
    """Results of a leaper against a bare king, White to move."""

    leaper: Leaper  # the squares that it reaches
    positions: int  # inequivalent and legal
    won: int  # of these
    plies: int  # of the longest win, 0 without any

    @property
    def share(self) -> float:
        """Won positions among all."""
        return self.won / self.positions


def images_of(leaper: Leaper) -> list[Leaper]:
    """Return a leaper as it looks from all sides, each image with its squares in order."""
    found = set()
    for swap in (False, True):
        for fx in (1, -1):
            for fy in (1, -1):
                turned = [(fx * dx, fy * dy) for dx, dy in leaper]
                found.add(tuple(sorted((y, x) if swap else (x, y) for x, y in turned)))
    return sorted(found)


def leapers(moves: int) -> Iterator[Leaper]:
    """Yield the leapers of a number of moves, one of those that are images of each other.

    >>> sum(1 for _ in leapers(1)), sum(1 for _ in leapers(2)), sum(1 for _ in leapers(3))
    (5, 44, 275)
    """
    for chosen in combinations(sorted(SQUARES), moves):
        if chosen == images_of(chosen)[0]:
            yield chosen


def rules_of(leaper: Leaper) -> Rules:
    """Return rules with a leaper L and no other piece."""
    kind = Kind("L", "leaper", tuple(Step(dx, dy, 1) for dx, dy in leaper))
    king = next(one for one in CHESS.kinds if one and one.letter == "K")
    number = CHESS.kinds.index(king)
    return Rules("leaper", (*[None] * number, king, kind))


def measure(leaper: Leaper) -> Result:
    """Solve the ending of a leaper against a bare king."""
    rules = rules_of(leaper)
    bare, material = (Material.from_name(name, rules) for name in ("KK", "KLK"))
    counts = take_census(solve(material, {bare: solve(bare, {})})).white_to_move.inequivalent
    positions = counts.win + counts.draw + counts.loss
    return Result(leaper, positions, counts.win, max(counts.wins, default=0))


def written(leaper: Leaper) -> str:
    """Return a leaper as text, as `read` takes it."""
    return "+".join(f"{dx},{dy}" for dx, dy in reversed(leaper))  # no minus at the beginning


def read(text: str) -> Leaper:
    """Return the leaper of a text, or raise `ValueError`.

    >>> read("0,1+1,-1")
    ((0, 1), (1, -1))
    """
    squares = [tuple(map(int, part.split(","))) for part in text.split("+")]
    if any(len(square) != 2 or square not in SQUARES for square in squares):
        raise ValueError(text)
    return tuple(sorted((dx, dy) for dx, dy in squares))


def is_within_king(leaper: Leaper) -> bool:
    """Return whether a leaper's moves are among the king's."""
    return all(max(abs(dx), abs(dy)) == 1 for dx, dy in leaper)


def leapers_won() -> str:
    """Return by the number of moves how many saved leapers win how often, as a table."""
    rows = [
        "| moves | leapers | win over half | best | longest win |",
        "|---:|---:|---:|---:|---:|",
    ]
    for moves, one in load("leapers")["results"].items():
        best, slowest = (Result(*one[name][0]) for name in ("best", "slowest"))
        far = moves_in_words(slowest.plies) if slowest.plies else ""
        rows.append(
            f"| {moves} | {one['count']:,} | {one['over_half']} | {best.share:.2%} | {far} |"
        )
    return "\n".join(rows)


def summary(results: list[Result]) -> dict[str, object]:
    """Return what is kept of the results of all leapers with the same number of moves."""
    return {
        "count": len(results),
        "over_half": sum(one.share > HALF for one in results),
        "best": sorted(results, key=lambda one: -one.share)[:KEPT],
        "slowest": sorted(results, key=lambda one: -one.plies)[:KEPT],
        "within_king": sorted(
            (one for one in results if is_within_king(one.leaper)), key=lambda one: -one.share
        )[:KEPT],
    }


def main() -> int:
    """Solve the leapers that arguments name, and print a line for each that wins."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("leapers", metavar="PIECE", nargs="*", help="like 0,1+1,0+1,1")
    parser.add_argument("--moves", type=int, default=MOST_MOVES, choices=range(1, MOST_MOVES + 1))
    parser.add_argument("--save", action="store_true", help="keep the results of all leapers")
    arguments = parser.parse_args()
    if arguments.save and (arguments.leapers or arguments.moves != MOST_MOVES):
        parser.error("--save keeps the results of all leapers: name none")
    try:
        chosen = [read(text) for text in arguments.leapers]
    except ValueError as error:
        parser.error(f"{error} is no leaper: write squares like 0,1+1,0, up to {FAR} away")
    if chosen:
        for one in map(measure, chosen):
            print(f"{written(one.leaper)}: {one.share:.1%} won, {moves_in_words(one.plies)}")
        return 0
    summaries = {}
    for moves in range(1, arguments.moves + 1):
        results = [measure(leaper) for leaper in leapers(moves)]
        summaries[moves] = summary(results)
        best = max(results, key=lambda one: one.share)
        print(
            f"{moves} moves: {len(results):,} leapers, at most {best.share:.2%} won, "
            f"{moves_in_words(max(one.plies for one in results))}",
            flush=True,
        )
    if arguments.save:
        print(save("leapers", summaries))
    return 0


if __name__ == "__main__":
    with reader_may_leave():
        sys.exit(main())
