"""Every value of a table against the values one move ahead.

It finds values in another way than the engine and shares no code with it.

- `agreement`: distances to mate against distances to zeroing
- `castling_check`: values of positions with castling rights, against those after each move
- `findings`: the findings of a check, as records and in words
- `fixed_point`: the value of every position by its moves, and the slots with another value
- `reach`: the rows of sub-tables that moves of the table lead to, the only ones that are read
- `sums`: lists of the SHA-256 of tables' values, to compare builds of different people
- `verify`: whole tables and files: the extent of a check, and the differences

May import `jit`, `board`, `outcomes`, `rules`, `positions`, `castling`, `index`, `tables`,
`storage`, `moves`, `answers`.
Other proofs that a table is right belong here.
"""
