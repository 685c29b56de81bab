from tablebase.probing.canonical import CanonicalPosition, Slot, canonical_position, slot_of
from tablebase.probing.ranking import RankedMove, en_passant_code, mainline, rank_moves
from tablebase.probing.tablebase import Tablebase, open_tablebase

__all__ = [
    "CanonicalPosition",
    "RankedMove",
    "Slot",
    "Tablebase",
    "canonical_position",
    "en_passant_code",
    "mainline",
    "open_tablebase",
    "rank_moves",
    "slot_of",
]
