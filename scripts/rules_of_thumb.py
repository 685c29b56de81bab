"""Rules of thumb on trial: how often rules of books about endings are right.

Usage: python scripts/rules_of_thumb.py --dir TABLES [--save]

It needs the tables KPK, KBPK, KBNK, KQKP, KRPKR and KNNKP with their sub-tables, with distances to
mate and to zeroing. With --save the results go to benchmarks/results/rules-of-thumb.json, from
which ``figures.py`` makes the tables of docs/rules-of-thumb.md, and ``draw_images.py`` its picture.
"""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from measurement import RESULTS, load, save
from numpy.typing import NDArray

from tablebase import Material
from tablebase.core.ground.streams import reader_may_leave
from tablebase.core.ground.words import counted, moves_in_words
from tablebase.finding.conditions import Conditions
from tablebase.finding.dataset import load_table
from tablebase.finding.expressions import (
    Expression,
    col,
    distance,
    maximum,
    minimum,
    opposition,
    square_at,
)
from tablebase.finding.find import find
from tablebase.finding.scan import Search
from tablebase.finding.trials import RuleCounts, trial

NAME = "rules-of-thumb"
WDL_WORDS = {1: "win", 0: "draw", -1: "loss"}
FIVE = 5  # men, from which on only some exceptions are ordered
wk, bk = col("white_king"), col("black_king")
pawn, enemy, bishop = col("white_pawn"), col("black_pawn"), col("white_bishop")
rook, other = col("white_rook"), col("black_rook")
# Whether no rook can be taken at once; rooks on one line may also have somebody between them.
quiet = (
    (rook.file != other.file)
    & (rook.rank != other.rank)
    & (distance(bk, rook) > 1)
    & (distance(wk, other) > 1)
    & ((other.rank != pawn.rank + 1) | (abs(other.file - pawn.file) != 1))
)
# The words of conditions, as the page has them.
WORDS = {
    "wk": wk,
    "bk": bk,
    "pawn": pawn,
    "enemy": enemy,
    "bishop": bishop,
    "knight": col("white_knight"),
    "white": col("white_to_move"),
    "rook": rook,
    "other": other,
    "quiet": quiet,
    "knights": (col("white_knight_1"), col("white_knight_2")),
    "goal": square_at(pawn.file, 8),
    "end": square_at(enemy.file, 1),
    "block": square_at(enemy.file, enemy.rank - 1),
    # Files counted from the nearer edge.
    "edge": minimum(pawn.file, 9 - pawn.file),
    "enemy_edge": minimum(enemy.file, 9 - enemy.file),
    "distance": distance,
    "opposition": opposition,
    "square_at": square_at,
    "abs": abs,
    "minimum": minimum,
    "maximum": maximum,
}


class Rule(NamedTuple):
    """A rule: its name, material, claim and source, and the condition as Python."""

    name: str
    material: str
    claims: str
    source: str
    condition: str
    turn: bool | None = None


