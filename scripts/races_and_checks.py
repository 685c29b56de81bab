"""Measure the endings of racing kings and of three-check: results, longest wins, what a check does.

Usage::

    tablebase build --men 4 --rules racingkings --dir games
    tablebase build --men 4 --rules 3check --dir games
    python scripts/races_and_checks.py --dir games [--save]

With --save the results go to benchmarks/results/races_and_checks.json, which ``figures.py`` prints
in docs/races-and-checks.md and the file that it links, and ``draw_images.py`` draws.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from measurement import load, save

from tablebase.core.board.geometry import SIDES, Color
from tablebase.core.ground.streams import reader_may_leave
from tablebase.core.ground.words import winner_moves
from tablebase.core.index.legality import is_counted, is_self_image, map_marks
from tablebase.core.outcomes.codes import WDL_OF_CODE
from tablebase.core.rules.material import Checks, Material
from tablebase.core.rules.rule_files import built_in_rules
from tablebase.core.storage.reading import open_table, read_table
from tablebase.core.tables.search import setup_at
from tablebase.core.tables.table import Table
from tablebase.report.survey import survey_table

GAMES = "racingkings", "3check"
NAME = "races_and_checks"
RESULTS = "win", "draw", "loss"
ENDINGS_OF_CHECKS = "KQKQ", "KRKR", "KBKB", "KNKN", "KPKP"
# The checks left to the side to move and to the other one, fewer for the first in each column.
LEFT: tuple[Checks, ...] = ((3, 3), (2, 3), (1, 3), (3, 2), (3, 1), (2, 2), (1, 1))


def measure(folder: Path) -> dict[str, Any]:
    """Return the figures of all tables of both games in a folder."""
    found: dict[str, Any] = {game: {} for game in GAMES}
    for game in GAMES:
        for path in sorted((folder / built_in_rules()[game].folder).glob("*.h5")):
            with open_table(path) as file:
                found[game][path.stem] = {side: _of_side(file.counts[side]) for side in SIDES}
    of_checks = folder / built_in_rules()["3check"].folder
    there = [name for name in ENDINGS_OF_CHECKS if (of_checks / f"{name}.h5").exists()]
    tables = {name: read_table(of_checks / f"{name}.h5") for name in there}
    found["checks"] = {name: by_checks(table) for name, table in tables.items()}
    found["both_lose"] = {name: both_lose(table) for name, table in tables.items()}
    return found


def _of_side(counts: dict[str, Any]) -> dict[str, Any]:
    """Return the results of a side to move over the whole board, and its longest win."""
    return {one: counts[one] for one in (*RESULTS, "longest_win")}


def by_checks(table: Table) -> dict[str, list[int]]:
    """Return how many positions White to move wins, draws and loses, by the checks left: ``2+3``.

    They are those of the whole board, in check or not.
    """
    index, codes = table.index, table.codes[Color.WHITE]
    rows = index.layer_size // index.king_pairs
    images = len(index.symmetries)
    found = {}
    for layer in range(index.material.layer_count):

        def count(part: slice, marks: Any, codes: Any = codes) -> Any:
            results = 1 - WDL_OF_CODE[codes[part]].astype(np.int64)
            counted = is_counted(marks, Color.WHITE)
            weights = np.where(is_self_image(marks), images // 2, images)
            return np.bincount(results[counted], weights[counted], len(RESULTS))

        parts = map_marks(index, count, rows=range(layer * rows, (layer + 1) * rows))
        left = "{}+{}".format(*index.material.checks_of(layer))
        found[left] = [int(one) for one in sum(parts, np.zeros(len(RESULTS)))]
    return found


def both_lose(table: Table) -> dict[str, Any]:
    """Return in how many positions either side loses if it is to move, and one of most checks.

    Images of a position count once, those of exchanged colours apart.
    """
    found = survey_table(table).zugzwangs
    setups = [setup_at(table, one.slot, Color.WHITE) for one in found if one.kind == "both_lose"]
    fens = [one.fen for one in sorted(filter(None, setups), key=lambda one: -sum(one.checks))]
    return {"number": len(setups), "fen": next(iter(fens), None)}


def check_worth() -> str:
    """Return what the side to move wins of the endings of like pieces, by the checks left."""
    found = load(NAME)["results"]["checks"]
    names = [_divided(Material.from_name(name, built_in_rules()["3check"])) for name in found]
    headings = ["checks left to the side to move, to the other", *names]
    rows = [
        [f"{own}, {other}", *(_share(found[name][f"{own}+{other}"], 0) for name in found)]
        for own, other in LEFT
    ]
    return _table(headings, rows)


def check_worth_of_rooks() -> str:
    """Return wins, draws and losses of a rook each, by the checks left to either side."""
    found = load(NAME)["results"]["checks"]["KRKR"]
    rows = [
        [
            f"{own} left to the side to move",
            *(
                " / ".join(_share(found[f"{own}+{other}"], one) for one in range(len(RESULTS)))
                for other in (3, 2, 1)
            ),
        ]
        for own in (3, 2, 1)
    ]
    return _table(["", *(f"{other} left to the other side" for other in (3, 2, 1))], rows)


def endings_of_games() -> Iterator[Sequence[str]]:
    """Yield results in percent and longest wins in moves of all endings of both games.

    The names of the columns come first.
    """
    kinds = ("wins", "draws", "longest_win")
    yield "game", "ending", *(f"{side}_{kind}" for side in SIDES for kind in kinds)
    for game, found in ((game, load(NAME)["results"][game]) for game in GAMES):
        for name, sides in sorted(found.items(), key=lambda one: (len(one[0]), one[0])):
            row = [game, _divided(Material.from_name(name, built_in_rules()[game]))]
            for side in SIDES:
                counts = [sides[side][one] for one in RESULTS]
                row += [_share(counts, 0), _share(counts, 1), _moves(sides[side]["longest_win"])]
            yield row


def _divided(material: Material) -> str:
    """Return the name of a material with a ``v`` between the sides.

    >>> _divided(Material.from_name("KRKN"))
    'KRvKN'
    """
    name = material.name
    at = 1 + len(material.white)
    return f"{name[:at]}v{name[at:]}"


def _moves(longest: dict[str, Any] | None) -> str:
    return str(winner_moves(longest["plies"])) if longest else ""


def _share(counts: Sequence[int], one: int) -> str:
    """Return a share in percent, 100 and 0 only if it is exact."""
    percent = 100 * counts[one] / sum(counts)
    if percent in {0, 100}:
        return f"{percent:.0f}"
    return f"{min(max(percent, 0.1), 99.9):.1f}"


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = ["---", *["---:"] * (len(headings) - 1)]
    return "\n".join(f"| {' | '.join(row)} |" for row in (headings, lines, *rows))


def shown() -> Iterator[tuple[str, str, str]]:
    """Yield the words, FEN and result of each position that the page shows."""
    found = load(NAME)["results"]
    for name in ("KNK", "KBKP", "KRKR"):
        yield _longest(found, "3check", name)
    placement, *_, left, _, _ = found["both_lose"]["KRKR"]["fen"].split()
    yield f"KRvKR, {left} left: the side to move loses", placement, ""
    for name in ("KRK", "KRKQ"):
        yield _longest(found, "racingkings", name)


def _longest(found: dict[str, Any], game: str, name: str) -> tuple[str, str, str]:
    """Return words, FEN and result of White's longest win of an ending."""
    longest = found[game][name][SIDES[0]]["longest_win"]
    ending = _divided(Material.from_name(name, built_in_rules()[game]))
    words = f"{ending} in {winner_moves(longest['plies'])} moves"
    left = f"{words}, {longest['fen'].split()[4]} left"
    return left if game == "3check" else f"race: {words}", longest["fen"], "win"


@reader_may_leave()
def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--dir", type=Path, required=True, help="folder of the tables")
    parser.add_argument("--save", action="store_true", help="keep the figures for the page")
    arguments = parser.parse_args()
    found = measure(arguments.dir)
    print(save(NAME, found) if arguments.save else json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
