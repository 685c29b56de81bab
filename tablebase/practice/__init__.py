"""Practice against the tables: how hard a position is for a player, and who resists best.

A player of some *sight* misses what becomes plain only later.

- `exercises`: positions of an ending to win or to hold, in levels
- `mistakes`: in whole tables, the moves that keep the result, those seen, and hidden mistakes
- `resistance`: the move that is hardest to answer, for a partner who fights
- `sight`: the moves that a player sees, and the difficulty of a position

May import only the core.
"""
