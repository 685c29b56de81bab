"""One position solved on demand, however many pawns it has.

A *structure* is what a position's irreversible moves change: the squares of all pawns, and which
pieces there are. A *region* is a set of structures that are solved; what lies outside counts as not
won for a lower bound and as won for an upper one. Where both agree, a result is proven.

- `answers`: what is known of a position, for users; estimates
- `attractor`: where a side can force a win within a structure, what its moves out are worth given
- `bounds`: what the file of a region says of a result
- `budget`: how long it may take, and how much memory
- `conversions`: how far positions are from the next move that leaves their structure
- `distances`: the kernels that find how far positions of a structure are from leaving it, or mate
- `exits`: moves out of a structure as values of the positions before them
- `flood`: which open positions the root can reach, and through which structures outside
- `growth`: which structures are solved next
- `leaves`: structures whose values complete tables give
- `lists`: the moves out of a structure, and those of one placement of its pieces
- `plans`: moves in the order of what is proven of them, and the lines that they make
- `planes`: the kings' 64 x 64 squares for one placement of the pieces: moves, attacks, legality
- `places`: from a board to its place in a region
- `positions`: which positions can be solved, and what is refused
- `region`: structures by key, where their bounds lie in memory, and which are outside
- `rows`: what a move out leads to, as bounds on all placements of the kings
- `saving`: what was solved, kept in a file
- `solved`: what a solver has found out, as ranked moves and a plan
- `solver`: the region grows where the result depends on it, until it is proven
- `structures`: the kernels that solve the structures of a batch
- `verifying`: files of regions, checked

May import `jit`, `board`, `storage`. What proves results of positions beyond the tables
belongs here.
"""

from tablebase._face import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
