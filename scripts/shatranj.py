"""All shatranj endings of up to five men, al-Suli's Diamond, and what masters said of endings.

Usage: python scripts/shatranj.py --dir FOLDER [--men 5] [--save]

The tables that FOLDER lacks are built: with four men in a minute, with five in half an hour and
4 GB. With --save the results go to benchmarks/results/shatranj.json, from which ``figures.py`` and
``draw_images.py`` make the tables and a picture of docs/other-games.md.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from measurement import load, save

from tablebase.cli.commands.info import describe_table, row_of
from tablebase.core.answers.tablebase import Tablebase
from tablebase.core.building.generator import generate
from tablebase.core.ground.streams import reader_may_leave
from tablebase.core.ground.words import winner_moves
from tablebase.core.positions.setup_fens import read_setup
from tablebase.core.rules.material import Material, all_materials
from tablebase.core.rules.rule_files import built_in_rules
from tablebase.core.storage.reading import open_table

SHATRANJ = built_in_rules()["shatranj"]
DIAMOND = "8/8/8/3k4/8/1KQ5/8/q7 w - - 0 1"
MEN = 4
MOST_MEN = 5
ROW = 15  # words of the line in a row of the page: five moves
# Endings that a treatise calls drawn: Murray, A History of Chess, 1913, chapter XIII.
CALLED_DRAWN = {"KRKN": "knight against rook", "KRNKR": "rook against rook and knight"}
# What players advised, the better side first: the same chapter.
ADVISED = {
    "KPPKQ": "two pawns are better than a ferz",
    "KPPKB": "two pawns are better than an alfil",
    "KNQKR": "a rook is better than knight and ferz",
}
NAMES = {"R": "rook", "N": "knight", "B": "alfil", "Q": "ferz", "P": "pawn"}


def endings(tables: Tablebase) -> list[dict[str, Any]]:
    """Return the row of each ending in which both sides have a man, as `row_of` makes it."""
    rows = [row_of(describe_table(path)) for path in tables.available_tables.values()]
    fought = [row for row in rows if row["men"] <= MEN and all(_men_of(row["material"]))]
    return sorted(fought, key=lambda row: -row["longest_white_plies"])


def five_men(tables: Tablebase) -> list[dict[str, Any]]:
    """Return results and longest wins of each ending of two men besides the king against one."""
    found = []
    for name, path in tables.available_tables.items():
        if len(_men_of(name)[0]) == 2 and len(_men_of(name)[1]) == 1:
            row = row_of(describe_table(path))
            results = {key: row[key] for key in ("material", "white_win", "draw", "black_win")}
            longest = [row[f"longest_{side}_plies"] for side in ("white", "black")]
            found.append(results | {"white_plies": longest[0], "black_plies": longest[1]})
    return found


def _men_of(name: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    material = Material.from_name(name, SHATRANJ)
    return material.white, material.black


def line(tables: Tablebase, fen: str) -> list[dict[str, Any]]:
    """Return the best play from a position, move by move.

    Of each ``move`` there are the ``plies`` to the end before it, and how many ``others`` are as
    good.
    """
    found = []
    position = read_setup(fen, SHATRANJ)
    for move in tables.mainline(position):
        ranked = tables.rank_moves(position)
        others = sum(one.dtm == ranked[0].dtm for one in ranked) - 1
        plies = abs(tables.probe_dtm(position))
        found.append({"move": str(move), "plies": plies, "others": others})
        position = move.after
    return found


def results_of_black(tables: Tablebase, name: str) -> dict[str, Any]:
    """Return how many inequivalent positions with Black to move have which result."""
    with open_table(tables.available_tables[name]) as file:
        counts = file.counts["black_to_move"]["inequivalent"]
    return {"material": name, **{result: counts[result] for result in ("win", "draw", "loss")}}


def main() -> int:
    """Build what is missing, print the endings and the line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--dir", metavar="FOLDER", type=Path, required=True, help="of the tables")
    parser.add_argument("--men", type=int, choices=(MEN, MOST_MEN), default=MEN, help="at most")
    parser.add_argument("--save", action="store_true", help="keep the results")
    arguments = parser.parse_args()
    if arguments.save and arguments.men < MOST_MEN:
        parser.error(f"--save keeps the results of all endings: write --men {MOST_MEN}")
    every = [one for men in range(2, arguments.men + 1) for one in all_materials(men, SHATRANJ)]
    every += [Material.from_name(name, SHATRANJ) for name in CALLED_DRAWN]
    generate(every, arguments.dir)
    with Tablebase([arguments.dir], rules=SHATRANJ) as tables:
        results = {
            "endings": endings(tables),
            "line": line(tables, DIAMOND),
            "called_drawn": [results_of_black(tables, name) for name in CALLED_DRAWN],
            "five": five_men(tables) if arguments.men == MOST_MEN else [],
        }
    for row in results["endings"]:
        plies = row["longest_white_plies"], row["longest_black_plies"]
        print(f"{row['material']}: longest wins in {plies[0]} and {plies[1]} plies")
    for row in results["five"]:
        plies = row["white_plies"], row["black_plies"]
        print(f"{row['material']}: longest wins in {plies[0]} and {plies[1]} plies")
    print(" ".join(one["move"] for one in results["line"]))
    if arguments.save:
        print(save("shatranj", results))
    return 0


