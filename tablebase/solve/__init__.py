"""One position solved on demand, however many pawns it has.

A *structure* is what a position's irreversible moves change: the squares of all pawns, and which
pieces there are. A *region* is a set of structures that are solved; what lies outside counts as not
won for a lower bound and as won for an upper one. Where both agree, a result is proven.

- `answers`: the knowledge of a position, for users; estimates
- `batches`: structures of one level solved by threads
- `bounds`: the bounds on a result in the file of a region
- `budget`: the limits of time and memory
- `command`: `tablebase solve`
- `growth`: the structures that are solved next
- `leaves`: the results of complete tables: values of structures, and of a proof's exits
- `measuring`: the distances of positions to the next move that leaves their structure
- `on_demand`: what a server needs to know to have positions solved on demand
- `packed`: positions as eight words of squares, and moves made on them
- `places`: from a board to its place in a region, and boards without a place
- `plans`: moves in the order of their proven results, and lines that hold a draw
- `proof_file`: files of proofs: moves of one side, and where tables take over
- `proofs`: proofs of results, for third-party programs to check
- `region`: the structures that are known, and the memory of their bounds
- `region_file`: files of regions: structures with bounds on the results of all positions
- `region_kind`: files of regions as one of the kinds of files that folders hold
- `regions`: the results in the files of regions of some folders
- `saving`: solved regions, kept in a file
- `solve_one`: the process that solves one position
- `solved`: the findings of a solver, as ranked moves and a plan
- `solver`: the region grows where the result depends on it, until it is proven
- `spaces`: the memory of a solver: for bounds, and a work space for each thread
- `strategies`: one move of the proving side in each position of a proof
- `verifying`: files of regions, checked

The wing within this one, `kernels`, does what takes time, on arrays.

May import the core, `cli`, `solve.kernels`. Proofs of results beyond the tables belong here.
"""
