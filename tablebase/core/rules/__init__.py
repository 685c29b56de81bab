"""Games as data: the kinds of men, how they move, what ends a game, and which men are on the board.

Nothing here needs numba or python-chess.

- `betza`: how a piece moves, from a few letters
- `extinction`: what ends a game besides mate, in files
- `flags`: the rules of a game as files state them
- `law`: what the rules say of a material, for kernels
- `material`: the men on the board: names, sides, and the materials after captures and promotions
- `refusals`: errors for games that a capability does not know
- `rule_files`: games from files, and built-in games
- `rules`: the kinds of men of a game, and its ends

May import `jit`, for its records, and `board`. Another rule is a field of `Rules`, and of `Law` for
kernels.
"""
