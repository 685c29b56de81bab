"""Whether a side can still mate in a position of chess that no table has, however many men.

A mate is claimed only with its moves, which python-chess plays, and denied only by a proof: the
squares that the men can ever reach allow none, or all positions that they can reach are known.

- `best_first`: kernels: a search for a mate, the most promising position first
- `bitboards`: kernels: the legal moves of chess for any number of men
- `helpmate_search`: the answer, its reason and the moves
- `walls`: the squares that each man can ever reach under the walls that stand

May import only the core. Another proof that nobody can mate belongs here.
"""
