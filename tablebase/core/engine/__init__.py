"""Retrograde analysis: a material and its sub-tables in, a table out.

It reads no files, and shares no moves with the wings that check its tables. Its front, the modules
here, may import its rooms, and each room those before it in the order below:

- `sets`: positions as bits of planes, and their values
- `out`: moves that leave a slice, and the positions that they lead to
- `plies`: a slice, solved ply by ply
- `games`: what games do where they differ

The front:

- `by_slices`: the driver for tables that have no room in memory
- `driver`: the driver: arrays, threads, slice after slice
- `needs`: the positions of its sub-tables that a material needs
- `problem_images`: the memory of a problem as data, for kernels elsewhere
- `requirements`: the memory of a solution, known before any array is made
- `running`: the threads that run the kernels, with their work space
- `slice_order`: the order in which slices are solved, and the batches that are solved together

May import `jit`, `board`, `outcomes`, `rules`, `index`, `tables`. Only `building` imports it. Other
metrics begin in `sets.metric_tables`.
"""
