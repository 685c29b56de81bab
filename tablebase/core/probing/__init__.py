"""Boards in, distances out: one by one in microseconds, or by the million.

Files are read as needed; nothing here solves.

- `batch`: many positions at once, read by several threads
- `board_reader`: the values of boards, through `locate`
- `canonical`: the one of all symmetric images of a position that stands in its table, and its slot
- `catalog`: what `locate` must know about the tables, in one array
- `fens`: FENs and EPDs by the million, read and written; what is not plain is python-chess's
- `folders`: which table files and games there are now in the folders that are searched
- `forks`: what a fork of the process must wait for
- `given`: positions of chess in any container, brought into words for the kernels
- `given_setups`: the same for other games
- `known`: what is known of a position in one record, from tables or proven
- `locate`: from bitboards to the location of the code, in one compiled call
- `opening`: tablebases by folder
- `pages`: what is kept in memory of the files: decompressed pages, the oldest dropped first
- `proven`: moves whose results are proven without a table, and the lines that they make
- `ranking`: the moves of a position in order of preference, with and without the 50-move rule
- `reader`: from positions to values of a metric, through open files and `pages`
- `readers`: which reader has the positions of a game
- `setup_reader`: the values of setups, one by one
- `sources`: the results in other kinds of files
- `tablebase`: all this as one object for users
- `whole_planes`: the results of all placements of the kings, while the other men stay

May import `jit`, `board`, `outcomes`, `rules`, `positions`, `index`, `tables`, `storage`.
Another way to ask for values belongs here.
"""

from tablebase.core._face import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
