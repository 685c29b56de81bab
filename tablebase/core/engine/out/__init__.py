"""Moves that leave a slice, and the positions that they lead to.

- `child_places`: the places of positions after moves that leave a slice
- `children`: the positions after moves that leave a slice, and their values
- `king_slots`: the places of a table's pairs of kings in a plane
- `moves_out`: moves that leave a slice: captures, promotions, pawn moves

May import the room `sets`.
"""
