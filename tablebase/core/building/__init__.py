"""From materials to files: what to build, in which order, on one machine or many.

It is the only wing that calls the engine.

- `builder`: one table: get its sub-tables, solve, count, write
- `estimate`: the cost of a table before it is built: positions, memory, disk space, time
- `executors`: the interface of what carries out a graph, and this machine
- `generator`: a whole run: the tables to build, those that exist, and the building of the rest
- `graph`: the tables and their dependencies, with their costs, as plain immutable data
- `page_modules`: the engine's kernels as modules of WebAssembly
- `problem_files`: the problems of endings in one file, from which a web page solves them
- `progress`: the stages of tables, and the share of work that is done
- `schedule`: the time of a graph on some workers, by simulated list scheduling
- `steps`: the tables to build, the tables that exist, and the room for them
- `subtable_store`: sub-tables kept in memory for coming builds while there is room

May import `jit`, `board`, `outcomes`, `rules`, `index`, `tables`, `engine`, `storage`. Another way
to share out the work is another executor.
"""
