"""Boards in, distances out: one by one in microseconds, or by the million.

Files are read as needed; nothing here solves.

- `batch`: many positions at once, read by several threads
- `board_reader`: the values of boards, through `locate`
- `canonical`: the canonical image of a position, which stands in its table, and its slot
- `catalog`: the facts about the tables that `locate` needs, in one array
- `fens`: FENs and EPDs by the million, read and written; unusual ones are left to python-chess
- `folders`: the table files and games in the folders that are searched
- `forks`: locks to release after a fork
- `given`: positions of chess in any container, as 64-bit words for the kernels
- `given_setups`: positions of other games in any container
- `known`: the knowledge of a position in one record, from tables or proven
- `locate`: from bitboards to the location of the code, in one compiled call
- `opening`: tablebases by folder
- `pages`: decompressed pages of files in memory, the oldest dropped first
- `proven`: moves whose results are proven without a table, and their lines
- `ranking`: the moves of a position in order of preference, with and without the 50-move rule
- `reader`: from positions to values of a metric, through open files and `pages`
- `readers`: the choice of the reader for a game
- `setup_reader`: the values of setups, one by one
- `sources`: the results in other kinds of files
- `tablebase`: all this as one object for users
- `whole_planes`: the results of all placements of the kings, while the other men stay

May import `jit`, `board`, `outcomes`, `rules`, `positions`, `castling`, `index`, `tables`,
`storage`.
Another way to ask for values belongs here.
"""

from tablebase.core._face import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
