"""What games do where they differ, forwards: kernels that the walk is compiled for.

- `chess`: kings that must not be lost, and nothing else that ends a game
- `checks`: moves that give check, where checks are counted or none may be given
- `every_game`: all that other games have, as the law asks for it, and the choice of a game
- `explosions`: captures that take off more men than one
- `goals`: kings that have won on a goal
- `led_moves`: the best move of single positions where no king is royal
- `points`: the points at which games differ

They share no move with those of the engine, and bear the same names.
"""
