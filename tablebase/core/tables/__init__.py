"""Solved values in memory, what they count up to, and where a value occurs.

A table knows nothing of how it was solved, stored or checked.

- `census`: results, distances and the longest wins and losses, counted
- `reserved`: bytes that take memory only where they are written to
- `search`: positions by slot and by code, as boards of python-chess
- `table`: the values of one material

May import `jit`, `board`, `outcomes`, `rules`, `positions`, `index`. Questions about one
table belong here.
"""
