from tablebase.core.errors import (
    CorruptTableError,
    InvalidMaterialError,
    MissingTableError,
    TablebaseError,
    UnsupportedPositionError,
)
from tablebase.core.outcomes import Wdl, Wdl50
from tablebase.core.probing import RankedMove, Tablebase, open_tablebase
from tablebase.core.rules import Material
from tablebase.core.storage import read_table
from tablebase.core.tables import Table
from tablebase.practice import difficulty
from tablebase.solve import solve_position
from tablebase.study import find, load_table

__version__: str

__all__ = [
    "CorruptTableError",
    "InvalidMaterialError",
    "Material",
    "MissingTableError",
    "RankedMove",
    "Table",
    "Tablebase",
    "TablebaseError",
    "UnsupportedPositionError",
    "Wdl",
    "Wdl50",
    "difficulty",
    "find",
    "load_table",
    "open_tablebase",
    "read_table",
    "solve_position",
]
