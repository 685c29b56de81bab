from tablebase.moves.forward import is_attacked
from tablebase.moves.legal_moves import (
    CAPTURE,
    PROMOTION,
    PROMOTIONS_TO,
    UNDERPROMOTION,
    MoveCounter,
    Moves,
    iter_moves,
)
from tablebase.moves.mistakes import MistakeCounter
from tablebase.moves.row_moves import NO_BASE, list_moves
from tablebase.moves.successors import (
    NO_MAN,
    OutcomesOf,
    Successors,
    code_starts,
    make_row,
    make_successors,
)
from tablebase.moves.walk import has_won, make_walk, place_kings, place_men

__all__ = [
    "CAPTURE",
    "NO_BASE",
    "NO_MAN",
    "PROMOTION",
    "PROMOTIONS_TO",
    "UNDERPROMOTION",
    "MistakeCounter",
    "MoveCounter",
    "Moves",
    "OutcomesOf",
    "Successors",
    "code_starts",
    "has_won",
    "is_attacked",
    "iter_moves",
    "list_moves",
    "make_row",
    "make_successors",
    "make_walk",
    "place_kings",
    "place_men",
]
