"""A pupil's rule for king and rook against king: less room for the king, and the rook safe.

It sounds right and never loses anything, but it does not get on: nothing brings White's king nearer
once the room cannot be made smaller.

    tablebase prove KRK examples/strategies/krk_pupil.py
"""

from tablebase.finding.expressions import col, distance
from tablebase.strategies.after_moves import after, minimise, where

rook, enemy = after.white_rook, col("black_king")

files = where(enemy.file < rook.file, rook.file - 1, 8 - rook.file)
ranks = where(enemy.rank < rook.rank, rook.rank - 1, 8 - rook.rank)
room = where((enemy.file == rook.file) | (enemy.rank == rook.rank), 15, files + ranks)
safe = (distance(enemy, rook) > 1) | (distance(after.white_king, rook) == 1)

strategy = [
    after.is_mate,
    minimise(room, safe & ~after.is_stalemate),
]
