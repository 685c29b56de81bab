from tablebase.probing.canonical import CanonicalPosition, Slot, canonical_position, slot_of
from tablebase.probing.fens import write_fens
from tablebase.probing.found_rules import find_rules
from tablebase.probing.given import GivenPositions
from tablebase.probing.known import (
    Known,
    KnownMove,
    Source,
    best_line,
    by_tables,
    look_up,
    rank_by_tables,
)
from tablebase.probing.opening import open_tablebase
from tablebase.probing.ranking import RankedMove, mainline, rank_move, rank_moves
from tablebase.probing.regions import regions_in
from tablebase.probing.resistance import (
    LONGEST_DEFENCE,
    PRACTICAL,
    RESISTANCES,
    practical_move,
)
from tablebase.probing.sight import SIGHT, MovesBySight, difficulty, moves_by_sight
from tablebase.probing.tablebase import Tablebase
from tablebase.probing.variants import RankedSetupMove, VariantTablebase, pushed_by

__all__ = [
    "LONGEST_DEFENCE",
    "PRACTICAL",
    "RESISTANCES",
    "SIGHT",
    "CanonicalPosition",
    "GivenPositions",
    "Known",
    "KnownMove",
    "MovesBySight",
    "RankedMove",
    "RankedSetupMove",
    "Slot",
    "Source",
    "Tablebase",
    "VariantTablebase",
    "best_line",
    "by_tables",
    "canonical_position",
    "difficulty",
    "find_rules",
    "look_up",
    "mainline",
    "moves_by_sight",
    "open_tablebase",
    "practical_move",
    "pushed_by",
    "rank_by_tables",
    "rank_move",
    "rank_moves",
    "regions_in",
    "slot_of",
    "write_fens",
]
