"""Moves made forwards, row by row, to positions whose values are known.

Checking and studying tables need them; the engine has moves of its own, on purpose.

- `forward`: one move: where it leads, whether a king is attacked, double pushes
- `games`: what games do where they differ
- `legal_moves`: every legal move of every position of a table, with the best moves
- `row_moves`: the moves of a row's men, and the squares that they attack, as if there were no kings
- `move_lists`: where the moves of a row are listed
- `successors`: what the moves of a material lead to, as arrays for kernels
- `walk`: the one loop over the legal moves of positions, for all its visitors

May import `jit`, `board`, `outcomes`, `rules`, `index`, `tables`. Whatever makes moves for many
positions at once belongs here.
"""
