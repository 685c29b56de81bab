"""Bishop and knight against king: to the edge, then by the W manoeuvre to the right corner.

The knight's way along the edge, f7-e5-d7-c5-b7 in the usual picture, draws the W, see Y. Averbakh,
"Chess Endings: Essential Knowledge". Goals like these are stated by M. Guid, M. Možina, A. Sadikov
and I. Bratko, "Deriving Concepts and Strategies from Chess Tablebases", 2009.

    tablebase prove KBNK examples/strategies/kbnk_w.py
"""

from tablebase.finding.expressions import Expression, col, distance, minimum
from tablebase.strategies.after_moves import after, minimise, where

king, bishop, knight = after.white_king, after.white_bishop, after.white_knight
enemy = col("black_king")


def kept(man: Expression) -> Expression:
    """Return whether Black's king, to move, cannot take a piece."""
    return (distance(enemy, man) > 1) | (distance(king, man) == 1)


fair = kept(bishop) & kept(knight) & ~after.is_stalemate
# Steps of Black's king to the nearer corner of the bishop's colour.
to_corner = where(
    bishop.is_light,
    minimum(distance(enemy, "a8"), distance(enemy, "h1")),
    minimum(distance(enemy, "a1"), distance(enemy, "h8")),
)
to_edge = minimum(minimum(enemy.file - 1, 8 - enemy.file), minimum(enemy.rank - 1, 8 - enemy.rank))

strategy = [
    after.is_mate,
    fair & after.mates_within(4),
    minimise(distance(king, enemy) + distance(knight, enemy) + distance(bishop, enemy), fair),
]
