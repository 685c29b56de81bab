"""Every value of a table against those one move ahead.

It reaches values by another road than the engine and shares no code with it.

- `agreement`: distances to mate against distances to zeroing
- `findings`: what a check finds, as records and in words
- `fixed_point`: what every position must be by its moves, and where that is not its value
- `reach`: the rows of sub-tables that moves of a table lead to: no others are read
- `sums`: lists of the SHA-256 of tables' values, to compare builds of different people
- `verify`: whole tables and files: what was checked, and what differs

May import `jit`, `board`, `outcomes`, `rules`, `positions`, `index`, `tables`, `storage`, `moves`.
Other proofs that a table is right belong here.
"""

from tablebase.core._face import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
