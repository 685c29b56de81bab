"""Retrograde analysis: a material and its sub-tables in, a table out.

It reads no files, and shares no moves with the wings that check what it found.

- `bits`: set-wise operations on words, lines and planes of positions
- `children`: positions reached by moves that leave a slice: which table has them, where, and their
  values
- `far_kernels`: the engine's kernels that are called far, and the types of what they take
- `images`: images of the moves of pieces, line of planes by line of planes
- `memory`: arrays that begin where a cache line does, in new memory or in spare memory
- `moves_out`: moves that leave a slice: captures, promotions, pawn moves
- `needs`: which positions of its sub-tables a material needs
- `planes`: where the engine keeps a position: planes, and the lines of planes along which a man
  moves
- `requirements`: what solving a material takes, known before any array is made
- `retrograde`: kernels of one ply: positions won, positions that may be lost, and those that are
- `slices`: kernels that solve slices: set up, then ply after ply
- `solver`: the driver of the engine: a material and its sub-tables in, a solved table out
- `storing`: kernels that write a solved slice to the codes of its table
- `threads`: threads that work together: barriers, tasks, a common outcome, and where the time goes
- `values`: values while solving: bytes in the order of preference of the side to move

May import `jit`, `board`, `index`, `tables`. Only `building` imports it.
"""

from tablebase._face import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
