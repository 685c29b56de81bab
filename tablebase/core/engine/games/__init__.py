"""What games do where they differ: kernels that `slices.solve_slices` is compiled for.

- `by_place`: moves out position by position, where no king is royal
- `checks`: checks that are counted: what a check leads to has a value in another layer
- `chess`: kings that must not be lost, and nothing else that ends a game
- `explosions`: captures that take off more men than one
- `every_game`: all that other games have, as the rules ask for it, and the choice of a game
- `goals`: kings that have won on a goal
- `points`: the points at which games differ

May import the rooms `sets`, `out`, `plies`. Another game is a module here that `every_game` asks,
or a `Game`.
"""
