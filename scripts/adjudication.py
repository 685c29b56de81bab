"""Write the suite for adjudicators, and the census of who can still mate, from tables.

    python scripts/adjudication.py suite --dir TABLES > data/conformance/mating.tsv
    python scripts/adjudication.py census --dir TABLES > docs/tables/helpmates.csv

The tables must have helpmates: of up to four men for the suite (`tablebase build --men 4 --metric
help`), of up to five for the census. The suite has positions in which the men alone would tell
something else, and others with mates that are far away. docs/who-can-mate.md links the census.
"""

import argparse
import csv
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import chess

from tablebase import Tablebase, open_tablebase
from tablebase.core.board.geometry import Color
from tablebase.core.ground.streams import reader_may_leave
from tablebase.core.outcomes.codes import DRAW
from tablebase.core.outcomes.metrics import HELPMATES
from tablebase.core.positions.any_position import read_board
from tablebase.core.rules.material import Material, all_materials
from tablebase.core.storage.reading import open_table, read_table
from tablebase.core.storage.table_names import table_path
from tablebase.core.tables.search import setups_with
from tablebase.core.tables.table import Table

SIZE = 200
LOOKED_AT = 3000  # of the positions of a table without a helpmate, nearly all by their men
FIELDS = ("fen", "white_can_mate", "black_can_mate", "white_plies", "black_plies", "kind", "why")
WHY = {
    "checkmate": "The game is over: the mated side can no longer mate.",
    "stalemate": "The game is over.",
    "forced-capture": (
        "Every legal move takes a man, after which a side with men enough can no longer mate."
    ),
    "forced-end": "A side with men enough can no longer mate, whatever is played.",
    "en-passant": "A pawn can be taken en passant.",
    "promotion": "Only a pawn that promotes can mate.",
    "helped": "One minor piece mates, because the other side's men take squares from its king.",
    "far": "The longest helpmate of the ending.",
}
# Boards with a right to capture en passant, which tables have no slot for.
EN_PASSANT = (
    "8/8/8/8/1pP5/8/8/K1k5 b - c3 0 1",
    "8/8/8/1Pp5/8/8/8/k1K5 w - c6 0 1",
    "7k/8/8/8/pP6/8/8/K7 b - b3 0 1",
)


@reader_may_leave()
def main() -> None:
    """Write what the command line asks for to standard output."""
    parser = argparse.ArgumentParser(usage=argparse.SUPPRESS, description=__doc__)
    parser.add_argument("what", choices=("suite", "census"))
    parser.add_argument("--dir", type=Path, required=True)
    arguments = parser.parse_args()
    if arguments.what == "census":
        csv.writer(sys.stdout, lineterminator="\n").writerows(census(arguments.dir))
        return
    with open_tablebase(arguments.dir) as tables:
        print("\t".join(FIELDS))
        for row in islice(suite(tables, arguments.dir), SIZE):
            print("\t".join(row))


def census(folder: Path) -> Iterator[tuple[object, ...]]:
    """Yield the rows of the census of all materials up to five men, the names of columns first."""
    sides_to_move = ("white", "black")
    kinds = ("never", "of", "longest")
    names = [f"{kind}_{side}_to_move" for side in sides_to_move for kind in kinds]
    yield "ending", "mates", *names, "fen"
    for material in (one for men in (3, 4, 5) for one in all_materials(men)):
        with open_table(table_path(folder, material)) as file:
            for metric in HELPMATES:
                sides = list(file.attributes[f"{metric.prefix}counts"].values())
                if all(not side["mates"] for side in sides):
                    continue
                cells: list[object] = [material.name, metric.name.split("_")[0].title()]
                for side in sides:
                    counts = side["inequivalent"]
                    of = counts["mates"] + counts["never"]
                    cells += [counts["never"], of, side["longest"]["plies"]]
                longest = max((side["longest"] for side in sides), key=lambda one: one["plies"])
                yield *cells, longest["fen"]


def suite(tables: Tablebase, folder: Path) -> Iterator[tuple[str, ...]]:
    """Yield the rows of the suite, no position twice."""
    seen = set()
    for board in candidates(folder):
        key = board.epd()
        if key not in seen and board.is_valid():
            seen.add(key)
            yield described(tables, board)


def candidates(folder: Path) -> Iterator[chess.Board]:
    """Yield boards whose men mislead, then those of the longest helpmates."""
    yield from map(chess.Board, EN_PASSANT)
    far = []
    for material in (one for men in (3, 4) for one in all_materials(men)):
        for metric in HELPMATES:
            table = read_table(table_path(folder, material), metric)
            for side in Color:
                yield from islice(misleading(table, side), few(material))
            far += longest(folder, material, metric.prefix)
    yield from far


def few(material: Material) -> int:
    """Return how many positions of a material, side to move and colour are taken at most."""
    return 20 if material.name in {"KPK", "KBKN", "KNKN"} else 2


def misleading(table: Table, side: Color) -> Iterator[chess.Board]:
    """Yield positions in which a colour can never mate although its men would do."""
    assert table.metric.mating is not None
    color = table.metric.mating == Color.WHITE
    for setup in islice(setups_with(table, side, DRAW), LOOKED_AT):
        board = read_board(setup.fen)
        if not board.has_insufficient_material(color):
            yield board


def longest(folder: Path, material: Material, prefix: str) -> list[chess.Board]:
    """Return a position of the longest helpmate for each side to move."""
    with open_table(table_path(folder, material)) as file:
        sides = file.attributes[f"{prefix}counts"].values()
    return [read_board(side["longest"]["fen"]) for side in sides if side["longest"]]


def described(tables: Tablebase, board: chess.Board) -> tuple[str, ...]:
    """Return a row of the suite."""
    plies = [tables.probe_helpmate(board, color) for color in (chess.WHITE, chess.BLACK)]
    kind = kind_of(board, plies)
    can = [str(int(one is not None)) for one in plies]
    shown = ("-" if one is None else str(one) for one in plies)
    return board.fen(), *can, *shown, kind, WHY[kind]


def kind_of(board: chess.Board, plies: list[int | None]) -> str:
    """Return what a position is in the suite for."""
    if board.is_checkmate():
        return "checkmate"
    if board.is_stalemate():
        return "stalemate"
    if board.has_legal_en_passant():
        return "en-passant"
    never = [plies[not color] is None for color in chess.COLORS]  # of White, then of Black
    misled = any(
        lost and not board.has_insufficient_material(color)
        for color, lost in zip(chess.COLORS, never, strict=True)
    )
    if misled:
        captures = all(map(board.is_capture, board.legal_moves))
        return "forced-capture" if captures else "forced-end"
    men = [board.occupied_co[color] & ~board.kings for color in chess.COLORS]
    able = [own for own, lost in zip(men, never, strict=True) if own and not lost]
    if any(own & ~board.pawns == 0 for own in able):
        return "promotion"
    minor = board.knights | board.bishops
    if any(own & ~minor == 0 and own & (own - 1) == 0 for own in able):
        return "helped"
    return "far"


if __name__ == "__main__":
    sys.exit(main())
