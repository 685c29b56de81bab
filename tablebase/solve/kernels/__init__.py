"""The kernels that solve structures: arrays in, arrays out, no Python objects.

- `attractor`: where a side can force a win within a structure, what its moves out are worth given
- `distances`: how far positions of a structure are from leaving it, or mate
- `exits`: moves out of a structure as values of the positions before them
- `fields`: the records that kernels work on, their columns, and what is where
- `flood`: which open positions the root can reach, and through which structures outside
- `keys`: structures by key, and the memory of their bounds
- `king_planes`: the kings' squares for one placement of the pieces: moves, attacks, legality
- `lists`: the moves out of a structure, and those of one placement of its pieces
- `packing`: bounds packed in memory, and read again plane by plane
- `preparing`: which structures are solved, their children, and memory for their bounds
- `rows`: what a move out leads to, as bounds on all placements of the kings
- `spreading`: moves within a structure, from all positions of a plane at once
- `structures`: the structures of a batch, each after those that its moves lead to
- `teams`: threads that solve a structure together, and the planes that each of them gets

May import `jit`, `board`. What runs over whole planes belongs here; what knows of boards, files or
budgets belongs to `tablebase.solve`, the only wing that imports this one.
"""

from tablebase.core._face import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
