"""Functions of squares that expressions have, written as expressions; docs/find.md says them."""

from __future__ import annotations

_TEXTS = {
    "is_light(square)": "(square.file + square.rank) % 2 == 1",
    "distance(one, other)": "maximum(abs(one.file - other.file), abs(one.rank - other.rank))",
    "steps(one, other)": "abs(one.file - other.file) + abs(one.rank - other.rank)",
    "opposition(one, other)": "distance(one, other) == 2 and steps(one, other) == 2",
    "edge(square)": """
        minimum(square.file - 1, files - square.file, square.rank - 1, ranks - square.rank)""",
    "between(middle, one, other)": """
        one.file < middle.file < other.file or other.file < middle.file < one.file
        or one.rank < middle.rank < other.rank or other.rank < middle.rank < one.rank""",
    "box(rook, king)": """
        where(rook.file == king.file or rook.rank == king.rank, files + ranks - 1,
            where(king.file < rook.file, rook.file - 1, files - rook.file)
            + where(king.rank < rook.rank, rook.rank - 1, ranks - rook.rank))""",
    "inner_corner(rook, king)": """
        square_at(rook.file + (king.file > rook.file) - (king.file < rook.file),
            rook.rank + (king.rank > rook.rank) - (king.rank < rook.rank))""",
    "safe(man, king, enemy)": "distance(enemy, man) > 1 or distance(king, man) == 1",
    # Two ranks in front of the pawn, from the fifth rank on also one, on the seventh also beside
    # it; of a rook's pawn b7, b8, g7 and g8.
    "on_key_square(king, pawn)": """
        not 1 < pawn.file < files and king.rank > ranks - 2 and abs(king.file - pawn.file) == 1
        or 1 < pawn.file < files and abs(king.file - pawn.file) < 2
        and (king.rank == pawn.rank + 2 or king.rank == pawn.rank + 1 and pawn.rank > ranks - 4
            or king.rank == pawn.rank and pawn.rank == ranks - 1)""",
}
# By name, what each takes, names of squares, and what it is.
FUNCTIONS = {
    head.partition("(")[0]: (tuple(head.partition("(")[2].strip(")").split(", ")), body)
    for head, body in ((head, " ".join(text.split())) for head, text in _TEXTS.items())
}
