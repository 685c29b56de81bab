from tablebase.moves.forward import after_double_push, is_attacked, slot_of
from tablebase.moves.legal_moves import (
    CAPTURE,
    PROMOTION,
    PROMOTIONS_TO,
    UNDERPROMOTION,
    MoveCounter,
    Moves,
    iter_moves,
)
from tablebase.moves.row_moves import KING, NO_BASE, ONE, PAWN, WHITE, find_attacks, list_moves
from tablebase.moves.successors import (
    NO_MAN,
    QUIET,
    OutcomesOf,
    Successors,
    code_starts,
    make_row,
    make_successors,
)

__all__ = [
    "CAPTURE",
    "KING",
    "NO_BASE",
    "NO_MAN",
    "ONE",
    "PAWN",
    "PROMOTION",
    "PROMOTIONS_TO",
    "QUIET",
    "UNDERPROMOTION",
    "WHITE",
    "MoveCounter",
    "Moves",
    "OutcomesOf",
    "Successors",
    "after_double_push",
    "code_starts",
    "find_attacks",
    "is_attacked",
    "iter_moves",
    "list_moves",
    "make_row",
    "make_successors",
    "slot_of",
]
