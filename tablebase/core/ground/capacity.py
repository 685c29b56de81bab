"""The largest numbers of men of tables, and of pieces of regions."""

# Men of a table, kings included.
MAX_MEN = 6
# With distances to zeroing; `tablebase.core.engine.requirements.obstacle` says why.
MAX_MEN_OF_DTZ = 5
# Where checks are counted, which makes tables nine times as large.
MAX_MEN_OF_CHECKS = 4
# With helpmates.
MAX_MEN_OF_HELPMATES = 5
# Pieces besides kings and pawns of what `tablebase.solve` proves without tables: four would have
# sixteen million placements.
SOLVED_PIECES = 3
# Of these the most for which it finds distances to zeroing: more take gigabytes.
MEASURED_PIECES = 2
