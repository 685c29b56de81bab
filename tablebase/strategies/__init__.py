"""Strategies on trial: whether a method always reaches its goal, against every defence.

- `after_moves`: rules about the positions before and after a move
- `asking`: functions as strategies
- `game_graph`: the positions that keep a goal within reach, and their moves, as arrays
- `command`: `tablebase prove`
- `methods`: strategies as data, with a sentence for each rule
- `proving`: the proof, or what refutes the strategy
- `refuting`: lines of play that refute a strategy, and its longest game
- `sweeping`: the kernels, which go backwards from the goal ply by ply

May import the core, `cli`, `finding`.
"""
