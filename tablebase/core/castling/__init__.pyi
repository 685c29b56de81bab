from tablebase.core.castling.placements import CastlingSet, castling_sets
from tablebase.core.castling.solved_sets import (
    CASTLING_MEMORY,
    MOST_CASTLING_MEN,
    SolvedSets,
    castling_rights,
)

__all__ = [
    "CASTLING_MEMORY",
    "MOST_CASTLING_MEN",
    "CastlingSet",
    "SolvedSets",
    "castling_rights",
    "castling_sets",
]
