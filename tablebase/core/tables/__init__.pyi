from tablebase.core.tables.census import Census, CensusOfParts, take_census
from tablebase.core.tables.reserved import Reserved
from tablebase.core.tables.search import board_at, positions_with, setup_at, setups_with
from tablebase.core.tables.table import (
    Outcomes,
    Table,
    TablePart,
    exchange_colors,
    fixed_outcomes,
    join_bytes,
    require_subtables,
    stored_sides,
)

__all__ = [
    "Census",
    "CensusOfParts",
    "Outcomes",
    "Reserved",
    "Table",
    "TablePart",
    "board_at",
    "exchange_colors",
    "fixed_outcomes",
    "join_bytes",
    "positions_with",
    "require_subtables",
    "setup_at",
    "setups_with",
    "stored_sides",
    "take_census",
]
