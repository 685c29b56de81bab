"""Squares, symmetries, men and values: the words that all other wings speak.

Nothing here needs numba, and only `chess_board` knows python-chess.

- `betza`: how a piece moves, from a few letters
- `chess_board`: the edge to python-chess: FENs, boards into materials, squares and words, and back
- `geometry`: squares, colours and kinds of men
- `layouts`: boards of any size with ghost columns, and what differences of square numbers mean
- `material`: which men are on the board: names, sides, and what a material can turn into
- `metrics`: which distances tables hold, what codes mean, and results under the 50-move rule
- `movement`: how men move, as data: steps, and the tables that kernels make of them
- `rules`: the kinds of men of a game, and what ends it
- `rule_files`: games from files, and those that are built in
- `setup`: positions by any rules, their FENs and moves
- `symmetry`: the eight symmetries of the board, and which of them keep a position's value
- `codes`: between the meaning of a value and the byte that stores it

Imports no other wing. Other pieces, boards and metrics begin here.
"""

from tablebase._face import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
