"""King against king and pawn: the defender stays in front of the pawn and takes the opposition.

The rule is that of every textbook, such as Y. Averbakh, "Chess Endings: Essential Knowledge".

    tablebase prove KPK examples/strategies/kpk_hold.py --goal hold
"""

from tablebase.finding.expressions import col, distance, minimum, opposition, square_at
from tablebase.strategies.after_moves import after, minimise

king, pawn, enemy = after.black_king, col("white_pawn"), col("white_king")
goal, block = square_at(pawn.file, 8), square_at(pawn.file, pawn.rank + 1)
edge = minimum(pawn.file, 9 - pawn.file)

in_front = king.rank > pawn.rank

strategy = [
    after.is_capture,
    (king == goal) & (edge == 1),  # nobody drives a king out of the corner
    opposition(king, enemy) & in_front & (king.file == enemy.file) & (king.rank > enemy.rank),
    king == block,
    king == square_at(pawn.file, pawn.rank + 2),
    minimise(distance(king, block), in_front),
    minimise(distance(king, pawn)),
]
