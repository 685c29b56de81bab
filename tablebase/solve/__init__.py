"""One position solved on demand, however many pawns it has.

A *structure* is what a position's irreversible moves change: the squares of all pawns, and which
pieces there are. A *region* is a set of structures that are solved; what lies outside counts as not
won for a lower bound and as won for an upper one. Where both agree, a result is proven.

- `answers`: what is known of a position, for users; estimates
- `batches`: structures of one level solved by threads
- `bounds`: what the file of a region says of a result
- `budget`: how long it may take, and how much memory
- `command`: `tablebase solve`
- `growth`: which structures are solved next
- `leaves`: what complete tables give: values of structures, and results of a proof's exits
- `measuring`: how far positions are from the next move that leaves their structure
- `on_demand`: positions solved on demand, one at a time
- `packed`: positions as eight words of squares, and moves made on them
- `places`: from a board to its place in a region, and which boards have none
- `plans`: moves in the order of what is proven of them, and lines that hold a draw
- `proof_file`: files of proofs: moves of one side, and where tables take over
- `proofs`: what proves a result, for others to check
- `region`: the structures that are known, and the memory of their bounds
- `region_file`: files of regions: structures with bounds on the results of all positions
- `region_kind`: files of regions as one of the kinds of files that folders hold
- `regions`: the results in the files of regions of some folders
- `saving`: what was solved, kept in a file
- `solve_one`: the process that solves one position
- `solved`: what a solver has found out, as ranked moves and a plan
- `solver`: the region grows where the result depends on it, until it is proven
- `spaces`: the memory of a solver: for bounds, and a work space for each thread
- `strategies`: one move of the proving side in each position of a proof
- `verifying`: files of regions, checked

What takes time is done by the wing within this one, `kernels`, on arrays alone.

May import the core, `cli`, `solve.kernels`. What proves
results of positions beyond the tables belongs here.
"""

from tablebase.core._face import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
