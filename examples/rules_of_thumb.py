"""Try rules of books about endings by the tables: how often is right what they claim.

Usage: python examples/rules_of_thumb.py [FOLDER [NAME ...]]

It tries the rules of the endings that are named, or of all whose tables are in FOLDER (`data`). The
tables need distances to mate and to zeroing. docs/rules-of-thumb.md has the results of all.
"""

import re
import sys
from typing import NamedTuple

from tablebase import Material, MissingTableError
from tablebase.core.ground.streams import reader_may_leave
from tablebase.finding.trials import trial

# Words of the conditions below, from longer to shorter ones that they use.
WORDS = {
    # No rook can be taken at once; rooks on one line may also have somebody between them.
    "quiet": "rook.file != other.file and rook.rank != other.rank and distance(bk, rook) > 1"
    " and distance(wk, other) > 1"
    " and (other.rank != pawn.rank + 1 or abs(other.file - pawn.file) != 1)",
    # Where White's and Black's pawn promote, and the square in front of Black's.
    "goal": "square_at(pawn.file, 8)",
    "end": "square_at(enemy.file, 1)",
    "block": "square_at(enemy.file, enemy.rank - 1)",
    # Files counted from the nearer edge.
    "edge": "minimum(pawn.file, 9 - pawn.file)",
    "enemy_edge": "minimum(enemy.file, 9 - enemy.file)",
    "wk": "white_king",
    "bk": "black_king",
    "pawn": "white_pawn",
    "enemy": "black_pawn",
    "bishop": "white_bishop",
    "knight": "white_knight",
    "rook": "white_rook",
    "other": "black_rook",
    "white": "white_to_move",
}
AVERBAKH = "Averbakh, Chess Endings: Essential Knowledge"
DVORETSKY = "Dvoretsky, Endgame Manual"
LAMPRECHT = "Müller and Lamprecht, Fundamental Chess Endings"
ON_KEY_SQUARE = (
    "edge > 1 and pawn.rank < 7 and abs(wk.file - pawn.file) < 2"
    " and (wk.rank == pawn.rank + 2 or wk.rank == pawn.rank + 1 and pawn.rank > 4)"
    " or edge == 1 and wk.rank > 6 and abs(wk.file - pawn.file) == 1"
)


class Rule(NamedTuple):
    """A rule: name, ending, White's result that it claims, source, condition, and side to move."""

    name: str
    material: str
    claims: str
    source: str
    condition: str
    turn: bool | None = None  # either


# Where a source states no exact condition, this is the nearest one.
RULES = (
    Rule("square of the pawn", "KPK", "win", AVERBAKH,
         "distance(bk, goal) - (not white) > 8 - maximum(pawn.rank, 3)"),
    Rule("king on a key square", "KPK", "win", DVORETSKY, ON_KEY_SQUARE),
    Rule("key square, pawn out of reach", "KPK", "win", DVORETSKY,
         f"({ON_KEY_SQUARE}) and distance(bk, pawn) > 1"),
    Rule("opposition in front of the pawn", "KPK", "win", AVERBAKH,
         "wk == square_at(pawn.file, pawn.rank + 1) and opposition(wk, bk) and edge > 1",
         turn=False),
    Rule("the defender has the opposition", "KPK", "draw", AVERBAKH,
         "wk == square_at(pawn.file, pawn.rank + 1) and bk == square_at(wk.file, wk.rank + 2)"
         " and wk.rank < 6", turn=True),
    Rule("wrong bishop", "KBPK", "draw", DVORETSKY,
         "edge == 1 and bishop.is_light != goal.is_light and distance(bk, goal) < 2"),
    Rule("neither piece attacked", "KBNK", "win", LAMPRECHT,
         "distance(bk, bishop) > 1 and distance(bk, knight) > 1"),
    Rule("queen against pawn: a, c, f, h", "KQKP", "draw", AVERBAKH,
         "enemy.rank == 2 and (enemy_edge == 1 or enemy_edge == 3) and distance(bk, end) < 2"
         " and distance(wk, end) > 4"),
    Rule("queen against pawn: b, d, e, g", "KQKP", "win", AVERBAKH,
         "enemy.rank == 2 and (enemy_edge == 2 or enemy_edge == 4) and distance(bk, end) < 2",
         turn=True),
    Rule("rook behind the pawn", "KRPKR", "win", f"Tarrasch, quoted in {DVORETSKY}",
         "rook.file == pawn.file and rook.rank < pawn.rank"),
    Rule("Philidor's defence", "KRPKR", "draw", DVORETSKY,
         "distance(bk, goal) < 2 and other.rank == 6 and pawn.rank < 6 and wk.rank < 6 and quiet"),
    Rule("Vancura's defence", "KRPKR", "draw", DVORETSKY,
         "edge == 1 and pawn.rank == 6 and rook.file == pawn.file and rook.rank > 6"
         " and other.rank == 6 and abs(other.file - pawn.file) > 3 and wk.rank != 6"
         " and bk.rank == 7 and abs(bk.file - pawn.file) > 5 and quiet"),
    Rule("Lucena's position", "KRPKR", "win", DVORETSKY,
         "pawn.rank == 7 and edge > 1 and wk == goal"
         " and minimum(pawn.file, bk.file) < rook.file < maximum(pawn.file, bk.file) and quiet"),
    Rule("Troitzky's line", "KNNKP", "win", "Troitzky, Collection of Chess Studies",
         "(white_knight_1 == block or white_knight_2 == block) and distance(bk, block) > 1"
         " and enemy.rank >= 4 + (enemy_edge == 2) + (enemy_edge == 2 or enemy_edge == 3)"),
)  # fmt: skip


def in_full(condition: str) -> str:
    """Return a condition in the words of `tablebase find --where`."""
    for word, meaning in WORDS.items():
        condition = re.sub(rf"\b{word}\b", f"({meaning})" if " " in meaning else meaning, condition)
    return condition


@reader_may_leave()
def main(folder: str = "data", *names: str) -> None:
    """Print how often each rule is right."""
    for rule in RULES:
        if not names or rule.material in names:
            print(f"{rule.name} ({rule.source})")
            try:
                condition = in_full(rule.condition)
                print(trial(rule.material, condition, rule.claims, folder, turn=rule.turn))
            except MissingTableError:
                if names:
                    raise
                print(f"{Material.from_name(rule.material)}: no table in {folder}")


if __name__ == "__main__":
    main(*sys.argv[1:])
