"""The values of positions: results, distances, outcomes, and the codes that store them.

Nothing here needs numba or python-chess.

- `codes`: between the meaning of a value and the byte that stores it
- `metrics`: the distances that tables hold, the meaning of codes, results under the 50-move rule

Imports no other wing. Another metric begins here.
"""