AVERBAKH = "Averbakh, *Chess Endings: Essential Knowledge*"
DVORETSKY = "Dvoretsky, *Endgame Manual*"
MULLER = "Müller and Lamprecht, *Fundamental Chess Endings*"
RULES = (
    Rule("square of the pawn", "KPK", "win", AVERBAKH,
         "distance(bk, goal) - ~white > 8 - maximum(pawn.rank, 3)"),
    Rule("king on a key square", "KPK", "win", DVORETSKY,
         "((edge > 1) & (pawn.rank < 7) & (abs(wk.file - pawn.file) < 2)"
         " & ((wk.rank == pawn.rank + 2) | ((wk.rank == pawn.rank + 1) & (pawn.rank > 4))))"
         " | ((edge == 1) & (wk.rank > 6) & (abs(wk.file - pawn.file) == 1))"),
    Rule("key square, pawn out of reach", "KPK", "win", DVORETSKY,
         "(((edge > 1) & (pawn.rank < 7) & (abs(wk.file - pawn.file) < 2)"
         " & ((wk.rank == pawn.rank + 2) | ((wk.rank == pawn.rank + 1) & (pawn.rank > 4))))"
         " | ((edge == 1) & (wk.rank > 6) & (abs(wk.file - pawn.file) == 1)))"
         " & (distance(bk, pawn) > 1)"),
    Rule("opposition in front of the pawn", "KPK", "win", AVERBAKH,
         "(wk == square_at(pawn.file, pawn.rank + 1)) & opposition(wk, bk) & (edge > 1)",
         turn=False),
    Rule("the defender has the opposition", "KPK", "draw", AVERBAKH,
         "(wk == square_at(pawn.file, pawn.rank + 1)) & (bk == square_at(wk.file, wk.rank + 2))"
         " & (wk.rank < 6)", turn=True),
    Rule("wrong bishop", "KBPK", "draw", DVORETSKY,
         "(edge == 1) & (bishop.is_light != goal.is_light) & (distance(bk, goal) < 2)"),
    Rule("neither piece attacked", "KBNK", "win", MULLER,
         "(distance(bk, bishop) > 1) & (distance(bk, knight) > 1)"),
    Rule("queen against pawn: a, c, f, h", "KQKP", "draw", AVERBAKH,
         "(enemy.rank == 2) & ((enemy_edge == 1) | (enemy_edge == 3))"
         " & (distance(bk, end) < 2) & (distance(wk, end) > 4)"),
    Rule("queen against pawn: b, d, e, g", "KQKP", "win", AVERBAKH,
         "(enemy.rank == 2) & ((enemy_edge == 2) | (enemy_edge == 4))"
         " & (distance(bk, end) < 2)", turn=True),
    Rule("rook behind the pawn", "KRPKR", "win", "Tarrasch, quoted in " + DVORETSKY,
         "(rook.file == pawn.file) & (rook.rank < pawn.rank)"),
    Rule("Philidor's defence", "KRPKR", "draw", DVORETSKY,
         "(distance(bk, goal) < 2) & (other.rank == 6) & (pawn.rank < 6) & (wk.rank < 6) & quiet"),
    Rule("Vancura's defence", "KRPKR", "draw", DVORETSKY,
         "(edge == 1) & (pawn.rank == 6) & (rook.file == pawn.file) & (rook.rank > 6)"
         " & (other.rank == 6) & (abs(other.file - pawn.file) > 3) & (wk.rank != 6)"
         " & (bk.rank == 7) & (abs(bk.file - pawn.file) > 5) & quiet"),
    Rule("Lucena's position", "KRPKR", "win", DVORETSKY,
         "(pawn.rank == 7) & (edge > 1) & (wk == goal)"
         " & (minimum(pawn.file, bk.file) < rook.file)"
         " & (rook.file < maximum(pawn.file, bk.file)) & quiet"),
    Rule("Troitzky's line", "KNNKP", "win", "Troitzky, *Collection of Chess Studies*",
         "((knights[0] == block) | (knights[1] == block)) & (distance(bk, block) > 1)"
         " & (enemy.rank >= 4 + (enemy_edge == 2) + ((enemy_edge == 2) | (enemy_edge == 3)))"),
)  # fmt: skip


def expression(text: str) -> Expression:
    """Return the condition that a text of this file is, which the page shows."""
    found = eval(text, dict(WORDS))  # noqa: S307 (texts of this file)
    assert isinstance(found, Expression)
    return found


def counts_as_json(counts: RuleCounts) -> dict[str, Any]:
    """Return counts with their shares."""
    return {
        "positions": counts.positions,
        "exceptions": counts.exceptions,
        "precision": counts.precision,
        "coverage": counts.coverage,
    }


@cache
def positions_of(material: str, folder: Path) -> dict[bool, int]:
    """Return the number of positions of a material by side to move."""
    data = load_table(material, folder)
    return {
        turn: sum(
            len(part.slots) for part in Search(data.table, None, Conditions(turn=turn)).matches()
        )
        for turn in (True, False)
    }


