"""Which pairs of pieces beat a bare king: all pairs of 33 kinds, solved in memory.

Usage: python scripts/pairs.py [--rules FOLDER] [--save] [PAIR ...]

Each pair is two names, like wazir+camel; without any, all 561 pairs are solved. A game has at most
26 letters, so the kinds are dealt out to three games that have every pair between them; --rules
writes these as files for ``tablebase --rules``. With --save the results go to
benchmarks/results/pairs.json, from which ``draw_images.py`` draws the picture of
docs/other-games.md.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations, combinations_with_replacement
from pathlib import Path
from string import ascii_uppercase
from typing import NamedTuple

from measurement import save

from tablebase.core.engine.driver import solve
from tablebase.core.ground.streams import reader_may_leave
from tablebase.core.ground.words import moves_in_words
from tablebase.core.rules.material import Material, generation_order
from tablebase.core.rules.rule_files import parse_rules
from tablebase.core.rules.rules import Rules
from tablebase.core.tables.census import take_census
from tablebase.core.tables.table import Table

# Names and moves in Betza's notation.
KINDS: Mapping[str, str] = {
    "queen": "Q", "rook": "R", "bishop": "B", "knight": "N", "ferz": "F", "wazir": "W",
    "alfil": "A", "dabbaba": "D", "archbishop": "BN", "chancellor": "RN", "amazon": "QN",
    "mann": "WF", "woody rook": "WD", "priest": "FN", "short rook": "R3", "dragon king": "RF",
    "dragon horse": "BW", "carpenter": "ND", "kangaroo": "NA", "gnu": "NC", "centaur": "WFN",
    "mastodon": "WFDA", "nightrider": "NN", "camel": "C", "zebra": "Z", "FA": "FA", "WA": "WA",
    "FD": "FD", "WN": "WN", "AD": "AD", "DD": "DD", "WC": "WC", "FC": "FC",
}  # fmt: skip
PARTS = 3  # every two parts of the kinds have a game
LETTERS = [letter for letter in ascii_uppercase if letter not in "KP"]
# Of positions with White to move, by the share that is won.
CLASSES = {"over 90 %": 0.9, "50 to 90 %": 0.5, "5 to 50 %": 0.05, "less": 0.0}


class Result(NamedTuple):
    """Results of two pieces against a bare king, White to move."""

    first: str
    second: str
    positions: int  # inequivalent and legal
    won: int  # of these
    plies: int  # of the longest win, 0 without any
    longest: int  # inequivalent positions with it

    @property
    def share(self) -> float:
        """Won positions among all."""
        return self.won / self.positions


def games() -> dict[str, list[str]]:
    """Return the names of the kinds of each game; every two kinds are together in one of them."""
    parts = [list(KINDS)[part::PARTS] for part in range(PARTS)]
    return {
        f"pairs{number}": one + other
        for number, (one, other) in enumerate(combinations(parts, 2), 1)
    }


def rules_text(game: str) -> str:
    """Return a game as a section of a file of rules.

    >>> rules_text("pairs1").splitlines()[6:9]
    ['promotionPieceTypes = -', 'customPiece1 = a:Q  # queen', 'customPiece2 = b:N  # knight']
    """
    lines = [f"[{game}:chess]"]
    lines += [f"{name} = -" for name in ("pawn", "knight", "bishop", "rook", "queen")]
    lines.append("promotionPieceTypes = -")
    for number, (name, letter) in enumerate(zip(games()[game], LETTERS, strict=False), 1):
        lines.append(f"customPiece{number} = {letter.lower()}:{KINDS[name]}  # {name}")
    return "\n".join(lines) + "\n"


def measure(table: Table, names: tuple[str, str]) -> Result:
    """Return what a table says of White to move."""
    counts = take_census(table).white_to_move.inequivalent
    plies = max(counts.wins, default=0)
    positions = counts.win + counts.draw + counts.loss
    return Result(*names, positions, counts.win, plies, counts.wins.get(plies, 0))


def solved_pairs(pairs: Iterable[tuple[str, str]]) -> Iterator[Result]:
    """Solve pairs of `KINDS`, each in the first game that has both; yield the results in order."""
    every = games()
    read: dict[str, Rules] = {}
    singles: dict[Material, Table] = {}
    for pair in pairs:
        game = next(name for name, kinds in every.items() if set(pair) <= set(kinds))
        rules = read.setdefault(game, parse_rules(rules_text(game))[game])
        letters = [LETTERS[every[game].index(name)] for name in pair]
        *needed, material = generation_order(
            [Material.from_name(f"K{''.join(letters)}K", rules).normalized()]
        )
        for one in needed:
            if one not in singles:
                tables = {sub: singles[sub] for sub in one.dependencies()}
                singles[one] = solve(one, tables)
        tables = {sub: singles[sub] for sub in material.dependencies()}
        yield measure(solve(material, tables), pair)


def classes(results: Iterable[Result]) -> dict[str, int]:
    """Return how many pairs win how often, by `CLASSES`.

    >>> classes([Result("rook", "rook", 100, 95, 13, 1), Result("wazir", "wazir", 100, 0, 0, 0)])
    {'over 90 %': 1, '50 to 90 %': 0, '5 to 50 %': 0, 'less': 1}
    """
    found = dict.fromkeys(CLASSES, 0)
    for result in results:
        found[next(name for name, least in CLASSES.items() if result.share >= least)] += 1
    return found


def main() -> int:
    """Solve the pairs that arguments name, print a line for each, and how many win how often."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("pairs", metavar="PAIR", nargs="*", help="two names, like wazir+camel")
    parser.add_argument("--rules", metavar="FOLDER", type=Path, help="write the games' files")
    parser.add_argument("--save", action="store_true", help="keep the results of all pairs")
    arguments = parser.parse_args()
    chosen = [tuple(text.split("+")) for text in arguments.pairs]
    if arguments.save and chosen:
        parser.error("--save keeps the results of all pairs: name none")
    for pair in chosen:
        if len(pair) != 2 or not set(pair) <= set(KINDS):
            parser.error(f"{'+'.join(pair)!r} is not two of {', '.join(KINDS)}, joined by +")
    if arguments.rules:
        arguments.rules.mkdir(parents=True, exist_ok=True)
        for game in games():
            (arguments.rules / f"{game}.ini").write_text(rules_text(game), encoding="utf-8")
    results = []
    for result in solved_pairs(chosen or combinations_with_replacement(KINDS, 2)):
        longest = moves_in_words(result.plies) if result.plies else "never"
        print(f"{result.first}+{result.second}: {result.share:.1%} won, {longest}", flush=True)
        results.append(result)
    print(", ".join(f"{name}: {count}" for name, count in classes(results).items()))
    if arguments.save:
        print(save("pairs", {"kinds": KINDS, "pairs": [list(result) for result in results]}))
    return 0


if __name__ == "__main__":
    with reader_may_leave():
        sys.exit(main())
