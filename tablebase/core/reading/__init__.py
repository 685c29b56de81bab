"""From positions to outcomes, one by one in microseconds, or by the million.

Files are read as needed; nothing here solves.

- `batch`: many positions at once, read by several threads
- `board_reader`: the values of boards, through `locate`
- `catalog`: the facts about the tables that `locate` needs, in one array
- `fens`: FENs and EPDs by the million, read and written; unusual ones are left to python-chess
- `folders`: the table files and games in the folders that are searched
- `forks`: locks to release after a fork
- `given`: positions of chess in any container, as 64-bit words for the kernels
- `given_setups`: positions of other games in any container
- `locate`: from bitboards to the location of the code, in one compiled call
- `pages`: decompressed pages of files in memory, the oldest dropped first
- `passing`: the outcome of a position in which a pawn can be taken en passant
- `reader`: from positions to values of a metric, through open files and `pages`
- `readers`: the choice of the reader for a game
- `setup_reader`: the values of setups, one by one
- `whole_planes`: the results of all placements of the kings, while the other men stay

May import `jit`, `board`, `outcomes`, `rules`, `positions`, `castling`, `index`, `tables`,
`storage`. Another way to ask for values belongs here.
"""
