"""Functions of squares that the language of expressions has, written in that language."""

from __future__ import annotations

from typing import NamedTuple


class Defined(NamedTuple):
    """A function: the squares that it takes, what it is, and what that means."""

    takes: tuple[str, ...]
    text: str
    meaning: str


_FILES_APART, _RANKS_APART = "abs(one.file - other.file)", "abs(one.rank - other.rank)"

FUNCTIONS = {
    "is_light": Defined(
        ("square",), "(square.file + square.rank) % 2 == 1", "whether a square is light"
    ),
    "distance": Defined(
        ("one", "other"),
        f"maximum({_FILES_APART}, {_RANKS_APART})",
        "king's moves between two squares of an empty board",
    ),
    "steps": Defined(
        ("one", "other"), f"{_FILES_APART} + {_RANKS_APART}", "files and ranks between two squares"
    ),
    "opposition": Defined(
        ("one", "other"),
        "distance(one, other) == 2 and steps(one, other) == 2",
        "whether two squares face each other on a file or rank, with one between them",
    ),
    "edge": Defined(
        ("square",),
        "minimum(square.file - 1, files - square.file, square.rank - 1, ranks - square.rank)",
        "king's moves from a square to the nearest edge, 0 on it",
    ),
    "between": Defined(
        ("middle", "one", "other"),
        "one.file < middle.file < other.file or other.file < middle.file < one.file"
        " or one.rank < middle.rank < other.rank or other.rank < middle.rank < one.rank",
        "whether the first square parts two others: its file or rank lies between theirs",
    ),
    "box": Defined(
        ("rook", "king"),
        "where(rook.file == king.file or rook.rank == king.rank, files + ranks - 1,"
        " where(king.file < rook.file, rook.file - 1, files - rook.file)"
        " + where(king.rank < rook.rank, rook.rank - 1, ranks - rook.rank))",
        "files and ranks of the rectangle in which a rook or queen holds a king; 15, on a board of"
        " 8x8, if it stands in line",
    ),
    "inner_corner": Defined(
        ("rook", "king"),
        "square_at(rook.file + (king.file > rook.file) - (king.file < rook.file),"
        " rook.rank + (king.rank > rook.rank) - (king.rank < rook.rank))",
        "the corner of that rectangle at the rook: its neighbour towards the king",
    ),
    "safe": Defined(
        ("man", "king", "enemy"),
        "distance(enemy, man) > 1 or distance(king, man) == 1",
        "whether an enemy king cannot take a man: it is not beside it, or the man's own king is",
    ),
    "on_key_square": Defined(
        ("king", "pawn"),
        "not 1 < pawn.file < files and king.rank > ranks - 2"
        " and abs(king.file - pawn.file) == 1"
        " or 1 < pawn.file < files and abs(king.file - pawn.file) < 2"
        " and (king.rank == pawn.rank + 2 or king.rank == pawn.rank + 1 and pawn.rank > ranks - 4"
        " or king.rank == pawn.rank and pawn.rank == ranks - 1)",
        "whether White's king stands on a key square of its pawn: two ranks in front, from the"
        " fifth rank on also one rank, on the seventh also beside it; of a rook's pawn b7, b8, or"
        " g7, g8",
    ),
}
