"""Retrograde analysis: a material and its sub-tables in, a table out.

It reads no files, and shares no moves with the wings that check what it found.

- `arrays`: arrays that begin where a cache line does, in new memory or in spare memory
- `bits`: set-wise operations on words, lines and planes of positions
- `by_slices`: the driver for tables that have no room in memory
- `child_places`: where the positions after moves that leave a slice lie
- `children`: what those moves lead to, and the values there
- `driver`: the driver: arrays, threads, slice after slice
- `epochs`: distances of more plies than a byte tells
- `groups`: in which order slices are solved one after another, and which together
- `preimages`: preimages under piece moves, one line of planes after the other
- `king_slots`: where the pairs of kings of a table lie in a plane
- `moves_out`: moves that leave a slice: captures, promotions, pawn moves
- `needs`: which positions of its sub-tables a material needs
- `planes`: where a position is kept: planes, and the lines of planes along which a man moves
- `requirements`: what a solution takes, known before any array is made
- `retrograde`: one ply: positions won, positions that may be lost, and those that are
- `running`: the threads that run the kernels, and what each solves slices with
- `set_up`: a slice before its first ply
- `slices`: a whole slice: set up, then ply after ply
- `storing`: from a solved slice to the codes of its table
- `threads`: barriers, tasks, a common outcome, and where the time goes
- `values`: bytes in the order of preference of the side to move

May import `jit`, `board`, `outcomes`, `rules`, `index`, `tables`. Only `building` imports it. Other
metrics begin in `values`.
"""

from tablebase.core._face import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
