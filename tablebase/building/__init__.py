"""From materials to files: what to build, in which order, on one machine or many.

It is the only wing that calls the engine.

- `builder`: the building of one table: get its sub-tables, solve, count, write
- `cluster`: builds on many workers, under Dask: one task for each table, after those of its
  sub-tables
- `estimate`: what building one table takes, known before it is built: positions, memory, disk
  space, time
- `executors`: who carries out the builds of a graph: the interface, and this machine
- `generator`: from materials to files: what must be built, what is there, and the building of the
  rest
- `graph`: the build graph: which tables need which, and what each takes, as plain immutable data
- `progress`: progress of a run: what happens to which table, and how much is done
- `schedule`: how long a build graph takes on some workers: list scheduling, simulated
- `steps`: the steps of a run: what is to be built, what is there, and whether there is room for it
- `subtable_store`: the sub-tables of builds to come, kept in memory as long as they are needed and
  have room
- `worker`: what a worker of a cluster does: show that it is fit, and build one table

May import `jit`, `board`, `index`, `tables`, `engine`, `storage`, `moves`, `checking`, `probing`.
Another way to share the work out is another executor.
"""

from tablebase._face import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
