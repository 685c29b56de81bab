"""King and pawn against king by the square of the pawn, key squares and the opposition.

The ideas are those of every textbook, such as Y. Averbakh, "Chess Endings: Essential Knowledge".

    tablebase prove KPK examples/strategies/kpk.py --goal promotion
"""

from tablebase.finding.expressions import col, distance, maximum, minimum, opposition, square_at
from tablebase.strategies.after_moves import after, minimise, where

QUEEN = 5
king, pawn, enemy = after.white_king, after.white_pawn, col("black_king")
pushes = pawn != col("white_pawn")
goal = square_at(pawn.file, 8)
edge = minimum(pawn.file, 9 - pawn.file)  # the file from the nearer edge, 1 to 4

# Black to move cannot take the pawn at once.
safe = (distance(enemy, pawn) > 1) | (distance(king, pawn) == 1)
fair = safe & ~after.is_stalemate
# White's king is back at the pawn before Black's king can take it.
near = distance(king, pawn) <= distance(enemy, pawn)
# Black's king, to move, does not reach the square of the pawn, and White's king does not block it.
free = (king.file != pawn.file) | (king.rank < pawn.rank)
outside = (distance(enemy, goal) > 9 - maximum(pawn.rank, 3)) & free

# The key squares: two ranks in front of the pawn, from the fifth rank on also one rank.
beside = abs(king.file - pawn.file) < 2
ahead = king.rank - pawn.rank
on_key = where(
    edge == 1,
    (king.rank > 6) & (abs(king.file - pawn.file) == 1),
    beside & ((ahead == 2) | ((ahead == 1) & (pawn.rank > 4)) | ((ahead == 0) & (pawn.rank > 5))),
)
faces = opposition(king, enemy)

# How far White's king is from the nearest key square two ranks in front of the pawn.
far = where(
    edge == 1,
    where(pawn.file == 1, distance(king, "b7"), distance(king, "g7")),
    maximum(abs(king.file - pawn.file) - 1, abs(king.rank - minimum(pawn.rank + 2, 8))),
)

strategy = [
    fair & (after.promotion == QUEEN),
    fair & pushes & outside,
    fair & near & pushes & on_key,
    fair & near & on_key,
    fair & ~pushes & outside,
    fair & near & ~pushes & (ahead > 0) & faces & (edge > 1),
    fair & near & pushes & (ahead > 0) & faces & (edge > 1),
    minimise(far, fair & near & ~pushes),
    fair & near,
    fair,
]
