"""Positions by number and back, and which numbers are legal positions.

Solving, storing, probing and checking all number positions this way.

- `combinations`: squares of pieces: groups of identical men as combinations
- `kings`: pairs of kings: which are numbered, and the symmetry that makes another pair one of these
- `legality`: which slots hold a legal position, and how many images each stands for
- `numbering`: from canonical positions to consecutive integers, and back
- `orbits`: from counts over a table to counts over all images of its positions
- `pawns`: placements of pawns up to the exchange of left and right: the slices

May import `jit`, `board`, `rules`. Another numbering, for a format or a larger board, is another
module.
"""

from tablebase.core._face import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
