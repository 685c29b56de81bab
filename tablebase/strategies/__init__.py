"""Strategies on trial: whether a method always reaches its goal, against every defence.

- `after_moves`: expressions over the position after a move, and ranked lists of them
- `asking`: functions as strategies
- `game_graph`: the positions that keep a goal within reach, and their moves, as arrays
- `command`: `tablebase prove`
- `proving`: the proof, or what refutes the strategy
- `refuting`: lines of play that refute a strategy, and its longest game
- `sweeping`: the kernels, which go backwards from the goal ply by ply

May import the core, `cli`, `finding`, `annotate`.
"""
