"""A slice, solved ply by ply.

- `arrays`: arrays that begin where a cache line does, in new memory or in spare memory
- `epochs`: distances of more plies than a byte holds
- `problem`: what kernels get, the problem and the worker of each thread
- `retrograde`: one ply: positions won, positions that may be lost, and positions that are lost
- `set_up`: a slice before its first ply
- `sets`: the sets of one slice
- `slices`: a whole slice: set up, then ply after ply
- `storing`: from a solved slice to the codes of its table
- `threads`: barriers, tasks, and a common report

May import the rooms `sets`, `out`.
"""
