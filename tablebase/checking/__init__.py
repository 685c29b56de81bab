"""Every value of a table against those one move ahead.

It reaches values by another road than the engine and shares no code with it.

- `fixed_point`: one move ahead: what every position of a table is worth by its moves
- `reach`: the part of the sub-tables that a check reads: the rows that moves of the table lead to
- `sums`: lists of the SHA-256 of tables' values, to compare builds of different people
- `verify`: check solved tables by another road: every value against those one move ahead

May import `jit`, `board`, `index`, `tables`, `storage`, `moves`. Other proofs that a table is right
belong here.
"""

from tablebase._face import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
