"""Positions by number and back, and which numbers are legal positions.

Solving, storing, probing and checking all number positions this way.

- `combinations`: squares of pieces as numbers, and back: groups of identical men are combinations
- `kings`: pairs of kings: which are numbered, and under which symmetry another pair is one of these
- `legality`: which slots of a table hold a legal position, and how many images each stands for
- `numbering`: between canonical positions and consecutive integers
- `orbits`: orbits: counts over the positions of a table, carried over to all their images
- `pawns`: placements of pawns, up to the exchange of left and right: the slices of an index

May import `jit`, `board`. Another numbering, for a format or a larger board, is another module.
"""

from tablebase._face import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
