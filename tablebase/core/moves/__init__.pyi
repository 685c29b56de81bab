from tablebase.core.moves.forward import has_move, is_attacked
from tablebase.core.moves.row_moves import NO_BASE, list_moves
from tablebase.core.moves.successors import (
    MAX_MOVES,
    NO_MAN,
    OutcomesOf,
    Successors,
    code_starts,
    make_row,
    make_successors,
)
from tablebase.core.moves.walk import has_won, make_walk, place_kings, place_men

__all__ = [
    "MAX_MOVES",
    "NO_BASE",
    "NO_MAN",
    "OutcomesOf",
    "Successors",
    "code_starts",
    "has_move",
    "has_won",
    "is_attacked",
    "list_moves",
    "make_row",
    "make_successors",
    "make_walk",
    "place_kings",
    "place_men",
]
