from tablebase.core.engine.by_slices import solve_by_slices
from tablebase.core.engine.driver import solve
from tablebase.core.engine.needs import (
    SubtableNeed,
    is_read_by_slices,
    needed_positions,
    rows_after_promotion,
    rows_of_slices,
)
from tablebase.core.engine.requirements import (
    codes_memory,
    group_size,
    is_solved_by_slices,
    obstacle,
    working_memory,
)
from tablebase.core.engine.running import Progress

__all__ = [
    "Progress",
    "SubtableNeed",
    "codes_memory",
    "group_size",
    "is_read_by_slices",
    "is_solved_by_slices",
    "needed_positions",
    "obstacle",
    "rows_after_promotion",
    "rows_of_slices",
    "solve",
    "solve_by_slices",
    "working_memory",
]
