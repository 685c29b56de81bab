from tablebase.probing.canonical import CanonicalPosition, Slot, canonical_position, slot_of
from tablebase.probing.described_setups import (
    describe_setup,
    describe_step,
    fen_with_passing,
    read_passing,
)
from tablebase.probing.fens import write_fens
from tablebase.probing.folders import other_files
from tablebase.probing.forks import READERS, ForkLock
from tablebase.probing.found_rules import find_rules
from tablebase.probing.given import GivenPositions
from tablebase.probing.known import (
    Known,
    KnownMove,
    Outcomes,
    Results,
    best_line,
    by_tables,
    look_up,
    rank_by_tables,
)
from tablebase.probing.opening import open_tablebase
from tablebase.probing.proven import ProvenMove, dtz_of_position, proven_line
from tablebase.probing.ranking import DifficultyOf, RankedMove, mainline, rank_move, rank_moves
from tablebase.probing.reader import CodeReader
from tablebase.probing.resistance import practical_move
from tablebase.probing.resistances import LONGEST_DEFENCE, PRACTICAL, RESISTANCES
from tablebase.probing.sight import (
    SIGHT,
    MovesBySight,
    difficulty,
    moves_by_sight,
    rank_by_difficulty,
)
from tablebase.probing.sources import Source, Sources
from tablebase.probing.tablebase import Tablebase
from tablebase.probing.variants import RankedSetupMove, VariantTablebase, pushed_by

__all__ = [
    "LONGEST_DEFENCE",
    "PRACTICAL",
    "READERS",
    "RESISTANCES",
    "SIGHT",
    "CanonicalPosition",
    "CodeReader",
    "DifficultyOf",
    "ForkLock",
    "GivenPositions",
    "Known",
    "KnownMove",
    "MovesBySight",
    "Outcomes",
    "ProvenMove",
    "RankedMove",
    "RankedSetupMove",
    "Results",
    "Slot",
    "Source",
    "Sources",
    "Tablebase",
    "VariantTablebase",
    "best_line",
    "by_tables",
    "canonical_position",
    "describe_setup",
    "describe_step",
    "difficulty",
    "dtz_of_position",
    "fen_with_passing",
    "find_rules",
    "look_up",
    "mainline",
    "moves_by_sight",
    "open_tablebase",
    "other_files",
    "practical_move",
    "proven_line",
    "pushed_by",
    "rank_by_difficulty",
    "rank_by_tables",
    "rank_move",
    "rank_moves",
    "read_passing",
    "slot_of",
    "write_fens",
]
