"""Squares, steps, symmetries: the words that all other wings speak.

Nothing here needs numba or python-chess.

- `geometry`: squares, colours and kinds of men
- `movement`: how men move, as data: steps, and the tables that kernels make of them
- `shape`: smaller boards, and boards with walls
- `symmetry`: the eight symmetries of the board, and which of them keep a position's value

Imports no other wing. Other boards begin here.
"""
