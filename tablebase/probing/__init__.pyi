from tablebase.probing.batch import GivenPositions
from tablebase.probing.canonical import CanonicalPosition, Slot, canonical_position, slot_of
from tablebase.probing.fens import write_fens
from tablebase.probing.opening import open_tablebase
from tablebase.probing.places import PIECE_CODES, Place, place_of
from tablebase.probing.ranking import RankedMove, mainline, rank_move, rank_moves
from tablebase.probing.regions import Bounds, bounds_in, regions_in
from tablebase.probing.tablebase import Tablebase

__all__ = [
    "PIECE_CODES",
    "Bounds",
    "CanonicalPosition",
    "GivenPositions",
    "Place",
    "RankedMove",
    "Slot",
    "Tablebase",
    "bounds_in",
    "canonical_position",
    "mainline",
    "open_tablebase",
    "place_of",
    "rank_move",
    "rank_moves",
    "regions_in",
    "slot_of",
    "write_fens",
]
