"""King and rook against king by Bratko's advice.

The list is from I. Bratko, "Proving correctness of strategies in the AL1 assertional language",
Information Processing Letters 7 (5), 1978. How exactly each piece of advice is meant, and the steps
after "keep room", are from F. Marić, P. Janičić and M. Maliković, arXiv 1801.07528.

    tablebase prove KRK examples/strategies/krk_bratko.py
"""

from tablebase.finding.expressions import Expression, col, distance
from tablebase.strategies.after_moves import after, minimise, where

king, rook, enemy = col("white_king"), col("white_rook"), col("black_king")


def room(rook: Expression) -> Expression:
    """Return half the border of the rectangle in which the rook holds Black's king."""
    files = where(enemy.file < rook.file, rook.file - 1, 8 - rook.file)
    ranks = where(enemy.rank < rook.rank, rook.rank - 1, 8 - rook.rank)
    return where((enemy.file == rook.file) | (enemy.rank == rook.rank), 15, files + ranks)


def to_critical_square(king: Expression, rook: Expression) -> Expression:
    """Return the steps along files and ranks from White's king to the critical square.

    It is the rook's neighbour towards Black's king.
    """
    file = rook.file + where(enemy.file > rook.file, 1, 0) - where(enemy.file < rook.file, 1, 0)
    rank = rook.rank + where(enemy.rank > rook.rank, 1, 0) - where(enemy.rank < rook.rank, 1, 0)
    return abs(king.file - file) + abs(king.rank - rank)


def between(one: Expression, middle: Expression, other: Expression) -> Expression:
    """Return whether a number is between two others."""
    return ((one < middle) & (middle < other)) | ((other < middle) & (middle < one))


# Positions after White's move.
new_king, new_rook = after.white_king, after.white_rook
guarded = distance(new_king, new_rook) <= distance(enemy, new_rook)  # "not exposed"
divides = between(new_king.file, new_rook.file, enemy.file) | between(
    new_king.rank, new_rook.rank, enemy.rank
)
l_pattern = (
    (new_king.rank == enemy.rank)
    & (abs(new_king.file - enemy.file) == 2)
    & (new_rook.file == new_king.file)
    & (abs(new_rook.rank - new_king.rank) == 1)
) | (
    (new_king.file == enemy.file)
    & (abs(new_king.rank - enemy.rank) == 2)
    & (new_rook.rank == new_king.rank)
    & (abs(new_rook.file - new_king.file) == 1)
)
same_edge = (
    ((new_king.file == 1) & (enemy.file == 1))
    | ((new_king.file == 8) & (enemy.file == 8))
    | ((new_king.rank == 1) & (enemy.rank == 1))
    | ((new_king.rank == 8) & (enemy.rank == 8))
)
back = (
    ((enemy.file == 1) & (rook.file == 2) & (new_king.file < king.file))
    | ((enemy.file == 8) & (rook.file == 7) & (new_king.file > king.file))
    | ((enemy.rank == 1) & (rook.rank == 2) & (new_king.rank < king.rank))
    | ((enemy.rank == 8) & (rook.rank == 7) & (new_king.rank > king.rank))
)

# Kinds of moves; none may be stalemate.
fair = ~after.is_stalemate
king_moves = fair & (new_king != king)
rook_moves = fair & (new_rook != rook)
diagonal = king_moves & (new_king.file != king.file) & (new_king.rank != king.rank)
straight = king_moves & ((new_king.file == king.file) | (new_king.rank == king.rank))
in_order = (room(new_rook) > 3) | (~same_edge & ((distance(king, rook) != 1) | ~back))

squeeze = rook_moves & (room(new_rook) < room(rook)) & guarded & divides
approach = (
    (to_critical_square(new_king, new_rook) < to_critical_square(king, rook))
    & guarded
    & (divides | l_pattern)
    & in_order
)
keep_room = guarded & divides & (distance(new_king, rook) <= distance(king, rook)) & in_order
safe = rook_moves & ((distance(enemy, new_rook) > 1) | (distance(king, new_rook) == 1))


def beside(own: Expression, enemy: Expression, old: Expression, new: Expression) -> Expression:
    """Return whether the rook comes to the line beside its king, on the side of Black's king."""
    line = own + where(enemy > own, 1, -1)
    all_in_line = (old == own) & (own == enemy) & (abs(new - own) == 1)
    return ((enemy != own) & (old != line) & (new == line)) | all_in_line


rook_home = safe & (
    beside(king.file, enemy.file, rook.file, new_rook.file)
    | beside(king.rank, enemy.rank, rook.rank, new_rook.rank)
)


def to_edge(old: Expression, new: Expression) -> Expression:
    """Return whether the rook comes to a file or rank at the edge where it did not stand."""
    return ((old != 1) & (new == 1)) | ((old != 8) & (new == 8))


to_an_edge = to_edge(rook.file, new_rook.file) | to_edge(rook.rank, new_rook.rank)
rook_safe = safe & to_an_edge & (distance(enemy, new_rook) > 2)
rook_safe_near = (
    rook_moves
    & to_an_edge
    & (distance(enemy, new_rook) == 2)
    & ((new_rook.file == king.file) | (new_rook.rank == king.rank))
)

strategy = [
    after.is_mate,  # immediate mate
    fair & after.mates_within(2),  # ready to mate
    minimise(room(new_rook), squeeze),  # squeeze as much as possible
    diagonal & approach,
    straight & approach,
    diagonal & keep_room,
    straight & keep_room,
    rook_home,
    rook_safe,
    rook_safe_near,
]
