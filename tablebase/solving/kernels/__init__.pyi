from tablebase.solving.kernels.distances import measure
from tablebase.solving.kernels.exits import CROWD, MATE, PAWN, POSITIONS, STALEMATE, make_distances
from tablebase.solving.kernels.fields import (
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
from tablebase.solving.kernels.flood import begin_flood, follow_flood
from tablebase.solving.kernels.keys import enter, has_passing_pawn, place_all
from tablebase.solving.kernels.king_planes import KINDS, WORDS
from tablebase.solving.kernels.packing import Block, block_words, squeeze, unpack_planes
from tablebase.solving.kernels.preparing import expand, prepare, release
from tablebase.solving.kernels.rows import write_unknown
from tablebase.solving.kernels.structures import solve_batch

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