def try_rule(rule: Rule, folder: Path) -> dict[str, Any]:
    """Return the record of a rule."""
    before = perf_counter()
    arguments = rule.material, expression(rule.condition), rule.claims, folder
    few = Material.from_name(rule.material).piece_count < FIVE
    found = trial(*arguments, turn=rule.turn, limit=1 if few else 0)
    hardest = found.hardest
    if not few:  # the hardest of some, with the side to move that has more of them
        turn = max(found.by_turn, key=lambda turn: found.by_turn[turn].exceptions)
        hardest = trial(*arguments, turn=turn, limit=1).hardest
    seconds = perf_counter() - before
    print(rule.name, found, f"{seconds:.1f} s", sep="\n", flush=True)
    every = positions_of(rule.material, folder)
    by_turn = {}
    for turn, counts in found.by_turn.items():
        claimed = counts.right + counts.missed
        share = {"share": claimed / every[turn]}
        by_turn["white" if turn else "black"] = counts_as_json(counts) | share
    return {
        "rule": rule.name,
        "material": rule.material,
        "claims": rule.claims,
        **counts_as_json(found.total),
        "by_turn": by_turn,
        "hardest": [
            {"fen": fen, "wdl": int(one.wdl), "dtm": one.dtm, "difficulty": one.difficulty}
            for fen, one in zip(hardest.fens(), hardest, strict=True)
        ],
        "seconds": round(seconds, 1),
    }


# Simple conditions on king and pawn against king, of which the search makes rules.
ATOMS = (
    "white", "~white", "opposition(wk, bk)", "(pawn.file > 1) & (pawn.file < 8)",
    *(f"pawn.rank >= {n}" for n in range(3, 8)),
    *(f"pawn.rank <= {n}" for n in range(2, 6)),
    *(f"wk.rank >= {n}" for n in range(3, 8)),
    *(f"bk.rank <= {n}" for n in range(1, 8)),
    *(f"wk.rank - pawn.rank >= {n}" for n in range(-1, 3)),
    *(f"bk.rank - pawn.rank <= {n}" for n in range(-2, 2)),
    *(f"abs(wk.file - pawn.file) <= {n}" for n in range(3)),
    *(f"abs(wk.file - pawn.file) >= {n}" for n in range(1, 3)),
    *(f"abs(bk.file - pawn.file) >= {n}" for n in range(1, 6)),
    *(f"distance(wk, pawn) <= {n}" for n in range(1, 4)),
    *(f"distance(bk, pawn) >= {n}" for n in range(2, 6)),
    *(f"distance(wk, goal) <= {n}" for n in range(1, 4)),
    *(f"distance(bk, goal) >= {n}" for n in range(2, 6)),
    *(f"distance(wk, bk) >= {n}" for n in range(2, 5)),
    *(f"distance(bk, pawn) - distance(wk, pawn) >= {n}" for n in range(-1, 3)),
    *(f"distance(bk, goal) - distance(wk, goal) >= {n}" for n in range(-1, 3)),
    *(f"distance(bk, goal) - ~white + maximum(pawn.rank, 3) >= {n}" for n in range(8, 12)),
    *(f"distance(bk, pawn) - ~white >= {n}" for n in range(1, 5)),
    *(f"distance(bk, goal) - ~white >= {n}" for n in range(2, 5)),
)  # fmt: skip
MOST_ATOMS = 4
JOINED, MOST_JOINED = 3, 3  # rules, and the conditions of each


def search_rules(folder: Path) -> list[dict[str, Any]]:
    """Return rules of KPK that are never wrong, each with how many wins it covers.

    A rule says that all of its conditions are so, and for each number of them the best one is
    found: all are tried, but for those that cannot win as much as the best so far. Then rules are
    joined, each of which adds most to those before.
    """
    positions = load_table("KPK", folder).positions()
    columns = positions.to_numpy()
    won = positions.wdl == np.where(positions.white_to_move, 1, -1)
    found = [expression(text).of(columns) for text in ATOMS]
    right, wrong = (np.stack([_packed(one[chosen]) for one in found]) for chosen in (won, ~won))
    records: list[dict[str, Any]] = []

    def add(rule: str, atoms: int) -> None:
        mask = expression(rule).of(columns)
        assert not mask[~won].any()
        count = int(mask[won].sum())
        share = count / int(won.sum())
        records.append({"atoms": atoms, "rule": rule, "positions": count, "coverage": share})
        print(records[-1], flush=True)

    best = 0
    for number in range(1, MOST_ATOMS + 1):
        count, atoms = _best_rule(right, wrong, number)
        if count > best:
            best = count
            add(_joined(atoms), number)
    joined, used, left = "", 0, right
    for _ in range(JOINED):
        _, atoms = max(_best_rule(left, wrong, number) for number in range(1, MOST_JOINED + 1))
        joined += f"{' | ' if joined else ''}({_joined(atoms)})"
        used += len(atoms)
        left = left & ~np.bitwise_and.reduce(right[list(atoms)])
        add(joined, used)
    return records


