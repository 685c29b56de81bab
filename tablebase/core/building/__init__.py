"""From materials to files: what to build, in which order, on one machine or many.

It is the only wing that calls the engine.

- `builder`: one table: get its sub-tables, solve, count, write
- `estimate`: what a table takes, known before it is built: positions, memory, disk space, time
- `executors`: who carries out a graph: the interface, and this machine
- `generator`: a whole run: what must be built, what is there, and the building of the rest
- `graph`: which tables need which, and what each takes, as plain immutable data
- `progress`: what happens to which table, and how much is done
- `schedule`: how long a graph takes on some workers, by simulated list scheduling
- `steps`: what is to be built, what is there, and whether there is room for it
- `subtable_store`: sub-tables kept in memory for coming builds while there is room

May import `board`, `outcomes`, `rules`, `index`, `tables`, `engine`, `storage`. Another way to
share out the work is another executor.
"""

from tablebase.core._face import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
