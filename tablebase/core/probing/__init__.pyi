from tablebase.core.probing.canonical import CanonicalPosition, Slot, canonical_position, slot_of
from tablebase.core.probing.described_setups import (
    describe_setup,
    describe_step,
    fen_with_passing,
    read_passing,
)
from tablebase.core.probing.fens import write_fens
from tablebase.core.probing.folders import other_files
from tablebase.core.probing.forks import READERS, ForkLock
from tablebase.core.probing.found_rules import find_rules
from tablebase.core.probing.given import GivenPositions
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
from tablebase.core.probing.variants import RankedSetupMove, VariantTablebase, pushed_by

__all__ = [
    "READERS",
    "CanonicalPosition",
    "CodeReader",
    "ForkLock",
    "GivenPositions",
    "Known",
    "KnownMove",
    "Outcomes",
    "ProvenMove",
    "ProvenResults",
    "RankedMove",
    "RankedSetupMove",
    "Results",
    "Slot",
    "Source",
    "Tablebase",
    "VariantTablebase",
    "best_line",
    "by_tables",
    "canonical_position",
    "describe_setup",
    "describe_step",
    "dtz_of_position",
    "fen_with_passing",
    "find_rules",
    "look_up",
    "mainline",
    "open_tablebase",
    "other_files",
    "proven_line",
    "pushed_by",
    "rank_by_tables",
    "rank_move",
    "rank_moves",
    "read_passing",
    "slot_of",
    "write_fens",
]
