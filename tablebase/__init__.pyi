from tablebase.errors import (
    CorruptTableError,
    InvalidMaterialError,
    MissingTableError,
    TablebaseError,
    UnsupportedPositionError,
)
from tablebase.outcomes import Wdl, Wdl50
from tablebase.probing import RankedMove, Tablebase, difficulty, open_tablebase
from tablebase.rules import Material
from tablebase.solving import solve_position
from tablebase.storage import read_table
from tablebase.study import find, load_table
from tablebase.tables import Table

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
