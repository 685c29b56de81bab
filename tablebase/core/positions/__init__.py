"""Positions as other programs give them.

Below, a position is the squares of a material's men and the side to move.

- `chess_board`: boards of python-chess and FENs into materials, squares and words, and back
- `setup`: positions by any rules, their FENs and moves

May import `board`, `outcomes`, `rules`. Readers of other notations belong here.
"""

from tablebase.core._face import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
