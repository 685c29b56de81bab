from tablebase.moves.forward import (
    CODE_OF_WORTH,
    NO_MOVE,
    WORTH_AFTER_MOVE,
    after_double_push,
    is_attacked,
    slot_of,
)
from tablebase.moves.legal_moves import Moves, iter_moves
from tablebase.moves.row_moves import KING, NO_BASE, ONE, WHITE, find_attacks, list_moves
from tablebase.moves.successors import NO_MAN, Successors, code_starts, make_row, make_successors

__all__ = [
    "CODE_OF_WORTH",
    "KING",
    "NO_BASE",
    "NO_MAN",
    "NO_MOVE",
    "ONE",
    "WHITE",
    "WORTH_AFTER_MOVE",
    "Moves",
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
