"""Games as data: the kinds of men, how they move, what ends a game, and which men are on the board.

Nothing here needs numba or python-chess.

- `betza`: how a piece moves, from a few letters
- `material`: which men are on the board: names, sides, and what a material can turn into
- `rule_files`: games from files, and those that are built in
- `rules`: the kinds of men of a game, and what ends it

May import `board`. Another rule is a field of `Rules` here, which kernels get as data.
"""

from tablebase.core._face import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
