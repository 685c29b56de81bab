"""Positions by number and back, and which numbers are legal positions.

Solving, storing, probing and checking all number positions this way.

- `combinations`: squares of pieces: groups of identical men as combinations
- `kings`: pairs of kings: the numbered pairs, and the symmetries that lead to them
- `legality`: the slots that hold a legal position, and the number of images of each
- `numbering`: from canonical positions to consecutive integers, and back
- `orbits`: from counts over a table to counts over all images of its positions
- `pawns`: placements of pawns up to the exchange of left and right: the slices
- `weights`: how much a slot weighs by the symmetries that keep its position

May import `jit`, `board`, `rules`. A numbering for another format is another module.
"""
