from tablebase.core.probing.canonical import CanonicalPosition, Slot, canonical_position, slot_of
from tablebase.core.probing.fens import write_fens
from tablebase.core.probing.folders import find_rules, other_files
from tablebase.core.probing.forks import READERS, ForkLock
from tablebase.core.probing.given import Given, GivenPositions, as_material, as_turn
from tablebase.core.probing.known import (
    Known,
    KnownMove,
    Outcomes,
    Results,
    best_line,
    by_tables,
    look_up,
    rank_by_tables,
)
from tablebase.core.probing.opening import open_tablebase
from tablebase.core.probing.proven import ProvenMove, dtz_of_position, proven_line
from tablebase.core.probing.ranking import RankedMove, mainline, rank_move, rank_moves
from tablebase.core.probing.reader import CodeReader
from tablebase.core.probing.sources import ProvenResults, Source
from tablebase.core.probing.tablebase import Tablebase

__all__ = [
    "READERS",
    "CanonicalPosition",
    "CodeReader",
    "ForkLock",
    "Given",
    "GivenPositions",
    "Known",
    "KnownMove",
    "Outcomes",
    "ProvenMove",
    "ProvenResults",
    "RankedMove",
    "Results",
    "Slot",
    "Source",
    "Tablebase",
    "as_material",
    "as_turn",
    "best_line",
    "by_tables",
    "canonical_position",
    "dtz_of_position",
    "find_rules",
    "look_up",
    "mainline",
    "open_tablebase",
    "other_files",
    "proven_line",
    "rank_by_tables",
    "rank_move",
    "rank_moves",
    "slot_of",
    "write_fens",
]
