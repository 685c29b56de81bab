"""Boards in, distances out: one by one in microseconds, or by the million.

Files are read as needed; nothing here solves.

- `batch`: many positions at once, read by several threads
- `canonical`: the one of all symmetric images of a position that stands in its table, and its slot
- `catalog`: what `locate` must know about the tables, in one array
- `fens`: FENs and EPDs by the million, read and written; what is not plain is python-chess's
- `folders`: which table files there are now in the folders that are searched
- `forks`: what a fork of the process must wait for
- `found_rules`: of which games, besides chess, there are tables
- `given`: positions in any container, brought into words for the kernels
- `known`: what is known of a position in one record, from tables or from a region
- `locate`: from bitboards to the location of the code, in one compiled call
- `opening`: tablebases by folder
- `pages`: what is kept in memory of the files: decompressed pages, the oldest dropped first
- `ranking`: the moves of a position in order of preference, with and without the 50-move rule
- `reader`: from positions to values of a metric, through `locate`, open files and `pages`
- `regions`: results of positions beyond the tables, of regions that were solved
- `resistance`: the move that is hardest to answer, for a partner who fights
- `sight`: which mistakes a player sees, and how hard a position is
- `tablebase`: all this as one object for users
- `variants`: tables of other games than chess
- `whole_planes`: the results of all placements of the kings, while the other men stay

May import `jit`, `board`, `outcomes`, `rules`, `positions`, `index`, `tables`, `storage`,
`solving`. Another way to ask for values belongs here.
"""

from tablebase._face import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
