"""King against king and pawn: the defender stays in front of the pawn and takes the opposition.

The rule is that of every textbook, such as Y. Averbakh, "Chess Endings: Essential Knowledge".

    tablebase prove KPK examples/strategies/kpk_hold.py --goal hold
"""

from tablebase.strategies import after, minimise
from tablebase.study import col, distance, minimum, opposition, square_at

king, pawn, enemy = after.black_king, col("white_pawn"), col("white_king")
goal, block = square_at(pawn.file, 8), square_at(pawn.file, pawn.rank + 1)
edge = minimum(pawn.file, 9 - pawn.file)

strategy = [
    after.is_capture,
    (king == goal) & (edge == 1),  # nobody drives a king out of the corner
    opposition(king, enemy) & (king.rank > enemy.rank) & (king.file == pawn.file) & (pawn.rank < enemy.rank),
    king == block,
    (king == square_at(pawn.file, pawn.rank + 2)),
    opposition(king, enemy),
    minimise(distance(king, block)),
]
