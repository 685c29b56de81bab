"""Practice against the tables: how hard a position is for a player, and who resists best.

A player of some *sight* misses what becomes plain only later.

- `mistakes`: how many moves keep the result, and how many mistakes a player does not see
- `resistance`: the move that is hardest to answer, for a partner who fights
- `sight`: which mistakes a player sees, and how hard a position is

May import the core alone.
"""

from tablebase.core._face import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
