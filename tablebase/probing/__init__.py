"""Boards in, distances to mate out: one by one in microseconds, or by the million.

Files are read as needed; nothing here solves.

- `batch`: many positions at once: what may be asked, brought into words for the kernels
- `canonical`: the one of all symmetric images of a position that stands in its table, and where it
  stands
- `locate`: from the bitboards of a position to the place of its value, in one compiled call
- `pages`: the part of table files that is kept in memory: decompressed pages, the oldest dropped
  first
- `ranking`: moves of a position in order of their value: the best one, all of them, the line to
  mate
- `reader`: from positions to stored codes, through open files and the pages kept in memory
- `tablebase`: tables as one object: a board in, a distance to mate out

May import `jit`, `board`, `index`, `tables`, `storage`, `moves`. Another way to ask for values
belongs here.
"""

from tablebase._face import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
