from tablebase.core.answers.opening import open_tablebase
from tablebase.core.answers.ranking import RankedMove
from tablebase.core.answers.tablebase import Tablebase
from tablebase.core.ground.errors import (
    CorruptTableError,
    InvalidMaterialError,
    InvalidRulesError,
    MissingTableError,
    TablebaseError,
    UndecidedError,
    UnsupportedPositionError,
)
from tablebase.core.outcomes.codes import Wdl
from tablebase.core.outcomes.metrics import Wdl50
from tablebase.core.rules.material import Material
from tablebase.core.storage.reading import read_table
from tablebase.core.tables.table import Table
from tablebase.finding.dataset import load_table
from tablebase.finding.find import find
from tablebase.practice.sight import difficulty
from tablebase.solve.answers import solve_position

__version__: str

__all__ = [
    "CorruptTableError",
    "InvalidMaterialError",
    "InvalidRulesError",
    "Material",
    "MissingTableError",
    "RankedMove",
    "Table",
    "Tablebase",
    "TablebaseError",
    "UndecidedError",
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
