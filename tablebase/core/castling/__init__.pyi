from tablebase.core.castling.placements import CastlingSet, castling_set_of, castling_sets
from tablebase.core.castling.solved_sets import (
    CASTLING_MEMORY,
    MOST_CASTLING_MEN,
    SolvedSets,
    UnsolvedSetError,
    castling_rights,
    solving_in_words,
)

__all__ = [
    "CASTLING_MEMORY",
    "MOST_CASTLING_MEN",
    "CastlingSet",
    "SolvedSets",
    "UnsolvedSetError",
    "castling_rights",
    "castling_set_of",
    "castling_sets",
    "solving_in_words",
]
