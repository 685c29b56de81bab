from tablebase.engine.needs import SubtableNeed, needed_positions, rows_after_promotion
from tablebase.engine.requirements import working_memory
from tablebase.engine.solver import Codes, Progress, solve

__all__ = [
    "Codes",
    "Progress",
    "SubtableNeed",
    "needed_positions",
    "rows_after_promotion",
    "solve",
    "working_memory",
]