if __name__ == "__main__":
    with reader_may_leave():
        sys.exit(main())


def verdicts() -> str:
    """Return how often masters are right, as a table in Markdown."""
    rows = ["| | wins | draws | loses |", "|---|---:|---:|---:|"]
    for one in load("shatranj")["results"]["called_drawn"]:
        results = [one[result] for result in ("win", "draw", "loss")]
        shares = (f"{count / sum(results):.1%}" for count in results)
        rows.append(f"| {CALLED_DRAWN[one['material']]} is drawn | {' | '.join(shares)} |")
    return "\n".join([*rows, *advice()])


def advice() -> list[str]:
    """Return how often what players advised is right, as rows of a table in Markdown."""
    rows = []
    five = {one["material"]: one for one in load("shatranj")["results"]["five"]}
    for name, words in ADVISED.items():
        material = Material.from_name(name, SHATRANJ).normalized()
        shares = shares_of(five[material.name])
        if name == "KNQKR":  # the rook is Black's
            shares.reverse()
        rows.append(f"| {words} | {' | '.join(f'{share:.1%}' for share in shares)} |")
    return rows


def shares_of(one: dict[str, Any]) -> list[float]:
    """Return the shares of White's wins, draws and Black's wins in a row of `five_men`."""
    counts = [one[result] for result in ("white_win", "draw", "black_win")]
    return [count / sum(counts) for count in counts]


def shatranj_endings() -> str:
    """Return the saved endings as a table in Markdown."""
    rows = ["| ending | White wins | draw | White's longest | Black's longest |"]
    rows.append("|---|---:|---:|---:|---:|")
    for one in load("shatranj")["results"]["endings"]:
        ending = " against ".join(sides_in_words(one["material"]))
        shares = (f"{one[result] / one['positions']:.1%}" for result in ("white_win", "draw"))
        longest = (str(winner_moves(one[f"longest_{side}_plies"])) for side in ("white", "black"))
        rows.append(f"| {' | '.join([ending, *shares, *longest])} |")
    return "\n".join(rows)


def sides_in_words(name: str) -> list[str]:
    """Return the men of both sides besides the kings.

    >>> sides_in_words("KRNKQ")
    ['rook and knight', 'ferz']
    """
    return [" and ".join(NAMES[letter] for letter in side) for side in name[1:].split("K")]


def diamond() -> str:
    """Return the saved line; ``!`` marks a move without another that keeps the distance."""
    words = []
    for number, one in enumerate(load("shatranj")["results"]["line"]):
        if number % 2 == 0:
            words.append(f"{number // 2 + 1}.")
        words.append(f"{one['move'].replace('Q', 'F')}{'' if one['others'] else '!'}")
    lines = [" ".join(words[at : at + ROW]) for at in range(0, len(words), ROW)]
    return "\n".join(["```text", *lines, "```"])
