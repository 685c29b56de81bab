"""From positions to outcomes, one by one in microseconds, or by the million.

Files are read as needed; nothing here solves.

- `as_words`: boards and setups as words
- `batch`: many positions at once, read by several threads
- `catalog`: the facts about a game and its tables that kernels need, in one array
- `fens`: FENs and EPDs by the million, read and written; unusual ones are left to `any_position`
- `folders`: the table files and games in the folders that are searched
- `forks`: locks to release after a fork
- `given`: positions of any game in any container, ready for kernels
- `locate`: from men on squares to the location of the code, for any game
- `open_tables`: the table files that are open
- `pages`: decompressed pages of files in memory, the oldest dropped first
- `en_passant`: the outcome of a position in which a pawn can be taken en passant
- `reader`: single positions, in one compiled call
- `whole_planes`: the results of all placements of the kings, while the other men stay

May import `jit`, `board`, `outcomes`, `rules`, `positions`, `castling`, `index`, `tables`,
`storage`. Another way to ask for values belongs here.
"""
