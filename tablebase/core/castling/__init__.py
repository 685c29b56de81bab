"""Positions with castling rights: what they are, their moves, and their values.

No table has such positions. With few men there are few of them, because kings and rooks with rights
stand still, so they are solved when they are asked for.

- `graph_values`: values of the nodes of any small graph
- `placements`: the men with castling rights at home, and all placements of the others
- `placement_moves`: the moves of placements, inside the set and out of it
- `solved_sets`: the sets that have been solved, in bounded memory

May import `jit`, `board`, `outcomes`, `rules`, `positions`.
"""