def _joined(atoms: tuple[int, ...]) -> str:
    return " & ".join(f"({ATOMS[atom]})" for atom in atoms)


def _packed(truths: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Return truth values as words of 64."""
    padded = np.zeros(-(-len(truths) // 64) * 64, dtype=np.bool_)
    padded[: len(truths)] = truths
    return np.packbits(padded).view(np.uint64)


def _best_rule(
    right: NDArray[np.uint64], wrong: NDArray[np.uint64], number: int
) -> tuple[int, tuple[int, ...]]:
    """Return how many right positions the best rule without a wrong one has, and its atoms.

    Arrays are [atoms, words]. The last atom of each rule is chosen by arithmetic.
    """
    best: tuple[int, tuple[int, ...]] = 0, ()
    every = np.full(right.shape[1], ~np.uint64(0)), np.full(wrong.shape[1], ~np.uint64(0))

    def extend(atoms: tuple[int, ...], mine: NDArray[np.uint64], bad: NDArray[np.uint64]) -> None:
        nonlocal best
        first = atoms[-1] + 1 if atoms else 0
        later = right[first:] & mine
        counts = np.bitwise_count(later).sum(axis=1, dtype=np.int64)
        for atom in np.flatnonzero(counts > best[0]).tolist():
            if counts[atom] <= best[0]:
                continue
            left = wrong[first + atom] & bad
            chosen = (*atoms, first + atom)
            if len(chosen) < number:
                extend(chosen, later[atom], left)
            elif not left.any():
                best = int(counts[atom]), chosen

    extend((), *every)
    return best


def corners(folder: Path) -> list[dict[str, Any]]:
    """Return how lost Black, who is to move, is in KBNK, by where his king stands."""
    at = [(bk.file == file) & (bk.rank == rank) for file in (1, 8) for rank in (1, 8)]
    corner = at[0] | at[1] | at[2] | at[3]
    same = bk.is_light == bishop.is_light
    edge = (bk.file == 1) | (bk.file == 8) | (bk.rank == 1) | (bk.rank == 8)
    places = {
        "in a corner of the bishop's colour": corner & same,
        "in another corner": corner & ~same,
        "elsewhere on an edge": edge & ~corner,
        "in the middle": ~edge,
    }
    records = []
    for place, where in places.items():
        found = find("KBNK", folder, turn=False, where=where)
        plies = -found.dtm[found.wdl < 0].astype(int)
        records.append(
            {
                "place": place,
                "positions": len(found),
                "lost": len(plies),
                "mean": float(plies.mean()),
                "most": int(plies.max()),
                "mates": int((plies == 0).sum()),
            }
        )
    return records


def keep(**found: Any) -> None:
    """Keep figures beside those of other rules."""
    there = load(NAME)["results"] if (RESULTS / f"{NAME}.json").exists() else {}
    rules = there.get("rules", {}) | found.get("rules", {})
    there |= found | {"rules": {one.name: rules[one.name] for one in RULES if one.name in rules}}
    save(NAME, there)


def main() -> int:
    """Run the command line, return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dir", type=Path, required=True, help="folder of tables")
    parser.add_argument("--only", metavar="MATERIAL", help="one material")
    parser.add_argument("--save", action="store_true", help="keep the results of the page")
    arguments = parser.parse_args()
    folder = arguments.dir
    for rule in RULES:
        if arguments.only in (None, rule.material):
            record = try_rule(rule, folder)
            if arguments.save:
                keep(rules={rule.name: record})
    if arguments.save and arguments.only in (None, "KPK"):
        keep(search=search_rules(folder))
    if arguments.save and arguments.only in (None, "KBNK"):
        keep(corners=corners(folder))
    return 0


if __name__ == "__main__":
    with reader_may_leave():
        sys.exit(main())


def rules_tried() -> str:
    """Return the table of all rules."""
    heads = (
        "rule",
        "pieces",
        "claim",
        "to move",
        "positions",
        "precision",
        "all",
        "coverage",
        "exceptions",
    )
    rows = [f"| {' | '.join(heads)} |",
            "|---|---|---|---|---:|---:|---:|---:|---:|"]  # fmt: skip
    for one in tried():
        sides = one["by_turn"]
        lines = [(turn.capitalize(), counts) for turn, counts in sides.items()]
        for number, (turn, counts) in enumerate(lines):
            name = one["rule"] if not number else ""
            head = (name, one["material"], one["claims"]) if not number else ("", "", "")
            rows.append(
                f"| {' | '.join(head)} | {turn} | {counts['positions']:,} | "
                f"{_share(counts['precision'])} | {_share(counts['share'])} | "
                f"{_share(counts['coverage'])} | "
                f"{counts['exceptions']:,} |"
            )
    return "\n".join(rows)


def tried() -> list[dict[str, Any]]:
    """Return the records of the rules in order."""
    records = load(NAME)["results"]["rules"]
    return [records[one.name] for one in RULES if one.name in records]


def _share(share: float | None) -> str:
    if share is None:
        return "-"
    # No share is rounded to all or nothing.
    text = f"{share:.2%}" if 0.001 < share < 0.999 or share in {0, 1} else f"{share:.4%}"
    return text.replace("100.00%", "100%") if share == 1 else text


def rules_conditions() -> str:
    """Return the rules with their sources and conditions."""
    return "\n\n".join(
        f"**{one.name[0].upper()}{one.name[1:]}** ({one.material}, {one.claims}; {one.source}):\n\n"
        f"```text\n{_lines(one.condition)}\n```"
        for one in RULES
    )


def _lines(condition: str) -> str:
    """Return a condition in lines that are not too wide."""
    return textwrap.fill(condition, 96, subsequent_indent="    ", break_long_words=False)


def rules_exceptions() -> str:
    """Return the hardest exception of each rule."""
    rows = ["| rule | claim | truth | exception | difficulty |", "|---|---|---|---|---:|"]
    for one, hardest in _hardest():
        wdl = WDL_WORDS[hardest["wdl"]]
        mover = "White" if hardest["fen"].split()[1] == "w" else "Black"
        plies = f" in {moves_in_words(hardest['dtm'])}" if hardest["wdl"] else ""
        rows.append(
            f"| {one['rule']} | {one['claims']} | {mover} to move: {wdl}{plies} | "
            f"`{hardest['fen']}` | {hardest['difficulty']:.2f} |"
        )
    return "\n".join(rows)


def _hardest() -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yield the rules that have exceptions, each with the hardest."""
    for one in tried():
        if one["hardest"]:
            yield one, one["hardest"][0]


def rules_corners() -> str:
    """Return the table of where Black's king stands in KBNK."""
    lines = [
        "| Black's king | positions | lost | moves to mate, on average | at most | checkmates |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for one in load(NAME)["results"]["corners"]:
        shown = f"{one['lost'] / one['positions']:.1%} | {one['mean'] / 2:.1f} | {one['most'] // 2}"
        lines.append(f"| {one['place']} | {one['positions']:,} | {shown} | {one['mates']:,} |")
    return "\n".join(lines)


def exceptions_to_draw() -> list[tuple[str, str, str]]:
    """Return the rules that have exceptions, each with FEN and result of the hardest."""
    return [(one["rule"], hardest["fen"], WDL_WORDS[hardest["wdl"]]) for one, hardest in _hardest()]


def rules_found() -> str:
    """Return the rules of KPK without exception that the search found."""
    found = load(NAME)["results"]["search"]
    shown = [
        one for i, one in enumerate(found) if not i or one["coverage"] > found[i - 1]["coverage"]
    ]
    return "\n\n".join(
        f"{counted(one['atoms'], 'condition')}, {_share(one['coverage'])} of all wins:\n\n"
        f"```text\n{_lines(one['rule'])}\n```"
        for one in shown
    )
