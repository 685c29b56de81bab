"""Squares, colours and kinds of men.

Squares are numbered as in python-chess: ``a1 = 0``, ``b1 = 1``, ..., ``h8 = 63``.
In a 64-bit word, bit ``i`` stands for square ``i``. Pieces are numbered as in
python-chess too, but colours are array indices here: white is 0 and black is 1.
"""

from __future__ import annotations

from enum import IntEnum

FILES = 8
RANKS = 8
SQUARES = FILES * RANKS


class Color(IntEnum):
    """A side, usable as an array index."""

    WHITE = 0
    BLACK = 1

    @property
    def opponent(self) -> Color:
        """The other side."""
        return Color(1 - self)


# By `Color`, as files and JSON name them.
SIDES: tuple[str, ...] = ("white_to_move", "black_to_move")


# Kinds are numbered from 1 on, as many as five bits can tell apart.
MAX_KINDS = 31


class PieceType(IntEnum):
    """A kind of man, numbered by ascending value.

    The members are those of chess. Other rules number their kinds from 7 on; such a number makes a
    value that is no member, whose letter and name only the rules know.
    """

    PAWN = 1
    KNIGHT = 2
    BISHOP = 3
    ROOK = 4
    QUEEN = 5
    KING = 6

    @classmethod
    def _missing_(cls, value: object) -> PieceType | None:
        if not isinstance(value, int) or not (value == 0 or cls.KING < value <= MAX_KINDS):
            return None
        kind = int.__new__(cls, value)
        kind._name_, kind._value_ = f"KIND_{value}", value
        return cls._value2member_map_.setdefault(value, kind)  # type: ignore[return-value]

    @property
    def letter(self) -> str:
        """The English letter of this man of chess, upper case."""
        return "?PNBRQK"[self]


# The place of a man that a side does not have, see `rules.material.Material.men`.
NOBODY = PieceType(0)
NOBODY_NAME = "nobody"
# What men are worth, in pawns, by kind.
WORTH: dict[int, int] = {
    PieceType.PAWN: 1,
    PieceType.KNIGHT: 3,
    PieceType.BISHOP: 3,
    PieceType.ROOK: 5,
    PieceType.QUEEN: 9,
}


def square(file: int, rank: int) -> int:
    """Return the square on a file and a rank, both counted from 0."""
    return rank * FILES + file


def square_rank(square: int) -> int:
    """Return the rank of a square, 0 for White's first rank."""
    return square // FILES


Vector = tuple[int, int]  # files to the right, ranks up
# The squares on which a pawn can stand: ranks 2 to 7.
PAWN_SQUARES: tuple[int, ...] = tuple(s for s in range(SQUARES) if 0 < square_rank(s) < RANKS - 1)


def square_name(square: int) -> str:
    """Return the name of a square.

    >>> square_name(63)
    'h8'
    """
    return "abcdefgh"[square_file(square)] + str(square_rank(square) + 1)


def square_file(square: int) -> int:
    """Return the file of a square, 0 for the a-file."""
    return square % FILES


def squares_beside(square: int) -> list[int]:
    """Return the squares that a king on a square attacks, on a full board, ascending."""
    return [other for other in range(SQUARES) if other != square and kings_touch(square, other)]


def kings_touch(white: int, black: int) -> bool:
    """Return whether two kings stand side by side, or on the same square."""
    return (
        abs(square_file(white) - square_file(black)) <= 1
        and abs(square_rank(white) - square_rank(black)) <= 1
    )
