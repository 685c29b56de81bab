from tablebase.tables.census import Census, take_census
from tablebase.tables.search import board_at, positions_with
from tablebase.tables.table import Table, exchange_colors, require_subtables, stored_sides

__all__ = [
    "Census",
    "Table",
    "board_at",
    "exchange_colors",
    "positions_with",
    "require_subtables",
    "stored_sides",
    "take_census",
]
