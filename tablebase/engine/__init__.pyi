from tablebase.engine.needs import SubtableNeed, needed_positions, rows_after_promotion
from tablebase.engine.requirements import obstacle, working_memory
from tablebase.engine.solver import Progress, solve

__all__ = [
    "Progress",
    "SubtableNeed",
    "needed_positions",
    "obstacle",
    "rows_after_promotion",
    "solve",
    "working_memory",
]
