"""Retrograde analysis: a material and its sub-tables in, a table out.

It reads no files, and shares no moves with the wings that check its tables.

- `arrays`: arrays that begin where a cache line does, in new memory or in spare memory
- `bits`: set-wise operations on words, lines and planes of positions
- `by_slices`: the driver for tables that have no room in memory
- `child_places`: the places of positions after moves that leave a slice
- `children`: the positions after moves that leave a slice, and their values
- `cooperative`: values where both sides help one of them to give mate
- `driver`: the driver: arrays, threads, slice after slice
- `epochs`: distances of more plies than a byte holds
- `games`: what games do where they differ
- `king_slots`: the places of a table's pairs of kings in a plane
- `metric_tables`: what the engine knows of each metric
- `moves_out`: moves that leave a slice: captures, promotions, pawn moves
- `needs`: the positions of its sub-tables that a material needs
- `planes`: the planes that hold positions, and the tracks along which a man moves
- `preimages`: preimages under piece moves, one track after the other
- `requirements`: the memory of a solution, known before any array is made
- `retrograde`: one ply: positions won, positions that may be lost, and positions that are lost
- `running`: the threads that run the kernels, with their work space
- `set_up`: a slice before its first ply
- `slice_order`: the order in which slices are solved, and the batches that are solved together
- `slices`: a whole slice: set up, then ply after ply
- `storing`: from a solved slice to the codes of its table
- `threads`: barriers, tasks, a common outcome, and the use of time
- `values`: bytes in the order of preference of the side to move

May import `jit`, `board`, `outcomes`, `rules`, `index`, `tables`. Only `building` imports it. Other
metrics begin in `metric_tables`.
"""
