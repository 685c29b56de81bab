from tablebase.solve.kernels.distances import measure
from tablebase.solve.kernels.exits import CROWD, MATE, PAWN, POSITIONS, STALEMATE, make_distances
from tablebase.solve.kernels.fields import (
    BOTH_ATTACKERS,
    LOWER,
    MOST_CHILDREN,
    NONE,
    TURNS,
    UPPER,
    Number,
    RegionFields,
    Room,
    State,
    make_men,
    make_region,
    make_work,
    new_numbers,
    share_work,
    work_bytes,
)
from tablebase.solve.kernels.flood import begin_flood, follow_flood
from tablebase.solve.kernels.keys import enter, has_passing_pawn, place_all
from tablebase.solve.kernels.king_planes import KINDS, WORDS
from tablebase.solve.kernels.packing import Block, block_words, squeeze, unpack_planes
from tablebase.solve.kernels.preparing import expand, prepare, release
from tablebase.solve.kernels.rows import write_unknown
from tablebase.solve.kernels.structures import solve_batch

__all__ = [
    "BOTH_ATTACKERS",
    "CROWD",
    "KINDS",
    "LOWER",
    "MATE",
    "MOST_CHILDREN",
    "NONE",
    "PAWN",
    "POSITIONS",
    "STALEMATE",
    "TURNS",
    "UPPER",
    "WORDS",
    "Block",
    "Number",
    "RegionFields",
    "Room",
    "State",
    "begin_flood",
    "block_words",
    "enter",
    "expand",
    "follow_flood",
    "has_passing_pawn",
    "make_distances",
    "make_men",
    "make_region",
    "make_work",
    "measure",
    "new_numbers",
    "place_all",
    "prepare",
    "release",
    "share_work",
    "solve_batch",
    "squeeze",
    "unpack_planes",
    "work_bytes",
    "write_unknown",
]
