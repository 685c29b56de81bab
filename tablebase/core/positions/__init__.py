"""Positions as other programs give them.

Below, a position is the squares of a material's men and the side to move; above, a `Position`.

- `any_position`: positions of any game from texts, boards and setups
- `chess_board`: boards of python-chess and FENs into materials, squares and words, and back
- `chess_position`: boards of python-chess as positions
- `chess_variants`: boards of the variants that python-chess knows as positions
- `fifty_moves`: the interference of the 50-move rule with a result
- `position`: a position of any game, for code that need not know the game
- `setup`: positions by any rules and their moves
- `setup_fens`: FENs of positions by any rules
- `setup_steps`: where men of any game go, checks and forced captures aside

May import `board`, `outcomes`, `rules`. Readers of other notations belong here.
"""
