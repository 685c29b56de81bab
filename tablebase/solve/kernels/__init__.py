"""The kernels that solve structures: arrays in, arrays out, no Python objects.

- `attractor`: the positions in which a side can force a win, given the results of moves out
- `distances`: the distances of positions of a structure to leaving it, or to mate
- `exits`: moves out of a structure as values of the positions before them
- `fields`: the records that kernels work on, and their columns
- `flood`: the open positions that the root can reach, and the structures outside on the way
- `keys`: structures by key, and the memory of their bounds
- `king_planes`: the kings' squares for one placement of the pieces: moves, attacks, legality
- `lists`: the moves out of a structure, and the moves out of one placement of its pieces
- `packing`: bounds packed in memory, and read again plane by plane
- `preparing`: the choice of structures to solve, their children, and memory for their bounds
- `rows`: the results of a move out, as bounds on all placements of the kings
- `spreading`: moves within a structure, from all positions of a plane at once
- `structures`: the structures of a batch, each after those that its moves lead to
- `teams`: threads that solve a structure together, and the planes that each of them gets

May import `jit`, `board`. Work on whole planes belongs here; boards, files and budgets belong to
`tablebase.solve`, the only wing that imports this one.
"""
